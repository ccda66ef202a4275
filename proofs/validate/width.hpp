// Index width: emitted index expressions are computed in int64 and must not leave it.
#pragma once

#include "proofs/validate/cases.hpp"

namespace assay::derive {

/// Every index value of the program that is computed, and every partial sum of it, fits int64 for all parameter values:
/// interval arithmetic, with the ranges that loops and affine conditions leave. Where that does not do, the engine is asked
/// whether the place can be reached at all.
Obligation index_width(const View& view, Query& query);

}  // namespace assay::derive
