// Programs and schedule lines as text, for the tests of operations.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brute.hpp"
#include "enumerating_query.hpp"
#include "ir/traverse.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::test {

/// The program of a text; a failure of the test when it has errors.
Program program(const std::string& text);
/// A program around statements: `inout A: f32[64]`, `inout B: f32[64, 64]`, `input X: f32[64]`, `input Y: f32[64, 64]`,
/// `input flag: i32[64]`, and the given declarations.
Program nest(const std::string& statements, const std::string& declarations = {});
/// The statements of such a program as text, for comparison.
std::string body(const Program& p);
/// `statements` as the printer writes them.
std::string printed(const std::string& statements, const std::string& declarations = {});

ScheduleLine line(const std::string& text);

/// The line applied, without folding; with what the tests of every step check: a well-formed result that parses back,
/// and an execution that is the same (in the same order when `same_order`).
struct Step {
  std::optional<Program> after{};
  std::string code{};  // of the refusal
  bool error = false;  // the refusal is an error, not inapplicable
  Refusal refusal{};
};
Step step(const Program& before, const std::string& schedule_line, bool same_order = true);
/// Guard folding, checked likewise, and for idempotence.
Program fold(const Program& before);
/// All lines in turn, each folded.
Program run(const Program& before, const std::vector<std::string>& lines, bool same_order = true);

/// How many `if`s, and how many loops.
int count(const Program& p, StmtKind kind);
Axis axis_of(const Program& p, const Symbol& loop);

}  // namespace assay::test
