// The planted faults of every operation.
#pragma once

#include <vector>

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

/// Of all operations of the registry, those of one operation one after the other.
std::vector<StepFault> all_faults();

}  // namespace assay::fuzz
