// Schema A, accumulation through partial results: contributions go to partial cells, which start at the operator's identity
// and are combined into the target once they are complete.
#pragma once

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// Some new statement accumulates into a buffer of the old program: it combines partial results.
bool combines_partials(const Program& before, const Program& after);

/// The obligations of such a step (PRF-50 to PRF-54).
Validation validate_accumulation(const Program& before, const Program& after, Query& query);

/// Schema R for two programs that have the same statements (PRF-10 to PRF-17).
Validation validate_order(const Program& before, const Program& after, Query& query);

}  // namespace assay::derive
