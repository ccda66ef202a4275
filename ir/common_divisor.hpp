// Common divisors of coefficients, the least int64 included, whose magnitude is no int64.
#pragma once

#include <cstdint>
#include <numeric>

namespace assay {

/// The greatest common divisor, not negative; half of it where that is 2^63. std::gcd is undefined there.
inline std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  const auto magnitude = [](std::int64_t v) {
    return v < 0 ? ~static_cast<std::uint64_t>(v) + 1 : static_cast<std::uint64_t>(v);
  };
  const std::uint64_t g = std::gcd(magnitude(a), magnitude(b));
  return static_cast<std::int64_t>(g > static_cast<std::uint64_t>(INT64_MAX) ? g >> 1 : g);
}

}  // namespace assay
