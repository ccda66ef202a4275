// `assay COMMAND --help`, and the wrapping of text that other pages share.
#pragma once

#include <string>
#include <string_view>

#include "cli/arguments.hpp"

namespace assay::cli {

/// A terminal without a width of its own: what help and explanations are wrapped to.
inline constexpr std::size_t text_columns = 80;

/// Words of `text` on lines of at most `columns` bytes; each line but the first begins with `indent` blanks, and the first
/// has room for that many already. No newline at the end.
std::string wrap(std::string_view text, std::size_t columns, std::size_t indent = 0);

/// The names and the value of an option: "-o, --output FILE".
std::string option_text(const OptionDescription& o);
std::string help_text(const CommandDescription& c);

}  // namespace assay::cli
