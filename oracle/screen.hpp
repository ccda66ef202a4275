// Answers as text for people (design/screens.md; CLI-2, CLI-5).
#pragma once

#include <string>

#include "oracle/report.hpp"

namespace assay::oracle {

struct ScreenStyle {
  bool colour = false;
  bool unicode = false;
  bool verbose = false;  // no limit on the number of lines
};
inline constexpr std::size_t screen_lines = 30;

/// The whole screen, with a final newline. The last line begins with the verdict word.
std::string to_screen(const Report& r, const ScreenStyle& style);
/// The last line alone, without a newline.
std::string verdict_line(const Report& r);

}  // namespace assay::oracle
