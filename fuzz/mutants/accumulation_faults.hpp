// Planted faults of operations that accumulate through partial results (split_reduce, lanes of a reduction).
#pragma once

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

/// At least five for each operation of schema A.
const std::vector<StepFault>& accumulation_faults();

}  // namespace assay::fuzz
