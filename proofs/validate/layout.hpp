// layout-bijection: what a program says about where elements lie in memory keeps them apart and inside (spec/layout.md).
#pragma once

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// One obligation for each buffer with a swizzle.
std::vector<Obligation> layout_obligations(const Program& p, Query& query);

}  // namespace assay::derive
