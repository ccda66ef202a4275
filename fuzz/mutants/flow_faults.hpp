// Planted faults of operations that move values (stage, privatize).
#pragma once

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

/// At least five for each operation of schema F.
const std::vector<StepFault>& flow_faults();

}  // namespace assay::fuzz
