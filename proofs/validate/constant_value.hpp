// The value of an integer expression of constants.
#pragma once

#include <optional>

#include "ir/analysis/interval.hpp"
#include "ir/expr.hpp"

namespace assay::derive {

/// The value of an integer or truth value that is computed from constants alone, with the wrapping of each type (NUM-17 to
/// NUM-29) and the seven divisions; nothing where something is read, or where a divisor is zero.
std::optional<Int128> constant_value(const Expr& e);

/// What the comparison gives for all values of the two ranges, where that is one truth value.
std::optional<bool> decided_comparison(Op op, const Interval& a, const Interval& b);

}  // namespace assay::derive
