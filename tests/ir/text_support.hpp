// Helpers for tests of texts: errors with the place that the test marks in the text itself, and whole round trips.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/text/source.hpp"

namespace assay::test {

/// A text in which `~…~` marks a place: the marks removed, and the place.
struct Marked {
  std::string text{};
  Location where{};
};
Marked marked(std::string_view text);

/// The messages of a text, empty when it parses. The path decides the sort of the text (SYN-15).
std::vector<Diagnostic> errors(std::string_view text, const std::string& path = "t.air");
/// Whether the text has exactly one error, of this code and at the marked place.
bool has_error(std::string_view marked_text, std::string_view code, const std::string& path = "t.air");
/// The code of the first error, empty without one.
std::string first_code(std::string_view text, const std::string& path = "t.air");
/// The only help of a text with one error.
std::string help_of(std::string_view text, const std::string& path = "t.air");
/// A program around statements: `inout A: f32[8, 8]`, `inout B: f32[8]`, `inout I: i32[8]`, `output O: i8[8]`, `param n in 1..9`.
std::string around(std::string_view statements);
/// The first program of a text that must parse.
Program program_of(std::string_view text);
/// The printed statements of `around(statements)`, on one line each.
std::string printed(std::string_view statements);
/// All messages, as a user sees them.
std::string shown(std::string_view text, const std::string& path = "t.air");

}  // namespace assay::test
