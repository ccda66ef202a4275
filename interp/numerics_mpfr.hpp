// Functions rounded by MPFR: the judge where a double or long double evaluation cannot decide a rounding (NUM-16).
#pragma once

#include "interp/numerics_format.hpp"
#include "ir/expr.hpp"

namespace assay::numerics {

/// The function `op` (exp exp2 log log2 sin cos tanh rsqrt pow) of x, or of x and y, correctly rounded to float type
/// `format`. Operands are values of that type, finite, and in the function's domain. Leaves MPFR's settings as they
/// were.
Rounded round_by_mpfr(Op op, Type format, double x, double y = 0);

}  // namespace assay::numerics
