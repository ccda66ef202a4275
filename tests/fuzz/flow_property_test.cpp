// The property of steps that move values over random programs, its statistics, and the planted faults that it has to see.
// ASSAY_FLOW_CASES sets the number of pairs (default 600), ASSAY_PROPERTY_SEED the seed.
#include "fuzz/targets/flow_property.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/mutants/flow_faults.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

TEST(FlowProperty, proved_computes_the_same_and_refuted_does_not) {
  FlowPropertyOptions options;
  const char* cases = std::getenv("ASSAY_FLOW_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : 20261130;
  options.pairs = cases ? std::max(50, std::atoi(cases)) : std::getenv("ASSAY_PROPERTY_CASES") ? 100 : 600;
  const FlowPropertyResult r = check_flow_steps(options);
  fmt::print("{}", statistics(r));
  for (std::size_t k = 0; k < r.failures.size() && k < 3; ++k) ADD_FAILURE() << r.failures[k];
  RULE_TRUE("PRF-47", r.failures.empty());
  if (r.pairs < 300) {
    fmt::print("fewer than 300 pairs: their shares are not judged\n");
    return;
  }
  EXPECT_GE(r.proved * 100, r.pairs * 30);
  EXPECT_GE(r.violated * 100, r.pairs * 10);
  EXPECT_GE(r.traced * 100, r.pairs * 50);
}

TEST(FlowProperty, every_planted_fault_is_seen) {
  std::map<std::string, int> faults;
  // A shortened run takes every fourth.
  const std::size_t step = std::getenv("ASSAY_PROPERTY_CASES") != nullptr ? 4 : 1;
  const std::vector<StepFault>& all = flow_faults();
  for (std::size_t k = 0; k < all.size(); k += step) {
    const StepFault& fault = all[k];
    FlowPropertyOptions options;
    options.seed = 7;
    options.pairs = 24;
    options.operation = fault.operation;
    options.fault = &fault;
    const FlowPropertyResult r = check_flow_steps(options);
    ++faults[fault.operation];
    fmt::print("{}: {}: pairs {}, proved {}, violated {} (equal bits {}), undecided {}\n", fault.operation, fault.name,
               r.pairs, r.proved, r.violated, r.same_bits, r.undecided);
    if (!r.failures.empty()) ADD_FAILURE() << r.failures[0];
    // The obligations refute it, and executions show it.
    RULE_TRUE("PRF-48", r.failures.empty() && r.violated * 5 >= r.pairs && r.same_bits < r.violated)
        << fault.operation << ": " << fault.name;
  }
  if (step > 1) return;
  for (const auto& [operation, count] : faults) EXPECT_GE(count, 5) << operation;
}

}  // namespace
}  // namespace assay::fuzz
