// A `zero` statement, or a part of one, as the loops that it stands for.
#pragma once

#include <vector>

#include "ir/program.hpp"

namespace assay {

/// Indices from `lo` up to but not including `hi`.
struct CellRange {
  Index lo, hi;
};

/// Serial loops over the ranges, one for each dimension of `buffer`, around a store of zero; all claims to come from `zero`.
/// The loops are called as `given`, or, where that is empty, `BUFFER_z0`, `BUFFER_z1`, …, each in its next free form.
Stmt zero_nest(const Stmt& zero, const Buffer& buffer, const std::vector<CellRange>& ranges,
               const std::vector<Symbol>& given, NameSupply& names);

}  // namespace assay
