// f16 and bf16 computed in float: a sum, difference or product of two of them, rounded to float and then to the type, is
// the one rounded once (a float has more than twice as many bits, plus two), but for products of bf16 that are subnormal
// as floats, which go through a double rounded to odd. The loops have no branches, so that compilers can use vector units.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace assay::interp::compiled {

inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float float_of(std::uint32_t b) { return std::bit_cast<float>(b); }

struct Half {
  using Storage = std::uint16_t;
  static float widen(Storage h) {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7fffU) << 13;
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16;
    // Exponents are moved by a multiplication, which takes subnormals along.
    const std::uint32_t finite = bits_of(float_of(magnitude) * 0x1p112F);
    const std::uint32_t special = magnitude | 0x7f800000U;
    return float_of((magnitude >= 0x0f800000U ? special : finite) | sign);
  }
  /// The nearest value of the type, as a float.
  static float round(float x) {
    const std::uint32_t u = bits_of(x);
    const std::uint32_t sign = u & 0x80000000U, magnitude = u & 0x7fffffffU;
    const std::uint32_t normal = (magnitude + 0xfffU + ((magnitude >> 13) & 1U)) & ~std::uint32_t{0x1fff};
    const std::uint32_t small = bits_of((float_of(magnitude) + 0.5F) - 0.5F);
    std::uint32_t r = magnitude < 0x38800000U ? small : normal;
    r = magnitude >= 0x477ff000U ? 0x7f800000U : r;
    r = magnitude > 0x7f800000U ? 0x7fc00000U : r;
    return float_of(r | sign);
  }
  /// The same where it is one step of a chain: a branch that is predicted is shorter than what it skips.
  static float round_step(float x) {
    const std::uint32_t u = bits_of(x);
    if ((u & 0x7fffffffU) - 0x38800000U < 0x477ff000U - 0x38800000U)
      return float_of((u + 0xfffU + ((u >> 13) & 1U)) & ~std::uint32_t{0x1fff});
    return round(x);
  }
  /// The bits of a value that the type has; NaN is the canonical one.
  static Storage pack(float x) {
    const std::uint32_t u = bits_of(x);
    const std::uint32_t sign = (u >> 16) & 0x8000U, magnitude = u & 0x7fffffffU;
    const std::uint32_t normal = (magnitude - 0x38000000U) >> 13;
    const std::uint32_t small = bits_of(float_of(magnitude) + 0.5F) - 0x3f000000U;
    std::uint32_t r = magnitude < 0x38800000U ? small : normal;
    r = magnitude == 0x7f800000U ? 0x7c00U : r;
    r |= sign;
    return static_cast<Storage>(magnitude > 0x7f800000U ? 0x7e00U : r);
  }
  static float product(float a, float b) { return round(a * b); }
};

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
