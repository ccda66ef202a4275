// Reading source files and writing output files whole (CLI-6, CLI-8).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/diagnostic.hpp"
#include "ir/text/source.hpp"

namespace assay::oracle {

/// Writes beside the place and renames: the file is there whole or not at all. Nothing on success, else why.
std::optional<std::string> write_file(const std::string& path, std::string_view contents);
/// The contents of a file, at most `limit` bytes; `-` is standard input.
Result<std::string> read_file(const std::string& path, std::size_t limit);

/// A file named as FILE or FILE:NAME: its text, and parsed.
struct NamedText {
  std::string path{}, name{}, text{};  // name: after the colon, or empty
};
Result<NamedText> open_source(const std::string& argument);
struct NamedSource {
  SourceFile file{};
  std::string name{};
};
Result<NamedSource> parse_named(const NamedText& source);
Result<NamedSource> load_source(const std::string& argument);
/// The program of that name, or the first; an error that names what there is.
Result<Program> pick_program(const NamedSource& source);
Result<Schedule> pick_schedule(const NamedSource& source);

}  // namespace assay::oracle
