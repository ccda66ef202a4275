// The property of whole schedules: what `check` calls legal leaves the bits of the source program, is well formed and lints
// as clean as the source.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transforms/operation.hpp"

namespace assay::fuzz {

struct SequencePropertyOptions {
  std::uint64_t seed = 1;
  int sequences = 5000;
  int most_steps = 8;
  std::string operation{};  // that every program is drawn for; empty: each operation in turn, for every second program
  /// Changes the result of a step that is taken as proved all the same: a planted fault. Empty: none.
  std::function<std::optional<Program>(const Program& before, const Program& after, const ScheduleLine&)> fault{};
};

struct SequencePropertyResult {
  int sequences = 0;                      // right random programs with at least one step
  std::map<int, int> lengths{};           // how many had so many legal steps
  std::map<std::string, int> verdicts{};  // of `check`
  std::map<std::string, int> steps{};     // legal steps by operation
  std::map<std::string, int> open{};      // obligations that lint leaves undecided in the final program, by code
  int exact = 0, reordered = 0;           // legal sequences by licence
  int compared = 0;                       // runs of source and final program that were compared bit for bit
  std::vector<std::string> failures{};    // program, schedule, what went wrong
};

SequencePropertyResult check_sequences(const SequencePropertyOptions& options);

}  // namespace assay::fuzz
