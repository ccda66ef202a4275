// The property of steps that accumulate through partial results over random programs, its statistics, and the planted faults
// that it has to see. ASSAY_FLOW_CASES sets the number of pairs (default 400), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/mutants/accumulation_faults.hpp"
#include "fuzz/targets/flow_property.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

TEST(AccumulationProperty, proved_adds_the_same_terms_and_refuted_does_not) {
  FlowPropertyOptions options;
  options.schema = 'A';
  const char* cases = std::getenv("ASSAY_FLOW_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : 20261130;
  options.pairs = cases ? std::max(50, std::atoi(cases)) : std::getenv("ASSAY_PROPERTY_CASES") ? 100 : 400;
  const FlowPropertyResult r = check_flow_steps(options);
  fmt::print("{}", statistics(r));
  for (std::size_t k = 0; k < r.failures.size() && k < 3; ++k) ADD_FAILURE() << r.failures[k];
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
  for (const StepFault& fault : accumulation_faults()) {
    FlowPropertyOptions options;
    options.schema = 'A';
    options.seed = 7;
    options.pairs = 16;
    options.operation = fault.operation;
    options.fault = &fault;
    const FlowPropertyResult r = check_flow_steps(options);
    refuted[fault.operation] += r.violated > 0 ? 1 : 0;
    shown[fault.operation] += r.same_bits < r.violated ? 1 : 0;
    fmt::print("{}: {}: pairs {}, proved {}, violated {} (equal bits {}), undecided {}\n", fault.operation, fault.name,
               r.pairs, r.proved, r.violated, r.same_bits, r.undecided);
    if (!r.failures.empty()) ADD_FAILURE() << r.failures[0];
    RULE_TRUE("PRF-59", r.failures.empty() && r.pairs > 0 && r.violated + r.undecided > 0)
        << fault.operation << ": " << fault.name;
  }
  for (const auto& [operation, count] : refuted) RULE_TRUE("PRF-59", count >= 5 && shown[operation] >= 5) << operation;
}

}  // namespace
}  // namespace assay::fuzz
