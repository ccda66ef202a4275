// Planted faults of schedule operations: what a mistaken implementation would have returned. Each has to be noticed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "transforms/operation.hpp"

namespace assay::fuzz {

struct StepFault {
  std::string operation;
  std::string name;
  /// The faulty result; nothing where the fault has no place in this one.
  std::function<std::optional<Program>(const Program& before, const Program& after, const ScheduleLine& line)> plant;
};

/// At least five for each operation of the registry that rewrites loops.
const std::vector<StepFault>& step_faults();

}  // namespace assay::fuzz
