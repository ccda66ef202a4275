// Ranges of operations, and divisions as index values and formulas.
#pragma once

#include "ir/analysis/interval.hpp"
#include "proofs/obligation/formula.hpp"

namespace assay::derive {

/// The mathematical value of an operation may leave its type: two's complement then.
bool fits(const Interval& i, Type type);
Interval product(const Interval& a, const Interval& b);
/// Whether a division gives the quotient.
bool is_quotient(Op op);
/// Quotient by a constant of either sign.
Index constant_quotient(Op op, const Index& s, std::int64_t c);
/// Where the remainder r = s - q*t of a division lies, for t != 0.
Formula remainder_range(Op op, const Index& s, const Index& t, const Index& r);

}  // namespace assay::derive
