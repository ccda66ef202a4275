// Reading the JSON form of a file (spec/language.md); the writer is `to_json` in source.hpp.
#pragma once

#include <string>
#include <string_view>

#include "ir/text/source.hpp"

namespace assay {

/// A JSON text is longer than the program it stands for.
inline constexpr std::size_t max_json_bytes = 16U << 20;

namespace text {

/// Programs and schedules, or the bare lines of one schedule (SYN-15).
enum class TextSort { structured, bare };
Result<SourceFile> parse_text(std::string_view text, std::string path, TextSort sort);
/// The JSON form. The result's text is the printed form, and its places refer to that.
Result<SourceFile> parse_json(std::string_view text, std::string path);

}  // namespace text
}  // namespace assay
