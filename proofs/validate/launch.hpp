// Launch coverage: with @grid loops, a statement outside them is executed by every group.
#pragma once

#include "proofs/validate/cases.hpp"
#include "proofs/validate/threads.hpp"

namespace assay::derive {

/// Every store to device memory is under a loop of every grid slot whose extent can exceed one.
Obligation launch_coverage(const View& view, Query& query);

}  // namespace assay::derive
