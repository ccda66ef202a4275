// Scalar arithmetic of the interpreter: every operation at every type, to the bit (spec/numerics.md).
//
// Pure functions on Scalar values. Results that are NaN are the one canonical NaN of the type (NUM-2). Functions that
// are not algebraic (exp … pow) are correctly rounded: a double or long double evaluation decides where a rounding
// test proves it enough, MPFR decides elsewhere.
#pragma once

#include "ir/expr.hpp"
#include "ir/type.hpp"

namespace assay::numerics {

/// What an operation reports beside its value. Operations only ever set flags, so one Flags may collect over several.
struct Flags {
  bool inexact =
      false;  // a float result differs from the exact one: rounded, or overflowed from finite operands (NUM-31)
  bool divide_by_zero = false;  // an integer division by zero (NUM-23): a fault; the value is then meaningless
};

/// One operation at one type: reads as many operands as the operation has, all of the type it was looked up for, or of
/// the types that the operation fixes (TYPE-10).
using Function = Scalar (*)(const Scalar* operands, Flags& flags);

/// The function of `op` for operands of type `operand`, or null where the operation is not defined at the type (NUM-3).
/// Covers lnot, land, lor and everything in Op from `neg` on but `select`. For the operations with a written type
/// (uniform, uniform_lane) `operand` is that type; operation_type of ir/typing.hpp tells it for any node. Look up once,
/// call often.
Function find(Op op, Type operand);
/// The conversion T(x) from `from` (index included) to storage type `to`; null for `to` index, and from and to u32x4.
Function find_convert(Type to, Type from);

/// find(op, operands[0].type)(operands, flags); the operation must be defined at the type and have no written type.
Scalar apply(Op op, const Scalar* operands, Flags& flags);
/// find_convert(to, value.type)(&value, flags); `to` must be a storage type. Index values are int64 two's complement.
Scalar convert(Type to, Scalar value, Flags& flags);

}  // namespace assay::numerics
