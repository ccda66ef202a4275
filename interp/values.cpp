// Lists of telling values, built from the layout of each type.
#include "interp/values.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include "interp/numerics.hpp"
#include "interp/numerics_format.hpp"

namespace assay::interp {
namespace {

template <Type T>
constexpr FloatLayout layout_of = {numerics::stored_bits<T>, numerics::Format<T>::bias, numerics::nan_bits<T>,
                                   numerics::largest_bits<T>};

/// Keeps the first of equal values, and the order.
void add_once(std::vector<Scalar>& to, Scalar s) {
  if (std::find(to.begin(), to.end(), s) == to.end()) to.push_back(s);
}

void add_integer(std::vector<Scalar>& to, Type t, Int128 v) {
  const IntRange range = int_range(t);
  if (range.lo <= v && v <= range.hi) add_once(to, wrap_int(t, v));
}

}  // namespace

FloatLayout float_layout(Type t) {
  switch (t) {
    case Type::f64: return layout_of<Type::f64>;
    case Type::f16: return layout_of<Type::f16>;
    case Type::bf16: return layout_of<Type::bf16>;
    case Type::f8e5m2: return layout_of<Type::f8e5m2>;
    case Type::f8e4m3fn: return layout_of<Type::f8e4m3fn>;
    default: return layout_of<Type::f32>;
  }
}

Scalar float_value(Type t, double value, int exponent) {
  numerics::Flags ignored;
  return numerics::convert(t, {Type::f64, std::bit_cast<std::uint64_t>(std::ldexp(value, exponent))}, ignored);
}

std::vector<Scalar> special_values(Type t) {
  std::vector<Scalar> values;
  if (is_float(t)) {
    const FloatLayout f = float_layout(t);
    const std::uint64_t least_normal = std::uint64_t{1} << f.stored_bits;
    values = {{t, f.sign()}, {t, has_infinity(t) ? f.all_exponent() : f.largest}, {t, f.nan}};
    for (const std::uint64_t magnitude :
         {values[1].bits, std::uint64_t{0}, static_cast<std::uint64_t>(f.bias) << f.stored_bits, f.largest,
          least_normal, std::uint64_t{1}, least_normal - 1}) {
      add_once(values, {t, magnitude | f.sign()});
      add_once(values, {t, magnitude});
    }
    return values;
  }
  if (t == Type::u32x4) {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    return {{t, 0, 0},  {t, all, all}, {t, 1, 0}, {t, 0, std::uint64_t{1} << 63}, {t, std::uint64_t{1} << 32, 0},
            {t, all, 0}};
  }
  const IntRange range = int_range(t);
  for (const Int128 v : std::initializer_list<Int128>{range.lo, range.hi, 0, 1, -1, range.lo + 1, range.hi - 1})
    add_integer(values, t, v);
  return values;
}

std::vector<Scalar> boundary_values(Type t) {
  std::vector<Scalar> values = special_values(t);
  if (is_f8(t)) {
    for (std::uint64_t bits = 0; bits < 256; ++bits) add_once(values, {t, bits});
    return values;
  }
  if (is_float(t)) {
    const FloatLayout f = float_layout(t);
    const auto add = [&](std::uint64_t magnitude) {
      values.push_back({t, magnitude});
      values.push_back({t, magnitude | f.sign()});
    };
    std::set<int> exponent_fields{1, 2, f.stored_bits, f.bias / 2, 2 * f.bias - 1, 2 * f.bias};
    for (int d = -f.stored_bits - 2; d <= f.stored_bits + 2; d += std::max(1, f.stored_bits / 5))
      exponent_fields.insert(f.bias + d);
    for (int d = -3; d <= 3; ++d) exponent_fields.insert(f.bias + d);
    for (const int e : exponent_fields) {
      if (e < 1 || e > 2 * f.bias) continue;
      const std::uint64_t power = static_cast<std::uint64_t>(e) << f.stored_bits;
      add(power);
      add(power + 1);
      add(power - 1);
      add(power | std::uint64_t{1} << (f.stored_bits - 1));
    }
    for (const std::uint64_t subnormal : {2, 3, 5}) add(subnormal);
    for (int i = 2; i <= 20; ++i) add(float_value(t, i, 0).bits);
    for (const double v : {0.1, 0.3, 1.0 / 3, 2.718281828459045, 3.141592653589793, 88.0, 89.0, 100.5})
      add(float_value(t, v, 0).bits);
    std::vector<Scalar> distinct;
    for (const Scalar s : values) add_once(distinct, s);
    return distinct;
  }
  if (t == Type::u32x4) return values;
  for (int i = -20; i <= 20; ++i) add_integer(values, t, i);
  for (int bits = 0; bits < bit_width(t); ++bits) {
    for (int d = -1; d <= 1; ++d) {
      add_integer(values, t, (Int128{1} << bits) + d);
      add_integer(values, t, -(Int128{1} << bits) + d);
    }
  }
  return values;
}

}  // namespace assay::interp
