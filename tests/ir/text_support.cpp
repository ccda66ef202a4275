// See the header.
#include "text_support.hpp"

#include <gtest/gtest.h>

namespace assay::test {

Marked marked(std::string_view text) {
  Marked m;
  int line = 1;
  int column = 1;
  int marks = 0;
  for (const char c : text) {
    if (c == '~') {
      if (++marks == 1) m.where = {line, column, 0};
      if (marks == 2) m.where.length = column - m.where.column;
      continue;
    }
    m.text += c;
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
  }
  return m;
}

std::vector<Diagnostic> errors(std::string_view text, const std::string& path) {
  const auto parsed = parse_source(text, path);
  return parsed ? std::vector<Diagnostic>() : parsed.error();
}

bool has_error(std::string_view marked_text, std::string_view code, const std::string& path) {
  const Marked m = marked(marked_text);
  const auto found = errors(m.text, path);
  const bool good = found.size() == 1 && found[0].code == code && found[0].file == path &&
                    found[0].where.line == m.where.line && found[0].where.column == m.where.column &&
                    found[0].where.length == m.where.length;
  if (!good)
    ADD_FAILURE() << "wanted " << code << " at the mark in\n" << marked_text << "\ngot\n" << shown(m.text, path);
  return good;
}

std::string first_code(std::string_view text, const std::string& path) {
  const auto found = errors(text, path);
  return found.empty() ? std::string() : found[0].code;
}

std::string help_of(std::string_view text, const std::string& path) {
  const auto found = errors(text, path);
  return found.size() == 1 ? found[0].help : "(" + std::to_string(found.size()) + " errors)";
}

std::string around(std::string_view statements) {
  return "program p { param n in 1..9 inout A: f32[8, 8] inout B: f32[8] inout I: i32[8] output O: i8[8]\n" +
         std::string(statements) + "\n}\n";
}

Program program_of(std::string_view text) {
  const auto parsed = parse_source(text, "t.air");
  if (!parsed || parsed->programs.empty()) {
    ADD_FAILURE() << "does not parse:\n" << shown(text);
    return {};
  }
  return parsed->programs[0];
}

std::string printed(std::string_view statements) {
  std::string out;
  for (const Stmt& s : program_of(around(statements)).body) {
    if (!out.empty()) out += "\n";
    out += print(s, 0);
  }
  return out;
}

std::string shown(std::string_view text, const std::string& path) {
  std::string out;
  for (const Diagnostic& d : errors(text, path)) out += render(d, text, false, true);
  return out;
}

}  // namespace assay::test
