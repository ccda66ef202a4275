// Index width: emitted index expressions are computed in int64 and must not leave it.
#pragma once

#include "proofs/validate/cases.hpp"

namespace assay::derive {

/// Every index value of the program, and every partial sum of it, fits int64 for all parameter values (interval arithmetic).
Obligation index_width(const View& view);

}  // namespace assay::derive
