// Planted faults of operations that rewrite expressions (simplify, cse, inline, materialize, onehot, peel).
#pragma once

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

/// At least five for each operation of schema W.
const std::vector<StepFault>& rewrite_faults();

}  // namespace assay::fuzz
