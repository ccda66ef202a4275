// Schedules of up to eight steps of all operations over random programs. ASSAY_SEQUENCE_CASES sets their number (default 400;
// `scripts/long-tests.sh sequences` draws 5000), ASSAY_PROPERTY_SEED the seed.
#include "fuzz/targets/sequence_property.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/mutants/flow_faults.hpp"
#include "fuzz/mutants/step_faults.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

int sequence_cases() {
  if (const char* text = std::getenv("ASSAY_SEQUENCE_CASES")) return std::max(20, std::atoi(text));
  return std::getenv("ASSAY_PROPERTY_CASES") != nullptr ? 60 : 400;
}

TEST(SequenceProperty, LegalSchedulesLeaveTheSameBits) {
  SequencePropertyOptions options;
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : 20261130;
  options.sequences = sequence_cases();
  const SequencePropertyResult r = check_sequences(options);
  fmt::print("sequences {}: exact {}, reordered {}; runs compared {}\n", r.sequences, r.exact, r.reordered, r.compared);
  for (const auto& [verdict, n] : r.verdicts) fmt::print("  {} {}\n", verdict, n);
  for (const auto& [length, n] : r.lengths) fmt::print("  with {} legal steps: {}\n", length, n);
  for (const auto& [operation, n] : r.steps) fmt::print("  {}: {} legal\n", operation, n);
  for (const auto& [code, n] : r.open) fmt::print("  lint of the last program undecided: {} {}\n", code, n);
  for (std::size_t k = 0; k < r.failures.size() && k < 3; ++k) ADD_FAILURE() << r.failures[k];
  RULE_TRUE("PRF-34", r.failures.empty());
  if (r.sequences < 400) {
    fmt::print("fewer than 400 sequences: their shares are not judged\n");
    return;
  }
  const auto of = [](const auto& map, const auto& key) { return map.count(key) != 0 ? map.at(key) : 0; };
  EXPECT_GE(of(r.verdicts, "legal") * 100, r.sequences * 60);
  int long_ones = 0;
  for (const auto& [length, n] : r.lengths) long_ones += length >= 5 ? n : 0;
  EXPECT_GE(long_ones * 100, r.sequences * 20);
  // Every operation of the registry takes part.
  for (const OperationEntry& e : operations())
    EXPECT_GE(of(r.steps, e.declaration.name) * 200, r.sequences) << e.declaration.name;
}

// The prover lies: whatever a fault made of the result passes for proved. Interpretation alone has to contradict it.
TEST(SequenceProperty, FaultsInAnyStepAreContradicted) {
  int seen = 0, planted = 0;
  const std::size_t step = std::getenv("ASSAY_PROPERTY_CASES") != nullptr ? 21 : 7;
  for (const auto& faults : {step_faults(), flow_faults()}) {
    for (std::size_t k = 0; k < faults.size(); k += step) {
      const StepFault& fault = faults[k];
      SequencePropertyOptions options;
      options.seed = 3;
      options.sequences = 60;
      options.most_steps = 4;
      options.operation = fault.operation;
      options.fault = [&fault](const Program& before, const Program& after, const ScheduleLine& line) {
        return line.op == fault.operation ? fault.plant(before, after, line) : std::nullopt;
      };
      ++planted;
      seen += check_sequences(options).failures.empty() ? 0 : 1;
    }
  }
  fmt::print("{} of {} faults contradicted\n", seen, planted);
  RULE_TRUE("PRF-34", seen * 2 >= planted);
}

}  // namespace
}  // namespace assay::fuzz
