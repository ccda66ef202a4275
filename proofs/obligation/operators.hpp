// What the operators of accumulations are allowed: the table behind `same-contributions`.
#pragma once

#include <optional>

#include "ir/expr.hpp"

namespace assay {

/// The value e with x ⊕ e = e ⊕ x = x, bit for bit, for every x of the type, NaN included: −0.0 for a float sum, 1 for a
/// product, −infinity for a maximum (the least value of a type without infinities), and the opposite for a minimum; NaN for
/// maxnum and minnum. Nothing for other operators and types.
std::optional<Scalar> identity_of(Op op, Type type);

/// Whether reordering an accumulation of this operator at this type never changes a bit: integers (two's complement), and
/// maxima and minima (those that skip NaN too).
bool reorders_exactly(Op op, Type type);

}  // namespace assay
