// Help from the command table, for 80 columns.
#include "cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace assay::cli {

std::string wrap(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t used = indent;
  bool first = true;  // on its line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!first && used + 1 + word.size() > columns) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    first = false;
  }
  return out;
}

std::string option_text(const OptionDescription& o) {
  return fmt::format("{}{}{}", fmt::join(o.names, ", "), o.value.empty() ? "" : " ", o.value);
}

std::string help_text(const CommandDescription& c) {
  constexpr std::size_t column = 24;  // where the descriptions begin
  std::string out = fmt::format("usage: assay {} [options]{}{}\n\n  {}\n\n", c.name, c.operands.empty() ? "" : " ",
                                c.operands, wrap(c.summary, text_columns, 2));
  for (const OptionDescription& o : c.options) {
    const std::string names = (o.names.front().size() == 2 ? "  " : "      ") + option_text(o);
    out += names.size() + 2 <= column ? fmt::format("{:<{}}", names, column) : names + "\n" + std::string(column, ' ');
    out += wrap(o.help, text_columns, column) + "\n";
  }
  return out;
}

}  // namespace assay::cli
