// Variables that stand for an expression: set once, where they are declared, to what nothing changes.
#pragma once

#include "ir/analysis/access.hpp"

namespace assay::derive {

/// An extraction of `p` in which such variables are replaced in indices, conditions and divisors by the expressions that they
/// were set to (PRF-118). The accesses that read the variables stay.
Extraction settled(const Program& p, Extraction extraction);

}  // namespace assay::derive
