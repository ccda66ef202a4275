// A value that may depend on how a C library computes its functions: one value, or all values of a float type in a range.
//
// A range holds every value that the operations give on values of their operands' ranges: `+ - * /` and the like are
// rounded correctly by whoever executes them, and monotone, so that the ends of a result come from the ends of the operands;
// functions that are only promised up to an error are widened by it (ENC-2).
#pragma once

#include <optional>

#include "interp/numerics.hpp"

namespace assay::interp::enclosure {

struct Range {
  Scalar value{};  // is_exact: the value
  bool is_exact = true;
  bool may_be_nan = false;
  double lo = 0, hi = 0;  // else: of a float type, every value of which a double holds; lo > hi where there is only NaN
};

/// The range of one value.
Range exactly(Scalar s);
/// The operation, or nothing where the ranges leave open what it gives (a comparison, a truncation to an integer).
/// `operands` are as many as the operation has, all of type `operand`.
std::optional<Range> apply(Op op, Type operand, const Range* operands);
std::optional<Range> convert(Type to, const Range& from);
/// Whether an executed value lies in a range. Zeros are equal, and so are NaNs.
bool contains(const Range& r, Scalar executed);

/// The greatest error, in units of the last place of the exact result, granted to a function at f64 (ENC-2).
inline constexpr int granted_ulps = 4;

}  // namespace assay::interp::enclosure
