// Conversions between all scalar types (NUM-25 … NUM-30).
#include <array>
#include <cmath>
#include <utility>

#include "interp/numerics.hpp"
#include "interp/numerics_format.hpp"
#include "interp/numerics_tables.hpp"
#include "ir/typing.hpp"

namespace assay::numerics {
namespace {

constexpr std::size_t position(Type t) { return static_cast<std::size_t>(t); }

constexpr bool has_sign(Type t) { return is_signed_int(t) || t == Type::index; }

/// The bits of an integer, bool or index value, extended to 64 with its sign where it has one.
template <Type T>
std::uint64_t extended(std::uint64_t bits) {
  if constexpr (has_sign(T)) {
    constexpr int unused = 64 - width(T);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return bits;
}

/// Truncation and saturation. The bounds of every integer type, as doubles, are exact; the upper one is the first
/// that is out.
template <Type To>
std::uint64_t saturate(double x) {
  constexpr int value_bits = has_sign(To) ? width(To) - 1 : width(To);
  constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - width(To));
  constexpr std::uint64_t largest = mask >> (has_sign(To) ? 1 : 0);
  const double bound = std::ldexp(1.0, value_bits);
  if (std::isnan(x)) return 0;
  if (x >= bound) return largest;
  if constexpr (has_sign(To)) {
    if (x < -bound) return largest + 1;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) & mask;
  } else {
    return x < 1 ? 0 : static_cast<std::uint64_t>(x);
  }
}

/// The rule of T(x) for what is too large: f8e4m3fn saturates, the others have an infinity (NUM-39).
template <Type To>
inline constexpr Overflow rule = To == Type::f8e4m3fn ? Overflow::saturate : Overflow::natural;

template <Type To, Type From, Overflow O>
Scalar convert_one(const Scalar* x, Flags& flags) {
  const std::uint64_t bits = x->bits;
  if constexpr (is_float(From)) {
    const double value = widen<From>(bits);
    if constexpr (is_float(To)) {
      const Rounded r = narrow<To, O>(value);
      flags.inexact = flags.inexact || r.inexact;
      return {To, r.bits};
    } else if constexpr (To == Type::boolean) {
      return bool_scalar(value != 0);
    } else {
      return {To, saturate<To>(value)};
    }
  } else {
    const std::uint64_t wide = extended<From>(bits);
    if constexpr (is_float(To)) {
      const bool negative = has_sign(From) && wide >> 63 != 0;
      const Rounded r = narrow_integer<To, O>(negative, negative ? -wide : wide);
      flags.inexact = flags.inexact || r.inexact;
      return {To, r.bits};
    } else if constexpr (To == Type::boolean) {
      return bool_scalar(wide != 0);
    } else {
      return {To, wide & ~std::uint64_t{0} >> (64 - width(To))};
    }
  }
}

template <Type To, Type From>
constexpr Function conversion() {
  if constexpr (is_convertible(From, To)) {
    return convert_one<To, From, rule<To>>;
  } else {
    return nullptr;
  }
}
/// A conversion to float type To under the rule that T(x) does not have.
template <Type To, Type From>
constexpr Function other_conversion() {
  if constexpr (is_float(From) || is_int(From)) {
    return convert_one < To, From, rule<To> == Overflow::natural ? Overflow::saturate : Overflow::natural > ;
  } else {
    return nullptr;
  }
}

using Row = std::array<Function, type_count>;
template <std::size_t To, std::size_t... From>
constexpr Row make_row(std::index_sequence<From...>) {
  return {conversion<static_cast<Type>(To), static_cast<Type>(From)>()...};
}
template <Type To, std::size_t... From>
constexpr Row make_other_row(std::index_sequence<From...>) {
  return {other_conversion<To, static_cast<Type>(From)>()...};
}
template <std::size_t... To>
constexpr std::array<Row, type_count> make_table(std::index_sequence<To...> all) {
  return {make_row<To>(all)...};
}
constexpr std::array<Row, type_count> conversions = make_table(std::make_index_sequence<type_count>{});
constexpr Row saturating_f8e5m2 = make_other_row<Type::f8e5m2>(std::make_index_sequence<type_count>{});
constexpr Row overflowing_f8e4m3fn = make_other_row<Type::f8e4m3fn>(std::make_index_sequence<type_count>{});

}  // namespace

Function find_convert(Type to, Type from) { return conversions[position(to)][position(from)]; }

Function find_ruled_conversion(Op op, Type operand) {
  if (op == Op::f8e5m2_sat) return saturating_f8e5m2[position(operand)];
  if (op == Op::f8e4m3fn_nosat) return overflowing_f8e4m3fn[position(operand)];
  return nullptr;
}

Scalar convert(Type to, Scalar value, Flags& flags) { return find_convert(to, value.type)(&value, flags); }

}  // namespace assay::numerics
