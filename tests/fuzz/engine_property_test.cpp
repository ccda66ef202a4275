// The compiled interpreter against the tree walk, over random programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/mutants/engine_faults.hpp"
#include "fuzz/targets/engine_property.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

int programs() {
  const char* text = std::getenv("ASSAY_PROPERTY_CASES");
  return text != nullptr ? std::max(500, 2 * std::atoi(text)) : 8000;
}
std::uint64_t seed() {
  const char* text = std::getenv("ASSAY_PROPERTY_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20261130;
}

TEST(EngineProperty, compiled_programs_do_what_the_tree_walk_does) {
  const EnginePropertyResult r = check_engines(seed(), programs());
  fmt::print("programs {}, runs {}\n", r.programs, r.runs);
  for (const auto& [end, count] : r.ends) fmt::print("  {} {}\n", end, count);
  for (const std::string& f : r.failures) ADD_FAILURE() << f;
  RULE_TRUE("EXEC-34", r.failures.empty());
  RULE_TRUE("EXEC-35", r.failures.empty());
  if (r.programs < 8000) return;
  // Every end is met, or the generator has gone blind.
  const auto seen = [&](const char* end) { return r.ends.count(end) != 0 ? r.ends.at(end) : 0; };
  EXPECT_GT(seen("ok"), r.runs / 5);
  EXPECT_GT(seen("budget"), r.runs / 5);
  for (const char* end : {"RUN-1", "RUN-2", "RUN-3", "RUN-5", "RUN-6", "RUN-7", "RUN-8", "RUN-9", "race", "marks"})
    EXPECT_GE(seen(end), 20) << end;
}

TEST(EngineProperty, every_planted_fault_makes_it_fail) {
  // A shortened run takes every sixth.
  const std::size_t step = std::getenv("ASSAY_PROPERTY_CASES") != nullptr ? 6 : 1;
  const std::vector<EngineFault> faults = engine_faults();
  for (std::size_t k = 0; k < faults.size(); k += step) {
    const EngineFault& fault = faults[k];
    const EnginePropertyResult r = check_engines(7, 20000, fault.plant);
    RULE_TRUE("EXEC-38", !r.failures.empty()) << fault.name << " (" << r.programs << " programs)";
  }
}

}  // namespace
}  // namespace assay::fuzz
