// The parts of the operation table: each file of arithmetic offers the functions of its own family.
#pragma once

#include "interp/numerics.hpp"

namespace assay::numerics {

/// + − × / fma sqrt recip, signs, comparisons, maxima, rounding to integral values, at float types; else null.
Function find_float_arithmetic(Op op, Type operand);
/// exp exp2 log log2 sin cos tanh rsqrt pow at float types; else null.
Function find_float_function(Op op, Type operand);
/// Everything that integers can do; else null.
Function find_integer_arithmetic(Op op, Type operand);
/// ! && || == != at bool; else null.
Function find_bool_arithmetic(Op op, Type operand);

/// f8e5m2_sat f8e4m3fn_nosat from every number; else null.
Function find_ruled_conversion(Op op, Type operand);
/// u32x4(…) word == != threefry at blocks and their words, uniform and uniform_lane by result type; else null.
Function find_random_function(Op op, Type type);

}  // namespace assay::numerics
