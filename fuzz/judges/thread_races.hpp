// A judge of threads by enumeration: runs through every thread of every group at fixed sizes, and compares all pairs of
// accesses.
//
// It shares the access extraction with the proofs and nothing else. Conditions that read data and dynamic indices are not
// covered, nor lanes and @reduce loops.
#pragma once

#include <optional>
#include <string>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::fuzz {

struct ThreadFindings {
  bool uniform = true;  // all threads of each group meet the same barrier instances in the same order
  std::optional<std::string> thread_race;  // two threads of a group, without a barrier between; only where uniform
  std::optional<std::string> group_race;   // two groups of a launch
};

/// Nothing beyond `limit` accesses, and where something is not covered.
std::optional<ThreadFindings> find_thread_races(const Program& p, const ParameterMap& parameters,
                                                std::size_t limit = 4000);

}  // namespace assay::fuzz
