// The order of executions: by launches, then by their places in the text and the iterations of serial loops.
#pragma once

#include "proofs/validate/threads.hpp"

namespace assay::derive {

/// Access of x strictly before access of y in canonical order, as far as it matters to a storage with such copies: in an
/// earlier launch, or both in one thread (in one group, where threads share the copy) and by their keys (PLL-2; in a
/// lockstep instance of a @vectorized loop all loads come before all stores). Where threads share a copy, the program must
/// be free of races: then canonical order and keys agree on every pair that meets.
Formula ordered_before(const Instance& x, bool x_writes, const Instance& y, bool y_writes, Copies of);

/// The key of x comes before that of y, whatever their threads: as alternatives, each a list of conditions. The two are in one launch.
std::vector<std::vector<Formula>> earlier_by_key(const Instance& x, bool x_writes, const Instance& y, bool y_writes);

}  // namespace assay::derive
