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
/// An integer literal in a place of storage type `to` (rounded once for floats); nothing when an integer type cannot hold it.
std::optional<Scalar> from_integer(Type to, Int128 value);
/// A finite decimal or hexadecimal float literal rounded once (ties to even) to float type `to`. `text` as in the grammar.
std::optional<Scalar> from_float_text(Type to, std::string_view text);

/// The float value as double (exact for every float type); integers and bool as double rounded.
double to_double(Scalar s);
/// Shortest decimal text that parses back to the same value of the same type; "inf", "-inf", "nan"; integers in decimal.
std::string to_text(Scalar s);
Scalar canonical_nan(Type t);

}  // namespace assay::numerics
