// f16, bf16 and the floats of 8 bits computed in float: a sum, difference or product of two of them, rounded to float and then to the type, is
// the one rounded once (a float has more than twice as many bits, plus two), but for products of bf16 that are subnormal
// as floats, which go through a double rounded to odd. The loops have no branches, so that compilers can use vector units.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace assay::interp::compiled {

inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float float_of(std::uint32_t b) { return std::bit_cast<float>(b); }

/// A format with fewer exponent bits than a float: `stored` significand bits, and whether the pattern with all exponent bits
/// is an infinity; f8e4m3fn, without one, has a NaN where an infinity would be.
template <typename Bits, int stored, int bias, bool infinite>
struct Small {
  using Storage = Bits;
  static constexpr int shift = 23 - stored;
  static constexpr std::uint32_t sign_bit = std::uint32_t{1} << (8 * sizeof(Bits) - 1);
  static constexpr std::uint32_t infinity = ((std::uint32_t{1} << (8 * sizeof(Bits) - 1 - stored)) - 1) << stored;
  static constexpr std::uint32_t nan = infinite ? infinity | (1U << (stored - 1)) : sign_bit - 1;
  // As floats: the least normal value, the least magnitude that rounds beyond the largest value, and the power of two whose
  // last place is the least value of the type, which rounds what is added to it.
  static constexpr std::uint32_t least_normal = std::uint32_t{127 + 1 - bias} << 23;
  static constexpr std::uint32_t beyond =
      infinite ? (std::uint32_t{127 + bias} << 23) | (((2U << stored) - 1) << (shift - 1))
               : (std::uint32_t{128 + bias} << 23 | (((2U << stored) - 3) << (shift - 1))) + 1;
  static constexpr std::uint32_t rounder = std::uint32_t{127 + 1 - bias + shift} << 23;
  static constexpr std::uint32_t overflow = infinite ? 0x7f800000U : 0x7fc00000U;

  static float widen(Storage h) {
    const std::uint32_t magnitude = (h & (sign_bit - 1)) << shift;
    const std::uint32_t sign = static_cast<std::uint32_t>(h & sign_bit) << (32 - 8 * sizeof(Bits));
    // Exponents are moved by a multiplication, which takes subnormals along.
    const std::uint32_t finite = bits_of(float_of(magnitude) * float_of(std::uint32_t{254 - bias} << 23));
    const std::uint32_t special = magnitude | 0x7f800000U;
    return float_of((magnitude >= (infinite ? infinity : nan) << shift ? special : finite) | sign);
  }
  static std::uint32_t round_normal(std::uint32_t bits) {
    return (bits + ((1U << (shift - 1)) - 1) + ((bits >> shift) & 1U)) & ~((1U << shift) - 1);
  }
  /// The nearest value of the type, as a float.
  static float round(float x) {
    const std::uint32_t u = bits_of(x);
    const std::uint32_t sign = u & 0x80000000U, magnitude = u & 0x7fffffffU;
    const std::uint32_t small = bits_of((float_of(magnitude) + float_of(rounder)) - float_of(rounder));
    std::uint32_t r = magnitude < least_normal ? small : round_normal(magnitude);
    r = magnitude >= beyond ? overflow : r;
    r = magnitude > 0x7f800000U ? 0x7fc00000U : r;
    return float_of(r | sign);
  }
  /// The same where it is one step of a chain: a branch that is predicted is shorter than what it skips.
  static float round_step(float x) {
    const std::uint32_t u = bits_of(x);
    if ((u & 0x7fffffffU) - least_normal < beyond - least_normal) return float_of(round_normal(u));
    return round(x);
  }
  /// The bits of a value that the type has; NaN is the canonical one.
  static Storage pack(float x) {
    const std::uint32_t u = bits_of(x);
    const std::uint32_t sign = (u >> (32 - 8 * sizeof(Bits))) & sign_bit, magnitude = u & 0x7fffffffU;
    const std::uint32_t normal = (magnitude - (std::uint32_t{127 - bias} << 23)) >> shift;
    const std::uint32_t small = bits_of(float_of(magnitude) + float_of(rounder)) - rounder;
    std::uint32_t r = magnitude < least_normal ? small : normal;
    if constexpr (infinite) r = magnitude == 0x7f800000U ? infinity : r;
    r |= sign;
    return static_cast<Storage>(magnitude > 0x7f800000U ? nan : r);
  }
  /// Exact as a float, so that it is rounded once.
  static float product(float a, float b) { return round(a * b); }
};
using Half = Small<std::uint16_t, 10, 15, true>;
using Eighth52 = Small<std::uint8_t, 2, 15, true>;
using Eighth43 = Small<std::uint8_t, 3, 7, false>;

struct Brain {
  using Storage = std::uint16_t;
  static float widen(Storage h) { return float_of(static_cast<std::uint32_t>(h) << 16); }
  static float round(float x) {
    const std::uint32_t u = bits_of(x);
    const std::uint32_t r = (u + 0x7fffU + ((u >> 16) & 1U)) & 0xffff0000U;
    return float_of((u & 0x7fffffffU) > 0x7f800000U ? 0x7fc00000U : r);
  }
  static float round_step(float x) { return round(x); }
  static Storage pack(float x) {
    const std::uint32_t u = bits_of(x);
    return static_cast<Storage>((u & 0x7fffffffU) > 0x7f800000U ? 0x7fc0U : u >> 16);
  }
  static float product(float a, float b) {
    const double exact = static_cast<double>(a) * static_cast<double>(b);
    const auto nearest = static_cast<float>(exact);
    const auto back = static_cast<double>(nearest);
    // Rounded to odd where it is not exact: toward zero, with the last bit set.
    const std::uint32_t u = bits_of(nearest);
    const std::uint32_t odd = (u - (std::fabs(back) > std::fabs(exact) ? 1U : 0U)) | 1U;
    const bool rounded = back < exact || back > exact;
    return round(float_of(rounded ? odd : u));
  }
};

}  // namespace assay::interp::compiled
