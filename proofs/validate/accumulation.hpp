// Schema A, accumulation through partial results: contributions go to partial cells, which start at the operator's identity
// and are combined into the target once they are complete.
#pragma once

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// Some new statement accumulates into a buffer or variable of the old program: it combines partial results.
bool combines_partials(const Program& before, const Program& after);

/// The obligations of such a step (PRF-50 to PRF-58).
Validation validate_accumulation(const Program& before, const Program& after, Query& query);

/// Schema R for two programs that have the same statements (PRF-10 to PRF-17). Statements of `gathered` (numbers of `after`)
/// do not store their target themselves: that lanes would all store it at once is no conflict.
Validation validate_order(const Program& before, const Program& after, Query& query,
                          const std::set<int>& gathered = {});

}  // namespace assay::derive
