// The property of steps that accumulate through partial results over random programs, its statistics, and the planted faults
// that it has to see. ASSAY_FLOW_CASES sets the number of pairs (default 400), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/mutants/accumulation_faults.hpp"
#include "fuzz/targets/flow_property.hpp"
#include "property_run.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

TEST(AccumulationProperty, proved_adds_the_same_terms_and_refuted_does_not) {
  FlowPropertyOptions options;
  options.schema = 'A';
  size_run(options, "ASSAY_FLOW_CASES", 400);
  const FlowPropertyResult r = check_flow_steps(options);
  fmt::print("{}", statistics(r));
  expect_none(r.failures);
  RULE_TRUE("PRF-58", r.failures.empty());
  if (r.pairs < 300) {
    fmt::print("fewer than 300 pairs: their shares are not judged\n");
    return;
  }
  EXPECT_GE(r.proved * 100, r.pairs * 30);
  EXPECT_GE(r.traced * 100, r.pairs * 50);
}

TEST(AccumulationProperty, every_planted_fault_is_seen) {
  std::map<std::string, int> refuted, shown;
  FlowPropertyOptions options;
  options.schema = 'A';
  options.pairs = 16;
  const auto judge = [&](const StepFault& fault, const FlowPropertyResult& r) {
    refuted[fault.operation] += r.violated > 0 ? 1 : 0;
    shown[fault.operation] += r.same_bits < r.violated ? 1 : 0;
    fmt::print("{}: {}: pairs {}, proved {}, violated {} (equal bits {}), undecided {}\n", fault.operation, fault.name,
               r.pairs, r.proved, r.violated, r.same_bits, r.undecided);
    RULE_TRUE("PRF-59", r.failures.empty() && r.pairs > 0 && r.violated + r.undecided > 0)
        << fault.operation << ": " << fault.name;
  };
  for (const auto& planted : plant_each(accumulation_faults(), options, check_flow_steps, judge))
    RULE_TRUE("PRF-59", refuted[planted.first] >= 5 && shown[planted.first] >= 5) << planted.first;
}

}  // namespace
}  // namespace assay::fuzz
