// Scalar arithmetic of the interpreter: every operation at every type, to the bit (spec/numerics.md).
//
// Pure functions on Scalar values. Results that are NaN are the one canonical NaN of the type (NUM-2). Functions that are
// not algebraic (exp … pow) are correctly rounded: a double or long double evaluation decides where a rounding test proves
// it enough, MPFR decides elsewhere.
#pragma once

#include <vector>

#include "ir/expr.hpp"
#include "ir/type.hpp"

namespace assay::numerics {

/// What an operation reports beside its value.
struct Flags {
  bool inexact = false;        // a float result was rounded, or overflowed to infinity from finite operands
  bool divide_by_zero = false; // an integer division by zero: a fault (DIV-1); the value is then meaningless
};

/// The value of a one-to-three-operand operation (everything in Op from `neg` on, but `select`; and `lnot`). Operands have
/// the types that well-formedness demands. Comparisons return bool. Not for Type::index (see Index and interp).
Scalar apply(Op op, const Scalar* operands, Flags& flags);
/// T(x), from any type (index included) to any storage type; `index` operands are int64 two's complement.
Scalar convert(Type to, Scalar value, Flags& flags);

}  // namespace assay::numerics
