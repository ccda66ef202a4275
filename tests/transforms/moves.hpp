// Steps that move values, for the tests of operations: what a line makes of a program, and whether that is proved.
#pragma once

#include <string>

#include "steps.hpp"

namespace assay::test {

struct Moved {
  std::optional<Program> after{};  // folded
  std::string text{};              // of its statements
  std::string code{};              // of the refusal, or of the first obligation that is not proved
  bool error = false;
};
/// Applies, validates, folds; the result is well formed and parses back.
Moved moved(const Program& before, const std::string& schedule_line);

}  // namespace assay::test
