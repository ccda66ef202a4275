// Messages as users see them (DIAG-1): code, place, source line with the span underlined, way out.
#include <fmt/format.h>

#include <algorithm>

#include "ir/text/source.hpp"

namespace assay {
namespace {

constexpr std::size_t widest = 160;  // a longer source line is shown around the span only

std::string_view line_of(std::string_view text, int number) {
  std::size_t start = 0;
  for (int i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) return {};
    start = end + 1;
  }
  std::string_view line = text.substr(start, std::min(text.find('\n', start), text.size()) - start);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// One column for each character: tabs and control characters become blanks, and without UTF-8 other characters `?`.
std::string plain(std::string_view text, bool unicode) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += ' ';
    } else if (byte < 0x80 || unicode) {
      out += c;
    } else if (!continues_character(c)) {
      out += '?';
    }
  }
  return out;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

struct Style {
  std::string_view label, gutter, reset;
};
Style style(Severity severity, bool colour) {
  if (!colour) return {"", "", ""};
  switch (severity) {
    case Severity::error: return {"\x1b[1;31m", "\x1b[1;34m", "\x1b[0m"};
    case Severity::warning: return {"\x1b[1;33m", "\x1b[1;34m", "\x1b[0m"};
    case Severity::note: return {"\x1b[1;36m", "\x1b[1;34m", "\x1b[0m"};
  }
  return {"", "", ""};
}

std::string_view noun(Severity s) {
  return s == Severity::error ? "error" : s == Severity::warning ? "warning" : "note";
}

}  // namespace

std::string render(const Diagnostic& d, std::string_view text, bool colour, bool unicode) {
  const Style st = style(d.severity, colour);
  std::string out = fmt::format("{}{}", st.label, noun(d.severity));
  if (!d.code.empty()) out += fmt::format("[{}]", d.code);
  out += fmt::format("{}: {}\n", st.reset, plain(d.message, unicode));
  std::string margin = " ";
  if (d.where.known()) {
    const std::string number = std::to_string(d.where.line);
    margin.assign(number.size() + 2, ' ');
    out += fmt::format("{}{}-->{} {}:{}:{}\n", std::string(number.size() + 1, ' '), st.gutter, st.reset, d.file,
                       d.where.line, d.where.column);
    std::string_view line = line_of(text, d.where.line);
    auto first = std::min(static_cast<std::size_t>(std::max(d.where.column, 1) - 1), line.size());
    if (line.size() > widest) {
      std::size_t cut = first > widest / 4 ? first - widest / 4 : 0;
      while (cut < line.size() && continues_character(line[cut])) ++cut;
      line = line.substr(cut, widest);
      first = first >= cut ? first - cut : 0;
    }
    if (!text.empty()) {
      const std::string_view marked = line.substr(first, static_cast<std::size_t>(std::max(d.where.length, 1)));
      const std::size_t carets = std::max<std::size_t>(columns(marked), 1);
      out += fmt::format(" {}{} |{} {}\n", st.gutter, number, st.reset, plain(line, unicode));
      out +=
          fmt::format("{}{}|{} {}{}{}{}\n", margin, st.gutter, st.reset,
                      std::string(columns(line.substr(0, first)), ' '), st.label, std::string(carets, '^'), st.reset);
    }
  } else if (!d.file.empty()) {
    out += fmt::format("  {}-->{} {}\n", st.gutter, st.reset, d.file);
    margin = "  ";
  }
  if (!d.help.empty()) out += fmt::format("{}{}= help:{} {}\n", margin, st.gutter, st.reset, plain(d.help, unicode));
  return out;
}

}  // namespace assay
