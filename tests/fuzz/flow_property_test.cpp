// The property of steps that move values over random programs, its statistics, and the planted faults that it has to see.
// ASSAY_FLOW_CASES sets the number of pairs (default 600), ASSAY_PROPERTY_SEED the seed.
#include "fuzz/targets/flow_property.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/mutants/flow_faults.hpp"
#include "property_run.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

TEST(FlowProperty, proved_computes_the_same_and_refuted_does_not) {
  FlowPropertyOptions options;
  size_run(options, "ASSAY_FLOW_CASES", 600);
  const FlowPropertyResult r = check_flow_steps(options);
  fmt::print("{}", statistics(r));
  expect_none(r.failures);
  RULE_TRUE("PRF-47", r.failures.empty());
  if (r.pairs < 300) {
    fmt::print("fewer than 300 pairs: their shares are not judged\n");
    return;
  }
  EXPECT_GE(r.proved * 100, r.pairs * 30);
  EXPECT_GE(r.violated * 100, r.pairs * 5);
  EXPECT_GE(r.traced * 100, r.pairs * 50);
}

TEST(FlowProperty, every_planted_fault_is_seen) {
  FlowPropertyOptions options;
  options.pairs = 24;
  const auto judge = [](const StepFault& fault, const FlowPropertyResult& r) {
    fmt::print("{}: {}: pairs {}, proved {}, violated {} (equal bits {}), undecided {}\n", fault.operation, fault.name,
               r.pairs, r.proved, r.violated, r.same_bits, r.undecided);
    // The obligations refute it, and executions show it.
    RULE_TRUE("PRF-48", r.failures.empty() && r.violated * 5 >= r.pairs && r.same_bits < r.violated)
        << fault.operation << ": " << fault.name;
  };
  for (const auto& [operation, count] : plant_each(flow_faults(), options, check_flow_steps, judge))
    EXPECT_GE(count, 5) << operation;
}

}  // namespace
}  // namespace assay::fuzz
