// The float types as IEEE 754 formats: decoding to double (always exact), and rounding a double or an integer to a
// format.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "ir/type.hpp"

namespace assay::numerics {

// Doubles are computed as doubles, floats as floats; a long double decides f64 functions and must be wider than a
// double.
static_assert(FLT_EVAL_METHOD == 0, "double expressions must be evaluated in double");

/// A binary interchange format: `precision` significand bits, the leading one included; largest exponent = bias, and one
/// more where there is no infinity (f8e4m3fn).
template <Type T>
struct Format;
template <>
struct Format<Type::f64> {
  static constexpr int precision = 53, bias = 1023;
};
template <>
struct Format<Type::f32> {
  static constexpr int precision = 24, bias = 127;
};
template <>
struct Format<Type::f16> {
  static constexpr int precision = 11, bias = 15;
};
template <>
struct Format<Type::bf16> {
  static constexpr int precision = 8, bias = 127;
};

template <>
struct Format<Type::f8e5m2> {
  static constexpr int precision = 3, bias = 15;
};
template <>
struct Format<Type::f8e4m3fn> {
  static constexpr int precision = 4, bias = 7;
};

template <Type T>
inline constexpr int stored_bits = Format<T>::precision - 1;  // of the significand
/// All exponent bits: the infinity of the formats that have one.
template <Type T>
inline constexpr std::uint64_t exponent_bits = (2 * std::uint64_t{Format<T>::bias} + 1) << stored_bits<T>;
template <Type T>
inline constexpr std::uint64_t sign_bit = exponent_bits<T> + (std::uint64_t{1} << stored_bits<T>);
template <Type T>
inline constexpr std::uint64_t nan_bits = has_infinity(T) ? exponent_bits<T> | std::uint64_t{1} << (stored_bits<T> - 1)
                                                          : sign_bit<T> - 1;  // NUM-2
template <Type T>
inline constexpr std::uint64_t largest_bits = (has_infinity(T) ? exponent_bits<T> : nan_bits<T>)-1;
template <Type T>
inline constexpr int greatest_exponent = Format<T>::bias + (has_infinity(T) ? 0 : 1);

template <Type T>
constexpr bool is_nan_bits(std::uint64_t bits) {
  return (bits & ~sign_bit<T>) > (has_infinity(T) ? exponent_bits<T> : largest_bits<T>);
}

/// bit_width of numbers and index values, known while compiling; a bool counts as the whole word that carries it.
constexpr int width(Type t) {
  switch (t) {
    case Type::f8e5m2:
    case Type::f8e4m3fn:
    case Type::i8:
    case Type::u8: return 8;
    case Type::f16:
    case Type::bf16:
    case Type::i16:
    case Type::u16: return 16;
    case Type::f32:
    case Type::i32:
    case Type::u32: return 32;
    default: return 64;
  }
}

/// A result at a format, and whether it differs from the exact value that was rounded.
struct Rounded {
  std::uint64_t bits = 0;
  bool inexact = false;
};

/// The value of a bit pattern. Exact for every format; any NaN gives a NaN.
template <Type T>
double widen(std::uint64_t bits) {
  if constexpr (T == Type::f64) {
    return std::bit_cast<double>(bits);
  } else if constexpr (T == Type::f32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  } else if constexpr (T == Type::bf16) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)));
  } else {
    constexpr int stored = stored_bits<T>;
    const std::uint64_t magnitude = bits & ~sign_bit<T>;
    const std::uint64_t sign = bits & sign_bit<T> ? std::uint64_t{1} << 63 : 0;
    double value = 0;
    if (is_nan_bits<T>(bits)) return NAN;
    if (has_infinity(T) && magnitude == exponent_bits<T>) {
      value = INFINITY;
    } else if (magnitude >> stored == 0) {  // zero and subnormals: an integer number of the least positive value
      value = static_cast<double>(magnitude) *
              std::bit_cast<double>(std::uint64_t{1023 + 1 - Format<T>::bias - stored} << 52);
    } else {
      constexpr std::uint64_t rebias = std::uint64_t{1023 - Format<T>::bias} << stored;
      value = std::bit_cast<double>((magnitude + rebias) << (52 - stored));
    }
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign);
  }
}

/// What becomes of a value too large for the format: the infinity (NaN where there is none), or the largest value.
enum class Overflow { natural, saturate };

template <Type T, Overflow O>
constexpr Rounded overflowed(std::uint64_t sign) {
  if (O == Overflow::saturate) return {sign | largest_bits<T>, true};
  return {has_infinity(T) ? sign | exponent_bits<T> : nan_bits<T>, true};
}

/// RN of a double at format T; NaN becomes the canonical NaN. An infinity is exact unless it saturates.
template <Type T, Overflow O = Overflow::natural>
Rounded narrow(double x) {
  if (std::isnan(x)) return {nan_bits<T>, false};
  if constexpr (T == Type::f64) {
    return {std::bit_cast<std::uint64_t>(x), false};
  } else if constexpr (T == Type::f32) {
    const auto rounded = static_cast<float>(x);
    return {std::bit_cast<std::uint32_t>(rounded), static_cast<double>(rounded) != x};
  } else {
    constexpr int stored = stored_bits<T>;
    constexpr int bias = Format<T>::bias;
    const auto wide = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t sign = wide >> 63 ? sign_bit<T> : 0;
    const int exponent = static_cast<int>(wide >> 52 & 0x7ff) - 1023;
    if (exponent == 1024) return {overflowed<T, O>(sign).bits, O == Overflow::saturate};
    if (exponent > greatest_exponent<T>) return overflowed<T, O>(sign);
    if (exponent == -1023)
      return {sign, wide << 1 != 0};  // zero, or a double subnormal, far below half of T's least value
    // Bits of the 53-bit significand that T cannot hold at this exponent; where more than all go, less than half a
    // unit is left.
    const int below_normal = exponent < 1 - bias ? 1 - bias - exponent : 0;
    const int dropped = 52 - stored + below_normal;
    if (dropped > 53) return {sign, true};
    const std::uint64_t significand = (wide & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    std::uint64_t kept = significand >> dropped;
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    // A carry out of the significand runs into the exponent field, up to the pattern after the largest value.
    if (below_normal == 0) kept += static_cast<std::uint64_t>(exponent + bias - 1) << stored;
    if (kept > largest_bits<T>) return overflowed<T, O>(sign);
    return {sign | kept, rest != 0};
  }
}

/// RN of a long double at f64, which is the only format that functions evaluate in long double for.
inline Rounded narrow_extended(long double x) {
  const auto rounded = static_cast<double>(x);
  return {narrow<Type::f64>(rounded).bits, !std::isnan(x) && static_cast<long double>(rounded) != x};
}

/// RN of ±magnitude at format T.
template <Type T, Overflow O = Overflow::natural>
Rounded narrow_integer(bool negative, std::uint64_t magnitude) {
  if (T == Type::f64 || magnitude < std::uint64_t{1} << 53) {
    const auto value = static_cast<double>(magnitude);
    const bool rounded = value >= 0x1p64 || static_cast<std::uint64_t>(value) != magnitude;
    Rounded result = narrow<T, O>(negative ? -value : value);
    result.inexact = result.inexact || rounded;
    return result;
  }
  // Round to odd in 53 bits (the last kept bit remembers that something was dropped), then to T, which is at least two
  // bits narrower: the same as rounding once.
  const std::uint64_t odd = magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1U : 0U);
  const double value = static_cast<double>(odd) * 0x1p11;
  Rounded result = narrow<T, O>(negative ? -value : value);
  result.inexact = result.inexact || (magnitude & 0x7ff) != 0;
  return result;
}

}  // namespace assay::numerics
