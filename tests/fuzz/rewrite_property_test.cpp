// The property of steps that rewrite expressions over random programs, its statistics, and the planted faults that it has to
// see. ASSAY_REWRITE_CASES sets the number of pairs (default 400), ASSAY_PROPERTY_SEED the seed;
// ASSAY_REWRITE_OPERATION takes one operation alone and prints what was refused needlessly.
#include "fuzz/targets/rewrite_property.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/mutants/rewrite_faults.hpp"
#include "property_run.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

TEST(RewriteProperty, proved_runs_the_same) {
  RewritePropertyOptions options;
  size_run(options, "ASSAY_REWRITE_CASES", 400);
  const char* alone = std::getenv("ASSAY_REWRITE_OPERATION");
  if (alone) options.operation = alone;
  const RewritePropertyResult r = check_rewriting_steps(options);
  fmt::print(
      "pairs {} (lines refused {}): proved {}, violated {}, undecided {} (equal bits {}); not proved and different "
      "{}\n",
      r.pairs, r.refused, r.proved, r.violated, r.undecided, r.needless, r.differing);
  for (const auto& [operation, count] : r.proved_by) fmt::print("  {} proved {}\n", operation, count);
  for (const auto& [code, count] : r.codes) fmt::print("  {} {}\n", code, count);
  expect_none(r.failures);
  RULE_TRUE("PRF-75", r.failures.empty());
  EXPECT_GE(r.proved * 100, r.pairs * 60);
  if (alone) {
    for (const std::string& line : r.needless_lines) fmt::print("needless: {}\n", line);
  }
  if (r.pairs < 300 || alone) {
    fmt::print("fewer than 300 pairs, or of one operation: the share of each operation is not judged\n");
    return;
  }
  for (const char* operation : {"simplify", "cse", "inline", "materialize", "onehot", "peel"})
    EXPECT_GE(r.proved_by.count(operation) ? r.proved_by.at(operation) : 0, 15) << operation;
}

TEST(RewriteProperty, proved_runs_the_same_in_threads) {
  const char* cases = std::getenv("ASSAY_REWRITE_CASES");
  int pairs = 0, violated = 0, seen = 0;
  std::map<std::string, int> proved_by;
  // What `inline` moves to other threads is what may go wrong.
  for (const char* operation : {"", "inline", "onehot"}) {
    RewritePropertyOptions options;
    options.seed = 20261130;
    options.pairs = cases ? std::max(50, std::atoi(cases)) : std::getenv("ASSAY_PROPERTY_CASES") ? 60 : 120;
    options.operation = operation;
    options.threads = true;
    const RewritePropertyResult r = check_rewriting_steps(options);
    fmt::print(
        "threads: pairs {} (lines refused {}): proved {}, violated {}, undecided {}; not proved and different {}\n",
        r.pairs, r.refused, r.proved, r.violated, r.undecided, r.differing);
    for (const auto& [code, count] : r.codes) fmt::print("  {} {}\n", code, count);
    expect_none(r.failures);
    RULE_TRUE("PLL-23", r.failures.empty() && r.undecided == 0)
        << (r.needless_lines.empty() ? std::string() : r.needless_lines.front());
    for (const auto& [name, count] : r.proved_by) proved_by[name] += count;
    pairs += r.pairs;
    violated += r.violated;
    seen += r.differing;
  }
  EXPECT_GE(violated, pairs / 60);
  EXPECT_GE(seen, violated / 2);
  for (const char* operation : {"simplify", "cse", "inline", "onehot"})
    EXPECT_GE(proved_by[operation], 10) << operation;
}

TEST(RewriteProperty, every_planted_fault_is_seen_in_threads) {
  const std::vector<StepFault>& all = rewrite_faults();
  for (std::size_t k = 0; k < all.size(); k += 3) {
    RewritePropertyOptions options;
    options.seed = 7;
    options.pairs = 8;
    options.operation = all[k].operation;
    options.fault = &all[k];
    options.threads = true;
    const RewritePropertyResult r = check_rewriting_steps(options);
    if (!r.failures.empty()) ADD_FAILURE() << r.failures[0];
    RULE_TRUE("PLL-23", r.pairs > 0 && r.failures.empty() && r.differing * 5 >= r.pairs)
        << all[k].operation << ": " << all[k].name;
  }
}

TEST(RewriteProperty, every_planted_fault_is_seen) {
  RewritePropertyOptions options;
  options.pairs = 16;
  const auto judge = [](const StepFault& fault, const RewritePropertyResult& r) {
    fmt::print("{}: {}: pairs {}, proved {}, violated {}, undecided {}, not proved and different {}\n", fault.operation,
               fault.name, r.pairs, r.proved, r.violated, r.undecided, r.differing);
    const int share = fault.operation == "peel" ? 2 : 5;  // faults of peel are planted only where they are observed
    // It is not proved, and executions show it.
    RULE_TRUE("PRF-76", r.pairs > 0 && r.failures.empty() && r.differing * share >= r.pairs)
        << fault.operation << ": " << fault.name;
  };
  for (const auto& [operation, count] : plant_each(rewrite_faults(), options, check_rewriting_steps, judge))
    EXPECT_GE(count, 5) << operation;
}

}  // namespace
}  // namespace assay::fuzz
