// The planted faults of every operation of the registry as a table: how many were planted, caught by the derived obligations (some is
// violated, or undecided, though without the fault all are proved), and seen by executions alone. ASSAY_PLANTED_OPERATION names one operation, ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/targets/planted_property.hpp"
#include "property_run.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

TEST(PlantedOperations, five_of_each_are_not_proved_and_five_show) {
  const char* only = std::getenv("ASSAY_PLANTED_OPERATION");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const auto line = [](const auto& name, const auto& planted, const auto& caught, const auto& refuted,
                       const auto& seen) {
    return fmt::format("{:<16}{:>8}{:>13}{:>20}{:>12}\n", name, planted, caught, refuted, seen);
  };
  std::string table = line("operation", "planted", "obligations", "of these with proof", "executions");
  std::size_t number = 0;
  for (const OperationEntry& e : operations()) {
    const std::string& name = e.declaration.name;
    if (only != nullptr && name != only) continue;
    // A shortened run takes every fourth operation.
    if (only == nullptr && is_shortened() && number++ % 4 != 0) continue;
    const PlantedResult r = check_planted(name, seed != nullptr ? std::strtoull(seed, nullptr, 10) : 7, 4, 3000);
    expect_none(r.failures);
    int planted = 0, caught = 0, refuted = 0, seen = 0;
    for (const PlantedFault& f : r.faults) {
      planted += f.planted > 0 ? 1 : 0;
      caught += f.refuted + f.open > 0 ? 1 : 0;
      refuted += f.refuted > 0 ? 1 : 0;
      seen += f.seen > 0 ? 1 : 0;
      if (f.refuted + f.open == 0 || f.seen == 0)
        fmt::print("{}: {}: planted {}, refuted {}, undecided {}, proved {}, seen {}\n", name, f.name, f.planted,
                   f.refuted, f.open, f.accepted, f.seen);
    }
    table += line(name, planted, caught, refuted, seen);
    RULE_TRUE("PRF-130", r.failures.empty() && caught >= 5 && seen >= 5) << name << " (" << r.draws << " programs)";
  }
  fmt::print("{}", table);
}

}  // namespace
}  // namespace assay::fuzz
