// Functions below f64 for devices, evaluated in pairs of doubles.
//
// A device has no long double, and what its library promises of double does not decide how an f32 is to be rounded. So the text
// evaluates functions itself, as a sum of two doubles that is right to about 95 bits, by additions, products and fma alone: it
// has the same bits on every machine with IEEE doubles. The sum is rounded to a double with an odd last place where it is
// inexact; what rounds that once more, to f32 or narrower, rounds the sum. Series run until what is left out is below the last
// place of a pair; their coefficients are pairs too. A spec page says why that is enough (spec/codegen-cuda.md, CUDA-6).
#include <algorithm>
#include <array>

#include "codegen/c/helpers.hpp"

namespace assay::codegen {
namespace {

constexpr std::array helpers{
    RuntimeHelper{
        "pair_f64", "",
        R"(/* A number as the sum of two doubles, the second at most half a unit in the last place of the first. Only additions, products
 * and fma, each rounded to nearest: the same bits on every machine. */
typedef struct {
  double hi, lo;
} pair_f64;
static inline pair_f64 pair_of_f64(double hi, double lo) {
  pair_f64 p;
  p.hi = hi;
  p.lo = lo;
  return p;
}
/* a + b exactly, of |a| >= |b|. */
static inline pair_f64 pair_short_f64(double a, double b) {
  const double s = a + b;
  return pair_of_f64(s, b - (s - a));
}
/* a + b exactly. */
static inline pair_f64 pair_sum_f64(double a, double b) {
  const double s = a + b, t = s - a;
  return pair_of_f64(s, (a - (s - t)) + (b - t));
}
static inline pair_f64 pair_add_f64(pair_f64 a, pair_f64 b) {
  const pair_f64 s = pair_sum_f64(a.hi, b.hi), t = pair_sum_f64(a.lo, b.lo), u = pair_short_f64(s.hi, s.lo + t.hi);
  return pair_short_f64(u.hi, u.lo + t.lo);
}
static inline pair_f64 pair_mul_f64(pair_f64 a, pair_f64 b) {
  const double p = a.hi * b.hi;
  return pair_short_f64(p, fma(a.hi, b.lo, fma(a.lo, b.hi, fma(a.hi, b.hi, -p))));
}
static pair_f64 pair_div_f64(pair_f64 a, pair_f64 b) {
  const double q = a.hi / b.hi;
  const pair_f64 r = pair_add_f64(a, pair_mul_f64(pair_of_f64(-q, 0), b));
  const double next = r.hi / b.hi;
  const pair_f64 rest = pair_add_f64(r, pair_mul_f64(pair_of_f64(-next, 0), b)), first = pair_short_f64(q, next);
  return pair_add_f64(first, pair_of_f64(rest.hi / b.hi, 0));
}
/* s * z + (hi + lo) */
static inline pair_f64 pair_step_f64(pair_f64 s, pair_f64 z, double hi, double lo) {
  return pair_add_f64(pair_mul_f64(s, z), pair_of_f64(hi, lo));
}
)"},
    RuntimeHelper{"pair_expm1_f64", "pair_f64", R"(/* (exp(z) - 1) / z of |z| <= 0.36 */
static pair_f64 pair_power_series_f64(pair_f64 z) {
  pair_f64 s = pair_of_f64(0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135);
  s = pair_step_f64(s, z, 0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130);
  s = pair_step_f64(s, z, 0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124);
  s = pair_step_f64(s, z, 0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120);
  s = pair_step_f64(s, z, 0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120);
  s = pair_step_f64(s, z, 0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112);
  s = pair_step_f64(s, z, 0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107);
  s = pair_step_f64(s, z, 0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103);
  s = pair_step_f64(s, z, 0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101);
  s = pair_step_f64(s, z, 0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97);
  s = pair_step_f64(s, z, 0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92);
  s = pair_step_f64(s, z, 0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87);
  s = pair_step_f64(s, z, 0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83);
  s = pair_step_f64(s, z, 0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80);
  s = pair_step_f64(s, z, 0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76);
  s = pair_step_f64(s, z, 0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73);
  s = pair_step_f64(s, z, 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76);
  s = pair_step_f64(s, z, 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73);
  s = pair_step_f64(s, z, 0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65);
  s = pair_step_f64(s, z, 0x1.1111111111111p-7, 0x1.1111111111111p-63);
  s = pair_step_f64(s, z, 0x1.5555555555555p-5, 0x1.5555555555555p-59);
  s = pair_step_f64(s, z, 0x1.5555555555555p-3, 0x1.5555555555555p-57);
  s = pair_step_f64(s, z, 0x1p-1, 0);
  s = pair_step_f64(s, z, 1, 0);
  return s;
}
/* exp(z) - 1, of |z| <= 0.36 */
static inline pair_f64 pair_expm1_f64(pair_f64 z) { return pair_mul_f64(z, pair_power_series_f64(z)); }
)"},
    RuntimeHelper{"pair_exp2_f64", "pair_expm1_f64",
                  R"(/* 2 to the power y; beyond 2^200 and below 2^-200 some number there. */
static pair_f64 pair_exp2_f64(pair_f64 y) {
  if (y.hi > 200) return pair_of_f64(0x1p200, 0);
  if (y.hi < -200) return pair_of_f64(0x1p-200, 0);
  const double whole = rint(y.hi);
  const pair_f64 rest = pair_add_f64(pair_of_f64(y.hi - whole, 0), pair_of_f64(y.lo, 0));
  const pair_f64 e = pair_add_f64(pair_of_f64(1, 0), pair_expm1_f64(pair_mul_f64(rest, pair_of_f64(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56))));
  return pair_of_f64(ldexp(e.hi, (int)whole), ldexp(e.lo, (int)whole));
}
)"},
    RuntimeHelper{"pair_log_f64", "pair_f64", R"(/* atanh(s) / s by z = s * s, of |s| <= 0.172 */
static pair_f64 pair_atanh_series_f64(pair_f64 z) {
  pair_f64 s = pair_of_f64(0x1.8f9c18f9c18fap-6, -0x1.f3831f3831f38p-61);
  s = pair_step_f64(s, z, 0x1.a41a41a41a41ap-6, 0x1.069069069069p-60);
  s = pair_step_f64(s, z, 0x1.bacf914c1badp-6, -0x1.bacf914c1badp-60);
  s = pair_step_f64(s, z, 0x1.d41d41d41d41dp-6, 0x1.075075075075p-60);
  s = pair_step_f64(s, z, 0x1.f07c1f07c1f08p-6, -0x1.f07c1f07c1f08p-61);
  s = pair_step_f64(s, z, 0x1.0842108421084p-5, 0x1.0842108421084p-60);
  s = pair_step_f64(s, z, 0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b96p-61);
  s = pair_step_f64(s, z, 0x1.2f684bda12f68p-5, 0x1.2f684bda12f68p-59);
  s = pair_step_f64(s, z, 0x1.47ae147ae147bp-5, -0x1.eb851eb851eb8p-61);
  s = pair_step_f64(s, z, 0x1.642c8590b2164p-5, 0x1.642c8590b2164p-60);
  s = pair_step_f64(s, z, 0x1.8618618618618p-5, 0x1.8618618618618p-59);
  s = pair_step_f64(s, z, 0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59);
  s = pair_step_f64(s, z, 0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61);
  s = pair_step_f64(s, z, 0x1.1111111111111p-4, 0x1.1111111111111p-60);
  s = pair_step_f64(s, z, 0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58);
  s = pair_step_f64(s, z, 0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59);
  s = pair_step_f64(s, z, 0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58);
  s = pair_step_f64(s, z, 0x1.2492492492492p-3, 0x1.2492492492492p-57);
  s = pair_step_f64(s, z, 0x1.999999999999ap-3, -0x1.999999999999ap-57);
  s = pair_step_f64(s, z, 0x1.5555555555555p-2, 0x1.5555555555555p-56);
  s = pair_step_f64(s, z, 1, 0);
  return s;
}
/* The logarithm of the significand of x, between 0.7 and 1.42, and the exponent that goes with it; x is a positive normal
 * number of at most 24 bits. */
static pair_f64 pair_log_f64(double x, double *exponent) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int e = (int)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffff) | (uint64_t)1023 << 52;
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135) {
    m *= 0.5;
    e += 1;
  }
  *exponent = e;
  const pair_f64 s = pair_div_f64(pair_of_f64(m - 1, 0), pair_of_f64(m + 1, 0));
  const pair_f64 r = pair_mul_f64(s, pair_atanh_series_f64(pair_mul_f64(s, s)));
  return pair_of_f64(2 * r.hi, 2 * r.lo);
}
)"},
    RuntimeHelper{"odd_exp_f64", "pair_exp2_f64 add_to_odd", R"(static double odd_exp_f64(double x) {
  if (x != x) return x;
  if (x > 140) return INFINITY;
  if (x < -140) return x == -INFINITY ? 0 : 0x1p-200;
  const pair_f64 e = pair_exp2_f64(pair_mul_f64(pair_of_f64(x, 0), pair_of_f64(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56)));
  return add_to_odd(e.hi, e.lo);
}
)"},
    RuntimeHelper{"odd_exp2_f64", "pair_exp2_f64 add_to_odd", R"(static double odd_exp2_f64(double x) {
  if (x != x || x == INFINITY) return x;
  if (x == -INFINITY) return 0;
  const pair_f64 e = pair_exp2_f64(pair_of_f64(x, 0));
  return add_to_odd(e.hi, e.lo);
}
)"},
    RuntimeHelper{"odd_log_f64", "pair_log_f64 add_to_odd", R"(static double odd_log_f64(double x) {
  if (x != x || x == INFINITY) return x;
  if (x <= 0) return x == 0 ? -INFINITY : NAN;
  double e;
  const pair_f64 m = pair_log_f64(x, &e), l = pair_add_f64(pair_mul_f64(pair_of_f64(e, 0), pair_of_f64(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)), m);
  return add_to_odd(l.hi, l.lo);
}
)"},
    RuntimeHelper{"odd_log2_f64", "pair_log_f64 add_to_odd", R"(static double odd_log2_f64(double x) {
  if (x != x || x == INFINITY) return x;
  if (x <= 0) return x == 0 ? -INFINITY : NAN;
  double e;
  const pair_f64 m = pair_log_f64(x, &e), l = pair_add_f64(pair_of_f64(e, 0), pair_mul_f64(m, pair_of_f64(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56)));
  return add_to_odd(l.hi, l.lo);
}
)"},
    RuntimeHelper{"odd_tanh_f64", "pair_expm1_f64 add_to_odd", R"(static double odd_tanh_f64(double x) {
  if (x != x || x == 0) return x;
  const double a = fabs(x);
  pair_f64 t = pair_of_f64(1, -0x1p-60); /* of large arguments */
  if (a < 20) {
    /* exp(2 a) - 1 */
    const double whole = rint(2 * a * 0x1.71547652b82fep0);
    const pair_f64 rest = pair_add_f64(pair_of_f64(2 * a, 0), pair_mul_f64(pair_of_f64(-whole, 0), pair_of_f64(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)));
    pair_f64 u = pair_expm1_f64(rest);
    const double scale = ldexp(1.0, (int)whole);
    u = pair_add_f64(pair_of_f64(scale * u.hi, scale * u.lo), pair_sum_f64(scale, -1));
    t = pair_div_f64(u, pair_add_f64(u, pair_of_f64(2, 0)));
  }
  const double odd = a == INFINITY ? 1 : add_to_odd(t.hi, t.lo);
  return x < 0 ? -odd : odd;
}
)"},
    RuntimeHelper{
        "pair_quarters_f64", "pair_f64",
        R"(/* x as a number of quarter turns, mod 4, and what is left between -pi/4 and pi/4; x is a finite number of at most 24 bits. */
static pair_f64 pair_quarters_f64(double x, int *quarters) {
  const uint32_t words[11] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x00000000u}; /* 2 / pi, after 32 bits that are 0 */
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  *quarters = 0;
  if (exponent < -1) return pair_of_f64(x, 0);
  /* Of the significand, an integer of 24 bits, times 2 / pi: the bits from 2 on, 160 of them. */
  const uint32_t significand = (uint32_t)((bits & 0xfffffffffffff) >> 29) | 0x800000;
  const int at = exponent - 23 - 2 + 32, shift = at & 31;
  uint32_t turn[5];
  uint64_t carry = 0;
  for (int i = 4; i >= 0; --i) {
    const uint64_t two = (uint64_t)words[(at >> 5) + i] << 32 | words[(at >> 5) + i + 1];
    carry += (uint64_t)significand * (uint32_t)(two >> (32 - shift));
    turn[i] = (uint32_t)carry;
    carry >>= 32;
  }
  const int negative = turn[0] >> 29 & 1; /* more than half of a quarter is counted from the next */
  *quarters = (int)((turn[0] >> 30) + (uint32_t)negative) & 3;
  /* The fraction, shifted to the top; negated where it is negative. */
  uint32_t lower = 0;
  for (int i = 4; i >= 0; --i) {
    const uint32_t word = turn[i];
    turn[i] = word << 2 | lower;
    lower = word >> 30;
  }
  if (negative) {
    carry = 1;
    for (int i = 4; i >= 0; --i) {
      carry += (uint32_t)~turn[i];
      turn[i] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  pair_f64 fraction = pair_of_f64(0, 0);
  for (int i = 4; i >= 0; --i) fraction = pair_add_f64(pair_of_f64(ldexp((double)turn[i], -32 * (i + 1)), 0), fraction);
  if (negative) fraction = pair_of_f64(-fraction.hi, -fraction.lo);
  const pair_f64 z = pair_mul_f64(fraction, pair_of_f64(0x1.921fb54442d18p0, 0x1.1a62633145c07p-54));
  if (x > 0) return z;
  *quarters = -*quarters & 3;
  return pair_of_f64(-z.hi, -z.lo);
}
)"},
    RuntimeHelper{"odd_turn_f64", "pair_quarters_f64 add_to_odd", R"(/* sin(r) / r by z = r * r, of |r| <= pi / 4 */
static pair_f64 pair_sin_series_f64(pair_f64 z) {
  pair_f64 s = pair_of_f64(0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139);
  s = pair_step_f64(s, z, -0x1.761b41316381ap-75, 0x1.3423c7d91404fp-130);
  s = pair_step_f64(s, z, 0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120);
  s = pair_step_f64(s, z, -0x1.2f49b46814157p-57, -0x1.2650f61dbdcb4p-112);
  s = pair_step_f64(s, z, 0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103);
  s = pair_step_f64(s, z, -0x1.ae7f3e733b81fp-41, -0x1.1d8656b0ee8cbp-97);
  s = pair_step_f64(s, z, 0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87);
  s = pair_step_f64(s, z, -0x1.ae64567f544e4p-26, 0x1.c062e06d1f209p-80);
  s = pair_step_f64(s, z, 0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73);
  s = pair_step_f64(s, z, -0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73);
  s = pair_step_f64(s, z, 0x1.1111111111111p-7, 0x1.1111111111111p-63);
  s = pair_step_f64(s, z, -0x1.5555555555555p-3, -0x1.5555555555555p-57);
  s = pair_step_f64(s, z, 1, 0);
  return s;
}
/* cos(r) by z = r * r, of |r| <= pi / 4 */
static pair_f64 pair_cos_series_f64(pair_f64 z) {
  pair_f64 s = pair_of_f64(0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135);
  s = pair_step_f64(s, z, -0x1.0ce396db7f853p-70, 0x1.aebcdbd20331cp-124);
  s = pair_step_f64(s, z, 0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120);
  s = pair_step_f64(s, z, -0x1.6827863b97d97p-53, -0x1.eec01221a8b0bp-107);
  s = pair_step_f64(s, z, 0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101);
  s = pair_step_f64(s, z, -0x1.93974a8c07c9dp-37, -0x1.05d6f8a2efd1fp-92);
  s = pair_step_f64(s, z, 0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83);
  s = pair_step_f64(s, z, -0x1.27e4fb7789f5cp-22, -0x1.cbbc05b4fa99ap-76);
  s = pair_step_f64(s, z, 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76);
  s = pair_step_f64(s, z, -0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65);
  s = pair_step_f64(s, z, 0x1.5555555555555p-5, 0x1.5555555555555p-59);
  s = pair_step_f64(s, z, -0x1p-1, 0);
  s = pair_step_f64(s, z, 1, 0);
  return s;
}
/* The sine of x and `more` quarter turns. */
static double odd_turn_f64(double x, int more) {
  if (x - x != 0) return NAN;
  if (x == 0) return more == 0 ? x : 1;
  int quarters;
  const pair_f64 r = pair_quarters_f64(x, &quarters), z = pair_mul_f64(r, r);
  quarters += more;
  const pair_f64 s = (quarters & 1) != 0 ? pair_cos_series_f64(z) : pair_mul_f64(r, pair_sin_series_f64(z));
  const double odd = add_to_odd(s.hi, s.lo);
  return (quarters & 2) != 0 ? -odd : odd;
}
)"},
    RuntimeHelper{"odd_sin_f64", "odd_turn_f64",
                  R"(static inline double odd_sin_f64(double x) { return odd_turn_f64(x, 0); }
)"},
    RuntimeHelper{"odd_cos_f64", "odd_turn_f64",
                  R"(static inline double odd_cos_f64(double x) { return odd_turn_f64(x, 1); }
)"},
    RuntimeHelper{"odd_pow_f64", "pair_log_f64 pair_exp2_f64 add_to_odd",
                  R"(static double odd_pow_f64(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return NAN;
  const double a = fabs(x);
  const int whole = floor(y) == y, odd = whole && fabs(y) < 0x1p53 && floor(y * 0.5) != y * 0.5;
  const double sign = signbit(x) && odd ? -1 : 1;
  if (a == 0) return y < 0 ? sign * INFINITY : sign * 0.0;
  if (a == INFINITY) return y < 0 ? sign * 0.0 : sign * INFINITY;
  if (fabs(y) == INFINITY) return a == 1 ? 1 : (a > 1) == (y > 0) ? INFINITY : 0;
  if (x < 0 && !whole) return NAN;
  double e;
  const pair_f64 m = pair_mul_f64(pair_log_f64(a, &e), pair_of_f64(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
  const pair_f64 whole_part = pair_mul_f64(pair_of_f64(e, 0), pair_of_f64(y, 0)); /* exact */
  const pair_f64 power = pair_exp2_f64(pair_add_f64(whole_part, pair_mul_f64(m, pair_of_f64(y, 0))));
  /* A power that is a double has a second part that is an error only. */
  const double lo = fabs(power.lo) < power.hi * 0x1p-94 ? 0 : power.lo;
  return sign * add_to_odd(power.hi, lo);
}
)"},
};

}  // namespace

const RuntimeHelper* find_pair_helper(std::string_view name) {
  const auto found =
      std::find_if(helpers.begin(), helpers.end(), [&](const RuntimeHelper& h) { return h.name == name; });
  return found == helpers.end() ? nullptr : &*found;
}

}  // namespace assay::codegen
