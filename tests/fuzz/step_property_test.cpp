// The property of schedule steps over random programs, its statistics, and the planted faults that must make it fail.
// ASSAY_PROPERTY_CASES sets the number of pairs (default 6000; a sanitizer build runs fewer), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/mutants/step_faults.hpp"
#include "fuzz/targets/step_property.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

// The operations that reorder; those that move values have a property of their own.
constexpr const char* reordering[] = {"split",    "swap",        "retype",  "unroll",    "partition",    "pad",
                                      "coalesce", "expand_zero", "fission", "tensorize", "fuse_epilogue"};

int property_cases() {
  const char* text = std::getenv("ASSAY_PROPERTY_CASES");
  return text ? std::max(50, std::atoi(text)) : 6000;
}

TEST(StepProperty, proved_runs_equal_and_refuted_is_broken) {
  StepPropertyOptions options;
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : 20261130;
  options.pairs = property_cases();
  const StepPropertyResult r = check_steps(options);
  fmt::print(
      "pairs {}: proved {} ({:.1f}%), violated {} ({:.1f}%; {} of them equal on every input tried), undecided {}, "
      "inapplicable {}, errors {}\n",
      r.pairs, r.proved, 100.0 * r.proved / r.pairs, r.violated, 100.0 * r.violated / r.pairs, r.violated_but_equal,
      r.undecided, r.inapplicable, r.errors);
  fmt::print("programs discarded {}; comparisons {}, of which not comparable {}\n", r.discarded, r.compared,
             r.incomparable);
  int needless = 0;
  for (const auto& [obligation, count] : r.needless) {
    fmt::print("  needlessly undecided steps: {} {}\n", obligation, count);
    needless += count;
  }
  int needless_lint = 0;
  for (const auto& [obligation, count] : r.needless_lint) {
    fmt::print("  needlessly undecided programs: {} {}\n", obligation, count);
    needless_lint += count;
  }
  fmt::print("needlessly undecided: {} of {} steps, {} of {} programs\n", needless, r.pairs, needless_lint, r.linted);
  for (const auto& [op, n] : r.operations)
    fmt::print("  {}: proved {}, violated {}, undecided {}, refused {}\n", op, n.proved, n.violated, n.undecided,
               n.refused);
  for (const auto& [code, count] : r.codes) fmt::print("  {} {}\n", code, count);
  for (const auto& [axis, count] : r.axes) fmt::print("  loops {} {}\n", axis, count);
  for (std::size_t k = 0; k < r.failures.size() && k < 5; ++k) ADD_FAILURE() << r.failures[k];
  RULE_TRUE("PRF-13", r.failures.empty());
  RULE_TRUE("PRF-30", r.failures.empty());
  EXPECT_GE(r.proved * 100, r.pairs * 30);
  EXPECT_GE(r.violated * 100, r.pairs * 10);
  EXPECT_LT(r.incomparable, r.compared / 2);
  if (r.pairs < 6000) {
    fmt::print("fewer than 6000 pairs: the counts of codes and loop kinds are not judged\n");
    return;
  }
  for (const char* operation : reordering) {
    const auto n = r.operations.find(operation);
    ASSERT_TRUE(n != r.operations.end()) << operation;
    EXPECT_GE(n->second.proved, 20) << operation;
    EXPECT_GE(n->second.refused, 8) << operation;
  }
  for (const char* axis : {"serial", "grid", "workgroup", "reduce", "unrolled", "vectorized", "tile"})
    EXPECT_GE(r.axes.count(axis) ? r.axes.at(axis) : 0, 20) << axis;
  for (const char* code : {"DEP-1", "DEP-2", "DEP-3", "DEP-4", "IND-1", "IND-2", "RACE-1", "COV-1", "PRIV-1", "SWP-1",
                           "UNR-3", "SCH-15"}) {
    EXPECT_GE(r.codes.count(code) ? r.codes.at(code) : 0, 20) << code;
  }
}

TEST(StepProperty, every_planted_fault_makes_it_fail) {
  std::map<std::string, int> per_operation;
  for (const StepFault& fault : step_faults()) {
    StepPropertyOptions options;
    options.seed = 7;
    options.pairs = 400;
    options.operation = fault.operation;
    options.fault = fault.plant;
    options.stop_at_failure = true;
    const StepPropertyResult r = check_steps(options);
    ++per_operation[fault.operation];
    RULE_TRUE("PRF-31", !r.failures.empty()) << fault.operation << ": " << fault.name << " (" << r.pairs << " pairs)";
  }
  for (const char* operation : reordering) EXPECT_GE(per_operation[operation], 5) << operation;
}

// The other judges alone: no obligation is derived.
TEST(StepProperty, executions_alone_find_planted_faults) {
  std::map<std::string, int> found;
  for (const StepFault& fault : step_faults()) {
    StepPropertyOptions options;
    options.seed = 7;
    options.pairs = 150;
    options.operation = fault.operation;
    options.fault = fault.plant;
    options.stop_at_failure = true;
    options.executions_alone = true;
    const StepPropertyResult r = check_steps(options);
    if (!r.failures.empty()) ++found[fault.operation];
    if (r.failures.empty()) fmt::print("not seen by running: {}: {}\n", fault.operation, fault.name);
  }
  for (const char* operation : reordering) RULE_TRUE("PRF-31", found[operation] >= 5) << operation;
}

}  // namespace
}  // namespace assay::fuzz
