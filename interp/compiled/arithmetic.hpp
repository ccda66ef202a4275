// How values of a type are read, computed with and written: what typed loops and typed steps are made of.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "interp/compiled/narrow_floats.hpp"
#include "interp/numerics_exact.hpp"
#include "ir/expr.hpp"

namespace assay::interp::compiled {

// How values of a type are computed with: `Number` is what operations work on.
template <typename F>
struct Plain {
  using Storage = F;
  using Number = F;
  static F read(F x) { return x; }
  static F write(F x) { return std::isnan(x) ? std::numeric_limits<F>::quiet_NaN() : x; }
  static F add(F a, F b) { return a + b; }
  static F sub(F a, F b) { return a - b; }
  static F mul(F a, F b) { return a * b; }
  static F add_step(F a, F b) { return a + b; }
  static bool rounds_sum(F a, F b, F sum) { return rounded_sum(a, b, sum, sum); }
  static bool rounds_product(F a, F b, F product) {
    if constexpr (sizeof(F) == 4) {
      const double exact = static_cast<double>(a) * static_cast<double>(b);
      const auto back = static_cast<double>(product);
      return (exact < back) | (exact > back);
    } else {
      if (!std::isfinite(a) || !std::isfinite(b)) return false;
      if (!std::isfinite(product)) return true;
      return a != 0 && b != 0 && !numerics::is_exact_product(a, b);
    }
  }
  // `nearest` is a + b in F; `sum` that at the type. The error of a sum is a number of F.
  static bool rounded_sum(F a, F b, F nearest, F sum) {
    const F part = nearest - a;
    const F error = (a - (nearest - part)) + (b - part);
    const bool finite = std::fabs(nearest) <= std::numeric_limits<F>::max();
    const bool overflow =
        !finite && std::fabs(a) <= std::numeric_limits<F>::max() && std::fabs(b) <= std::numeric_limits<F>::max();
    return (finite && error != 0) || overflow || nearest < sum || nearest > sum;
  }
};
template <typename N>
struct Narrow {
  using Storage = typename N::Storage;
  using Number = float;
  static float read(Storage x) { return N::widen(x); }
  static Storage write(float x) { return N::pack(x); }
  static float add(float a, float b) { return N::round(a + b); }
  static float sub(float a, float b) { return N::round(a - b); }
  static float mul(float a, float b) { return N::product(a, b); }
  static float add_step(float a, float b) { return N::round_step(a + b); }
  static bool rounds_sum(float a, float b, float sum) {
    return Plain<float>::rounded_sum(a, b, a + b, sum) || becomes_nan(a + b, sum);
  }
  static bool rounds_product(float a, float b, float product) {
    const double exact = static_cast<double>(a) * static_cast<double>(b);
    const auto back = static_cast<double>(product);
    return (exact < back) | (exact > back) | becomes_nan(exact, back);
  }
  // An overflow of a type without infinities (NUM-38).
  template <typename F>
  static bool becomes_nan(F exact, F rounded) {
    return (static_cast<int>(!std::isnan(exact)) & static_cast<int>(std::isnan(rounded))) != 0;
  }
};
template <typename I>
struct Whole {
  using Storage = I;
  using Number = I;
  using U = std::make_unsigned_t<I>;
  using W = std::conditional_t<(sizeof(I) < 4), std::uint32_t, U>;  // no promotion to int, which must not overflow
  static I read(I x) { return x; }
  static I write(I x) { return x; }
  static I add(I a, I b) { return static_cast<I>(static_cast<W>(a) + static_cast<W>(b)); }
  static I sub(I a, I b) { return static_cast<I>(static_cast<W>(a) - static_cast<W>(b)); }
  static I mul(I a, I b) { return static_cast<I>(static_cast<W>(a) * static_cast<W>(b)); }
  static I add_step(I a, I b) { return add(a, b); }
  static bool rounds_sum(I, I, I) { return false; }
  static bool rounds_product(I, I, I) { return false; }
};

template <typename T, Op O>
inline typename T::Number apply(typename T::Number a, typename T::Number b) {
  if constexpr (O == Op::add) return T::add(a, b);
  if constexpr (O == Op::sub) return T::sub(a, b);
  if constexpr (O == Op::mul) return T::mul(a, b);
  if constexpr (O == Op::div) return a / b;
  if constexpr (std::is_floating_point_v<typename T::Number>) {
    // −0 is below +0, and a NaN wins.
    const auto nan = a + b;
    const bool a_first = O == Op::max ? a > b || (a == b && !std::signbit(a)) : a < b || (a == b && std::signbit(a));
    return std::isnan(a) || std::isnan(b) ? nan : a_first ? a : b;
  } else {
    return (O == Op::max ? a >= b : a <= b) ? a : b;
  }
}

// What `f` gives for the arithmetic of a type; a default where it has none.
template <typename F>
inline auto with_type(Type type, F f) -> decltype(f(Plain<float>{})) {
  switch (type) {
    case Type::f32: return f(Plain<float>{});
    case Type::f64: return f(Plain<double>{});
    case Type::f16: return f(Narrow<Half>{});
    case Type::bf16: return f(Narrow<Brain>{});
    case Type::f8e5m2: return f(Narrow<Eighth52>{});
    case Type::f8e4m3fn: return f(Narrow<Eighth43>{});
    case Type::i8: return f(Whole<std::int8_t>{});
    case Type::i16: return f(Whole<std::int16_t>{});
    case Type::i32: return f(Whole<std::int32_t>{});
    case Type::i64: return f(Whole<std::int64_t>{});
    case Type::u8: return f(Whole<std::uint8_t>{});
    case Type::u16: return f(Whole<std::uint16_t>{});
    case Type::u32: return f(Whole<std::uint32_t>{});
    case Type::u64: return f(Whole<std::uint64_t>{});
    default: return nullptr;
  }
}

}  // namespace assay::interp::compiled
