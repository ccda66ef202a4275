// Whether a double operation was exact, decided on integers: a finite nonzero double is odd · 2^exponent in one way.
//
// The usual error-free transformations lose their error term to underflow; significands compared as integers do not.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "ir/type.hpp"

namespace assay::numerics {

__extension__ typedef unsigned __int128 UInt128;

/// |x| = odd · 2^exponent for a finite x != 0.
struct Dyadic {
  std::uint64_t odd = 1;
  int exponent = 0;
};

inline Dyadic dyadic(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) significand |= std::uint64_t{1} << 52;
  const int zeros = std::countr_zero(significand);
  return {significand >> zeros, (biased == 0 ? 1 : biased) - 1075 + zeros};
}

inline constexpr int least_exponent = -1074;  // of f64
inline int bit_length(UInt128 v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(v)));
}

/// a + b == sum exactly, for finite a, b and sum = RN(a + b) finite. (Fast2Sum: sum − larger is exact.)
inline bool is_exact_sum(double a, double b, double sum) {
  return std::fabs(a) >= std::fabs(b) ? sum - a == b : sum - b == a;
}

/// RN(a · b) loses nothing; a, b finite and nonzero, the product not an overflow.
inline bool is_exact_product(double a, double b) {
  const Dyadic x = dyadic(a), y = dyadic(b);
  return bit_length(static_cast<UInt128>(x.odd) * y.odd) <= 53 && x.exponent + y.exponent >= least_exponent;
}

/// RN(a / b) loses nothing; a, b finite and nonzero, the quotient not an overflow.
inline bool is_exact_quotient(double a, double b) {
  const Dyadic x = dyadic(a), y = dyadic(b);
  return x.odd % y.odd == 0 && x.exponent - y.exponent >= least_exponent;
}

/// root · root == x for root = RN(√x); x finite and positive.
inline bool is_exact_root(double x, double root) {
  const Dyadic square = dyadic(x), r = dyadic(root);
  return r.odd < std::uint64_t{1} << 32 && r.odd * r.odd == square.odd && 2 * r.exponent == square.exponent;
}

/// RN(a · b + c) loses nothing; all finite and nonzero, the result not an overflow.
inline bool is_exact_fma(double a, double b, double c) {
  const Dyadic x = dyadic(a), y = dyadic(b), z = dyadic(c);
  const UInt128 product = static_cast<UInt128>(x.odd) * y.odd;
  const int exponent = x.exponent + y.exponent;
  const int least = exponent < z.exponent ? exponent : z.exponent;
  // In units of 2^least one term is odd and below 2^106, the other is shifted left. Once that one has 109 bits the
  // sum has more than 53 and, being odd, needs them all; below, everything fits in 128 bits.
  const int product_shift = exponent - least, addend_shift = z.exponent - least;
  if (bit_length(product) + product_shift > 109 || bit_length(z.odd) + addend_shift > 109) return false;
  const auto p = static_cast<Int128>(product << product_shift);
  const auto q = static_cast<Int128>(static_cast<UInt128>(z.odd) << addend_shift);
  const bool product_negative = std::signbit(a) != std::signbit(b);
  const Int128 sum = (product_negative ? -p : p) + (std::signbit(c) ? -q : q);
  if (sum == 0) return true;
  const auto magnitude = static_cast<UInt128>(sum < 0 ? -sum : sum);
  const auto low = static_cast<std::uint64_t>(magnitude);
  const int zeros =
      low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(magnitude >> 64));
  return bit_length(magnitude) - zeros <= 53 && least + zeros >= least_exponent;
}

/// The double sum of a and b, rounded to odd where it is inexact: rounding that once more, to a format at least two
/// bits narrower, gives the correctly rounded sum. No overflow may occur.
struct OddSum {
  double value = 0;
  bool exact = true;
};
inline OddSum sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return {sum, true};  // an operand was infinite or NaN
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  if (error == 0) return {sum, true};
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -std::uint64_t{1};
  return {std::bit_cast<double>(bits), false};
}

}  // namespace assay::numerics
