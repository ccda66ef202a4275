// Telling values of a type: the special ones, and the layout of float patterns. Shared by input generators and law
// checks.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/type.hpp"

namespace assay::interp {

/// The fields of a float pattern, from the top: sign, exponent (biased), stored significand.
struct FloatLayout {
  int stored_bits = 23;
  int bias = 127;
  std::uint64_t nan = 0x7fc00000;
  std::uint64_t largest = 0x7f7fffff;  // the greatest finite value
  /// All exponent bits: the pattern of +∞ where there is one.
  constexpr std::uint64_t all_exponent() const { return (2 * static_cast<std::uint64_t>(bias) + 1) << stored_bits; }
  constexpr std::uint64_t sign() const { return all_exponent() + (std::uint64_t{1} << stored_bits); }
};
/// For float types only.
FloatLayout float_layout(Type t);

/// value · 2^exponent at float type t, rounded once.
Scalar float_value(Type t, double value, int exponent);

/// Floats: ±0, ±∞ (where there is one), NaN, ±1, ± largest, ± least normal, ± greatest and least subnormal. Integers: 0,
/// ±1, both ends and their neighbours. bool: both. u32x4: no bits, all bits, and single ones. The most telling ones come
/// first.
std::vector<Scalar> special_values(Type t);

/// special_values and many more values at which laws tend to fail: powers of two and their neighbours over the whole
/// range, half units, small integers (all of −20 … 20 and around ±128 and ±256 where the type has them); at the floats of
/// 8 bits all patterns.
std::vector<Scalar> boundary_values(Type t);

}  // namespace assay::interp
