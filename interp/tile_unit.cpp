// A product of two numbers of at most 11 bits is exact in double, whatever its exponent here; cut at 2^(E - F) an addend is an
// integer of at most 28 bits times that, so their sum is exact, too.
#include "interp/tile_unit.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "interp/numerics_format.hpp"

namespace assay::interp {
namespace {

using numerics::Flags;

double value_of(Scalar s) {
  Flags none;
  return std::bit_cast<double>(numerics::convert(Type::f64, s, none).bits);
}

/// The exponent of a number other than 0: that of its leading bit, or of the least normal number of its type.
int exponent_of(double v, Type t) {
  const int least = t == Type::f16 ? -14 : -126;
  return std::max(std::ilogb(v), least);
}

/// Toward zero at f32, and an infinity from 2^128 on (MMA-10).
Scalar cut_to_f32(double v, Flags& flags) {
  auto f = static_cast<float>(v);
  if (std::abs(v) >= 0x1p128) {
    f = std::copysign(std::numeric_limits<float>::infinity(), f);
  } else if (std::abs(static_cast<double>(f)) > std::abs(v)) {
    f = std::nextafter(f, 0.0f);
  }
  flags.inexact |= static_cast<double>(f) != v;
  return {Type::f32, std::bit_cast<std::uint32_t>(f == 0 ? 0.0f : f)};
}

Scalar to_sum(Type sum, double v, Flags& flags) {
  if (sum == Type::f32) return cut_to_f32(v, flags);
  const Scalar rounded = numerics::convert(Type::f16, {Type::f64, std::bit_cast<std::uint64_t>(v)}, flags);
  return value_of(rounded) == 0 ? Scalar{Type::f16, 0} : rounded;
}

Scalar special(Type sum, double v) {
  Flags none;
  return numerics::convert(sum, {Type::f64, std::bit_cast<std::uint64_t>(v)}, none);
}

}  // namespace

Scalar fused_sum(Type takes, int fraction, const TileTerm* terms, std::size_t count, Scalar c, Flags& flags) {
  std::vector<double> addends{value_of(c)};
  int greatest = -126;
  if (addends[0] != 0 && std::isfinite(addends[0])) greatest = std::max(greatest, exponent_of(addends[0], c.type));
  double rough = addends[0];  // what infinities and NaN make of the sum
  for (std::size_t n = 0; n < count; ++n) {
    const double a = value_of(terms[n].left), b = value_of(terms[n].right);
    addends.push_back(a * b);
    if (!std::isfinite(a * b)) rough += a * b;
    if (a * b != 0 && std::isfinite(a * b))
      greatest = std::max(greatest, exponent_of(a, takes) + exponent_of(b, takes));
  }
  if (!std::isfinite(rough)) return special(c.type, rough);
  double total = 0;
  for (const double addend : addends) {
    const double cut = std::trunc(std::ldexp(addend, fraction - greatest));
    flags.inexact |= std::ldexp(cut, greatest - fraction) != addend;
    total += cut;
  }
  return to_sum(c.type, std::ldexp(total, greatest - fraction), flags);
}

Scalar tile_block(TileUnit unit, Type takes, const std::vector<TileTerm>& terms, Scalar c, Flags& flags) {
  if (takes == Type::i8) {
    auto sum = static_cast<std::uint32_t>(c.bits);
    for (const TileTerm& t : terms)
      sum += static_cast<std::uint32_t>(static_cast<std::int64_t>(int_value(t.left) * int_value(t.right)));
    return {Type::i32, sum};
  }
  if (takes == Type::f64) {
    for (const TileTerm& t : terms) {
      Flags none;
      const Scalar operands[] = {numerics::convert(Type::f64, t.left, none),
                                 numerics::convert(Type::f64, t.right, none), c};
      c = numerics::apply(Op::fma, operands, flags);
    }
    return c;
  }
  const std::size_t together = unit == TileUnit::sm_80 ? 8 : terms.size();
  for (std::size_t n = 0; n < terms.size(); n += together)
    c = fused_sum(takes, unit == TileUnit::sm_80 ? 24 : 25, terms.data() + n, together, c, flags);
  return c;
}

}  // namespace assay::interp
