// The model of matrix instructions, three times: on bits (what stands for them on the CPU), on doubles (the interpreter), and
// here with MPFR, as the page says it. And what is published about the instructions.
#include <fmt/format.h>
#include <mpfr.h>

#include <cmath>
#include <cstring>

#include "codegen/worker/host/tile_unit.h"
#include "interp/random.hpp"
#include "interp/tile_unit.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

using interp::TileTerm;

double value_of(Scalar s) {
  numerics::Flags none;
  const std::uint64_t bits = numerics::convert(Type::f64, s, none).bits;
  double v = 0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

Scalar of_value(Type t, double v) {
  Scalar s{Type::f64, 0};
  std::memcpy(&s.bits, &v, sizeof v);
  numerics::Flags none;
  return numerics::convert(t, s, none);
}

class Real {  // far more bits than a sum of such terms has: it is exact
 public:
  explicit Real(double v = 0) {
    mpfr_init2(x_, 2000);
    mpfr_set_d(x_, v, MPFR_RNDN);
  }
  ~Real() { mpfr_clear(x_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_t x_;
};

int exponent_in(double v, Type t) {
  int e = 0;
  std::frexp(v, &e);
  const int least = t == Type::f16 ? -14 : -126;
  return e - 1 < least ? least : e - 1;
}

/// MMA-9 to MMA-11, read from the page. Also how far the result may be from the exact sum (MMA-12), and how far it is.
struct Reference {
  Scalar result{};
  double error = 0, bound = 0;
  bool exact = true;  // no addend lost a bit
};

Reference reference(Type takes, int fraction, const std::vector<TileTerm>& terms, Scalar c) {
  Reference out;
  const double start = value_of(c);
  double special = start - start;  // 0, or NaN where c is no number
  bool plus = start == INFINITY, minus = start == -INFINITY, nan = std::isnan(start);
  int greatest = -126;
  if (std::isfinite(start) && start != 0) greatest = std::max(greatest, exponent_in(start, c.type));
  for (const TileTerm& t : terms) {
    const double a = value_of(t.left), b = value_of(t.right);
    nan = nan || std::isnan(a) || std::isnan(b) || (std::isinf(a) && b == 0) || (std::isinf(b) && a == 0);
    if (std::isinf(a) || std::isinf(b)) (std::signbit(a) == std::signbit(b) ? plus : minus) = true;
    if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) continue;
    greatest = std::max(greatest, exponent_in(a, takes) + exponent_in(b, takes));
  }
  if (nan || (plus && minus) || plus || minus) {
    special = nan || (plus && minus) ? NAN : plus ? INFINITY : -INFINITY;
    out.result = of_value(c.type, special);
    return out;
  }
  Real exact(start), total, cut, product;
  const auto add = [&](mpfr_t addend) {
    mpfr_mul_2si(cut.x_, addend, fraction - greatest, MPFR_RNDN);
    mpfr_trunc(cut.x_, cut.x_);
    mpfr_mul_2si(cut.x_, cut.x_, greatest - fraction, MPFR_RNDN);
    out.exact = out.exact && mpfr_equal_p(cut.x_, addend) != 0;
    mpfr_add(total.x_, total.x_, cut.x_, MPFR_RNDN);
  };
  add(exact.x_);
  for (const TileTerm& t : terms) {
    mpfr_set_d(product.x_, value_of(t.left), MPFR_RNDN);
    mpfr_mul_d(product.x_, product.x_, value_of(t.right), MPFR_RNDN);
    add(product.x_);
    mpfr_add(exact.x_, exact.x_, product.x_, MPFR_RNDN);
  }
  const bool half = c.type == Type::f16;
  // MPFR rounds to the bits that the format has at this exponent.
  double v = 0;
  if (mpfr_zero_p(total.x_) == 0) {
    const long e = mpfr_get_exp(total.x_) - 1, least = half ? -14 : -126;
    const long bits = (half ? 11 : 24) - (e < least ? least - e : 0);
    Real rounded;
    if (bits >= 1) {
      mpfr_set_prec(rounded.x_, bits);
      mpfr_set(rounded.x_, total.x_, half ? MPFR_RNDN : MPFR_RNDZ);
      v = mpfr_get_d(rounded.x_, MPFR_RNDN);
    } else if (half && mpfr_cmpabs(total.x_, Real(0x1p-25).x_) > 0) {
      v = mpfr_sgn(total.x_) * 0x1p-24;
    }
    if (std::abs(v) >= (half ? 65536.0 : 0x1p128)) v = std::copysign(INFINITY, v);
  }
  out.result = v == 0 ? Scalar{c.type, 0} : of_value(c.type, v);
  mpfr_sub(total.x_, exact.x_, Real(v).x_, MPFR_RNDN);
  out.error = std::abs(mpfr_get_d(total.x_, MPFR_RNDU));
  const double size = std::abs(mpfr_get_d(exact.x_, MPFR_RNDN));
  const double lost = static_cast<double>(terms.size() + 1) * std::ldexp(1, greatest - fraction);
  out.bound = lost + (half ? 0x1p-11 : 0x1p-23) * (size + lost) + (half ? 0x1p-25 : 0x1p-149);
  return out;
}

std::uint32_t on_bits(Type takes, int fraction, const std::vector<TileTerm>& terms, Scalar c) {
  std::vector<std::uint16_t> a, b;
  for (const TileTerm& t : terms) {
    a.push_back(static_cast<std::uint16_t>(t.left.bits));
    b.push_back(static_cast<std::uint16_t>(t.right.bits));
  }
  return assay_fused_sum(takes == Type::f16 ? tile_f16 : tile_bf16, c.type == Type::f16 ? tile_f16 : tile_f32, fraction,
                         a.data(), b.data(), static_cast<int>(a.size()), static_cast<std::uint32_t>(c.bits));
}

bool same(Scalar a, Scalar b) { return a.bits == b.bits || (std::isnan(value_of(a)) && std::isnan(value_of(b))); }

/// Compares the three; whether all agree.
bool agree(Type takes, int fraction, const std::vector<TileTerm>& terms, Scalar c, bool with_mpfr = true) {
  const Scalar bits{c.type, on_bits(takes, fraction, terms, c)};
  numerics::Flags flags;
  const Scalar doubles = interp::fused_sum(takes, fraction, terms.data(), terms.size(), c, flags);
  bool ok = same(bits, doubles);
  if (with_mpfr) {
    const Reference r = reference(takes, fraction, terms, c);
    ok = ok && same(bits, r.result);
    const bool finite = std::isfinite(value_of(r.result));
    RULE_TRUE("MMA-12", !finite || r.error <= r.bound) << r.error << " > " << r.bound;
    RULE_TRUE("MMA-13", !finite || flags.inexact || (r.exact && r.error == 0));
  }
  if (!ok) {
    std::string s;
    for (const TileTerm& t : terms) s += fmt::format(" {:x}*{:x}", t.left.bits, t.right.bits);
    ADD_FAILURE() << name(takes) << " F=" << fraction << s << " + " << fmt::format("{:x}", c.bits) << ": bits "
                  << fmt::format("{:x}", bits.bits) << ", doubles " << fmt::format("{:x}", doubles.bits);
  }
  return ok;
}

/// Bits that meet one another: near in size, or opposite, subnormal, special.
std::uint64_t draw(interp::Random& r, Type t) {
  const int stored = t == Type::f32 ? 23 : t == Type::f16 ? 10 : 7, top = t == Type::f16 ? 31 : 255;
  const std::uint64_t sign = r.below(2) << (t == Type::f32 ? 31 : 15);
  const std::uint64_t fraction = r.below(4) == 0 ? 0 : r.below(std::uint64_t{1} << stored);
  std::uint64_t exponent = 0;
  switch (r.below(8)) {
    case 0: exponent = r.below(static_cast<std::uint64_t>(top)); break;
    case 1: exponent = r.below(3); break;
    case 2:
      exponent = r.below(50) == 0 ? static_cast<std::uint64_t>(top) : static_cast<std::uint64_t>(top) - 1 - r.below(4);
      break;
    case 3: return sign;
    default: exponent = static_cast<std::uint64_t>(top) / 2 - 4 + r.below(8); break;
  }
  return sign | exponent << stored | fraction;
}

TEST(TileUnit, ThreeWaysAgreeOnRandomSums) {
  interp::Random r(20261201);
  int wrong = 0, special = 0;
  for (int n = 0; n < 40000 && wrong < 5; ++n) {
    const Type takes = n % 3 == 0 ? Type::bf16 : Type::f16, sum = n % 3 == 2 ? Type::f16 : Type::f32;
    std::vector<TileTerm> terms(1 + r.below(16));
    for (TileTerm& t : terms) t = {{takes, draw(r, takes)}, {takes, draw(r, takes)}};
    Scalar c{sum, draw(r, sum)};
    if (r.below(4) == 0) {  // what one of the products cancels
      const double p = value_of(terms[0].left) * value_of(terms[0].right);
      c = of_value(sum, -p);
    }
    const bool ok = agree(takes, n % 2 == 0 ? 24 : 25, terms, c);
    RULE_TRUE("MMA-9", ok);
    RULE_TRUE("MMA-10", ok);
    wrong += ok ? 0 : 1;
    special += std::isfinite(value_of({sum, on_bits(takes, 24, terms, c)})) ? 0 : 1;
  }
  EXPECT_GT(special, 500);
}

TEST(TileUnit, ThreeWaysAgreeOnAllFirstFactors) {
  const std::vector<double> others{0, -0.0, 1, -1.5, 0x1p-14, 0x1p-24, 65504, INFINITY, NAN, 0x1.004p-3};
  const std::vector<double> sums{0, 1, -0x1p-149, 0x1.fffffep127, -INFINITY, 0x1.8p-126};
  int wrong = 0;
  for (const Type takes : {Type::f16, Type::bf16}) {
    for (std::uint64_t a = 0; a < 65536 && wrong < 5; ++a) {
      for (const double b : others) {
        for (const double c : sums)
          wrong += agree(takes, 24 + static_cast<int>(a % 2), {{{takes, a}, of_value(takes, b)}},
                         of_value(Type::f32, c), a % 512 == 5)
                       ? 0
                       : 1;
      }
    }
  }
  RULE_EQ("MMA-11", 0, wrong);
}

float f32_sum(int fraction, std::vector<std::pair<double, double>> products, double c, Type takes = Type::f16) {
  std::vector<TileTerm> terms;
  for (const auto& [a, b] : products) terms.push_back({of_value(takes, a), of_value(takes, b)});
  return static_cast<float>(value_of({Type::f32, on_bits(takes, fraction, terms, of_value(Type::f32, c))}));
}

TEST(TileUnit, HasThePublishedProperties) {
  // An addend F places below the greatest exponent is kept, one further down is cut, toward zero, and without a trace.
  for (const int fraction : {24, 25}) {
    const double last = std::ldexp(1, -fraction);
    RULE_EQ("MMA-9", static_cast<float>(2 * last), f32_sum(fraction, {{1, 1}, {-1, 1}, {last * 1024, 0x1p-10}}, last));
    RULE_EQ("MMA-9", 0.0f, f32_sum(fraction, {{1, 1}, {-1, 1}, {last * 512, 0x1p-10}}, last / 2));
    RULE_EQ("MMA-9", 0.0f, f32_sum(fraction, {{1, 1}, {-1, 1}, {-last * 512, 0x1p-10}}, -last / 2));
  }
  // The result is cut: 1 + 2^-24 and 1 + 2^-23 - 2^-25 become 1.
  RULE_EQ("MMA-10", 1.0f, f32_sum(25, {{1, 1}}, 0x1p-24));
  RULE_EQ("MMA-10", -1.0f, f32_sum(25, {{-1, 1}, {0x1p-12, -0x1p-12}}, -0x1p-25));
  // Products are not normalised: 1.5 * 1.5 has the exponent 0.
  RULE_EQ("MMA-9", 0x1p-24f, f32_sum(24, {{1.5, 1.5}, {-1.5, 1.5}}, 0x1p-24));
  RULE_EQ("MMA-9", 0.0f, f32_sum(24, {{2.25, 1}, {-1.5, 1.5}}, 0x1p-24));
  // Subnormals of both types count, and a zero is +0.
  RULE_EQ("MMA-10", 0x1p-48f, f32_sum(24, {{0x1p-24, 0x1p-24}}, 0));
  RULE_EQ("MMA-10", 0x1p-149f, f32_sum(24, {}, 0x1p-149));
  RULE_TRUE("MMA-10", !std::signbit(f32_sum(24, {{-0.0, 1}}, -0.0)));
  // No infinity on the way, and one at the end.
  RULE_EQ("MMA-10", 0x1.fffffep127f, f32_sum(25, {{0x1p127, 1}, {-0x1p127, 1}}, 0x1.fffffep127, Type::bf16));
  RULE_TRUE("MMA-10", std::isinf(f32_sum(25, {{0x1p127, 1}}, 0x1p127, Type::bf16)));
  RULE_TRUE("MMA-11", std::isnan(f32_sum(25, {{INFINITY, 1}, {-INFINITY, 1}}, 0)) &&
                          std::isnan(f32_sum(25, {{INFINITY, 0}}, 0)) && std::isinf(f32_sum(25, {{INFINITY, 1}}, -1)));
}

TEST(TileUnit, BlocksAreFusedSumsInOrder) {
  // Sixteen terms of which the second half cancels what the first leaves: one sum on sm_90, two on sm_80.
  std::vector<std::uint16_t> a(16, 0), b(16, 0x3c00);
  a[0] = 0x7800;  // 2^15
  a[1] = 0x0400;  // 2^-14, lost beside it
  a[8] = 0xf800;  // -2^15
  a[9] = 0x0400;
  const auto left = [&](int unit) {
    return value_of({Type::f32, assay_tile_block(unit, tile_f16, tile_f32, a.data(), b.data(), 16, 0)});
  };
  RULE_EQ("MMA-8", 0.0, left(80));
  RULE_EQ("MMA-8", 0.0, left(90));
  a[9] = 0;
  b[1] = 0x6400;         // 2^10: 2^-4 in all
  b[0] = b[8] = 0x4800;  // 2^18 and back
  a[1] = 0x0500;         // 1.25 * 2^-14 * 2^10: its last bit is 2^-6, which stays beside 2^18
  RULE_EQ("MMA-8", 1.25 * 0x1p-4, left(90));
  RULE_EQ("MMA-8", 0x1p-4, left(80));  // the first half is cut to f32
  interp::Random r(5);
  for (int n = 0; n < 5000; ++n) {
    const bool bf = n % 2 == 1, half = n % 3 == 2 && !bf;
    const Type takes = bf ? Type::bf16 : Type::f16, sum = half ? Type::f16 : Type::f32;
    const TileUnit unit = n % 5 < 2 ? TileUnit::sm_80 : TileUnit::sm_90;
    std::vector<TileTerm> terms(n % 4 == 0 ? 8 : 16);
    std::vector<std::uint16_t> x, y;
    for (TileTerm& t : terms) {
      t = {{takes, draw(r, takes)}, {takes, draw(r, takes)}};
      x.push_back(static_cast<std::uint16_t>(t.left.bits));
      y.push_back(static_cast<std::uint16_t>(t.right.bits));
    }
    const Scalar c{sum, draw(r, sum)};
    numerics::Flags flags;
    const Scalar doubles = interp::tile_block(unit, takes, terms, c, flags);
    const Scalar bits{
        sum, assay_tile_block(unit == TileUnit::sm_80 ? 80 : 90, bf ? tile_bf16 : tile_f16, half ? tile_f16 : tile_f32,
                              x.data(), y.data(), static_cast<int>(terms.size()), static_cast<std::uint32_t>(c.bits))};
    RULE_TRUE("MMA-8", same(doubles, bits));
  }
}

}  // namespace
}  // namespace assay::codegen::test
