// Helpers that are no operation of the language: conversions of narrow floats, index arithmetic, lanes, checks of the entry.
#include <algorithm>
#include <array>

#include "codegen/c/helpers.hpp"

namespace assay::codegen {
namespace {

constexpr std::array helpers{
    RuntimeHelper{"index_floordiv", "",
                  "static inline int64_t index_floordiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }\n"},
    RuntimeHelper{
        "index_floormod", "",
        "static inline int64_t index_floormod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }\n"},
    RuntimeHelper{"index_min", "", "static inline int64_t index_min(int64_t a, int64_t b) { return a < b ? a : b; }\n"},
    RuntimeHelper{"index_max", "", "static inline int64_t index_max(int64_t a, int64_t b) { return a > b ? a : b; }\n"},
    RuntimeHelper{"index_next", "",
                  "static inline int64_t index_next(int64_t i, int64_t step, int64_t end) { /* i + step, but never "
                  "past the range of int64_t */\n"
                  "  return (uint64_t)end - (uint64_t)i > (uint64_t)step ? i + step : end;\n"
                  "}\n"},
    RuntimeHelper{"trip_count", "",
                  "static inline int64_t trip_count(int64_t lo, int64_t hi, int64_t step) {\n"
                  "  return lo < hi ? (int64_t)(((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step) + 1 : 0;\n"
                  "}\n"},
    RuntimeHelper{
        "swizzled", "",
        "static inline int64_t swizzled(int64_t at, int64_t columns, int64_t unit) { /* the cell of element at */\n"
        "  const int64_t row = at / columns, column = at % columns;\n"
        "  return row * columns + (column / unit ^ row % (columns / unit)) * unit + column % unit;\n"
        "}\n"},
    RuntimeHelper{
        "allocate", "",
        "static void *allocate(int64_t count, size_t width) {\n"
        "  void *const cells = (uint64_t)count <= SIZE_MAX / width ? malloc((size_t)count * width + 1) : NULL;\n"
        "  if (cells == NULL) abort();\n"
        "  return cells;\n"
        "}\n"},
    RuntimeHelper{
        "narrow", "",
        "/* x rounded once, ties to even, to a float of `fraction` stored bits and least normal exponent `least`. */\n"
        "static uint16_t narrow(double x, int fraction, int least) {\n"
        "  uint64_t bits;\n"
        "  memcpy(&bits, &x, sizeof bits);\n"
        "  const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);\n"
        "  const uint64_t infinity = (uint64_t)(3 - 2 * least) << fraction;\n"
        "  const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;\n"
        "  if (x != x) return (uint16_t)(infinity | (uint64_t)1 << (fraction - 1));\n"
        "  if (exponent == 1024) return (uint16_t)(sign | infinity);\n"
        "  if (exponent < least - fraction - 1) return sign; /* below half of the least subnormal */\n"
        "  const uint64_t significand = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;\n"
        "  const int dropped = 52 - fraction + (exponent < least ? least - exponent : 0);\n"
        "  const uint64_t rest = significand & (((uint64_t)1 << dropped) - 1), tie = (uint64_t)1 << (dropped - 1);\n"
        "  uint64_t kept = significand >> dropped;\n"
        "  kept += rest > tie || (rest == tie && (kept & 1) != 0);\n"
        "  if (exponent > least) kept += (uint64_t)(exponent - least) << fraction;\n"
        "  return (uint16_t)(sign | (kept < infinity ? kept : infinity));\n"
        "}\n"},
    RuntimeHelper{"f16_from_f64", "narrow",
                  "static inline uint16_t f16_from_f64(double x) { return narrow(x, 10, -14); }\n"},
    RuntimeHelper{"bf16_from_f64", "narrow",
                  "static inline uint16_t bf16_from_f64(double x) { return narrow(x, 7, -126); }\n"},
    RuntimeHelper{
        "narrow8", "",
        "/* x rounded once, ties to even, to 8 bits: a whole number of the last places of its own binade. */\n"
        "static uint8_t narrow8(double x, int fraction, int least, double largest, int overflow, int nan) {\n"
        "  if (x != x) return (uint8_t)nan;\n"
        "  const int sign = signbit(x) ? 0x80 : 0;\n"
        "  if (fabs(x) >= 2 * largest) return (uint8_t)(sign | overflow);\n"
        "  uint64_t bits;\n"
        "  memcpy(&bits, &x, sizeof bits);\n"
        "  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;\n"
        "  if (exponent < least) exponent = least;\n"
        "  const double place = ldexp(1.0, exponent - fraction), count = rint(fabs(x) / place);\n"
        "  if (count * place > largest) return (uint8_t)(sign | overflow);\n"
        "  return (uint8_t)(sign | (((exponent - least) << fraction) + (int)count));\n"
        "}\n"},
    RuntimeHelper{
        "f8e5m2_from_f64", "narrow8",
        "static inline uint8_t f8e5m2_from_f64(double x) { return narrow8(x, 2, -14, 57344, 0x7c, 0x7e); }\n"},
    RuntimeHelper{"f8e5m2_sat_from_f64", "narrow8",
                  "static inline uint8_t f8e5m2_sat_from_f64(double x) { return narrow8(x, 2, -14, 57344, 0x7b, 0x7e); "
                  "}\n"},
    RuntimeHelper{"f8e4m3fn_from_f64", "narrow8",
                  "static inline uint8_t f8e4m3fn_from_f64(double x) { return narrow8(x, 3, -6, 448, 0x7f, 0x7f); }\n"},
    RuntimeHelper{"f8e4m3fn_sat_from_f64", "narrow8",
                  "static inline uint8_t f8e4m3fn_sat_from_f64(double x) { return narrow8(x, 3, -6, 448, 0x7e, 0x7f); "
                  "}\n"},
    RuntimeHelper{"f64_from_f8e5m2", "f64_from_f16",
                  "static inline double f64_from_f8e5m2(uint8_t a) { return f64_from_f16((uint16_t)(a << 8)); }\n"},
    RuntimeHelper{"f64_from_f8e4m3fn", "",
                  "static double f64_from_f8e4m3fn(uint8_t a) {\n"
                  "  const int exponent = a >> 3 & 15, fraction = a & 7;\n"
                  "  if ((a & 0x7f) == 0x7f) return NAN;\n"
                  "  const double x = exponent == 0 ? fraction * 0x1p-9 : ldexp(8.0 + fraction, exponent - 10);\n"
                  "  return a >= 0x80 ? -x : x;\n"
                  "}\n"},
    RuntimeHelper{"u32x4", "", "typedef struct {\n  uint32_t w[4];\n} u32x4;\n"},
    RuntimeHelper{"rotate_left", "",
                  "static inline uint32_t rotate_left(uint32_t x, int by) { return x << by | x >> (32 - by); }\n"},
    RuntimeHelper{"threefry_mix", "rotate_left",
                  "/* Two steps over the pairs (0, 1) and (2, 3), the odd words changing places after each. */\n"
                  "static void threefry_mix(uint32_t *x, int r0, int r1, int r2, int r3) {\n"
                  "  x[0] += x[1];\n"
                  "  x[2] += x[3];\n"
                  "  const uint32_t one = rotate_left(x[1], r0) ^ x[0], three = rotate_left(x[3], r1) ^ x[2];\n"
                  "  x[0] += three;\n"
                  "  x[2] += one;\n"
                  "  x[1] = rotate_left(one, r3) ^ x[2];\n"
                  "  x[3] = rotate_left(three, r2) ^ x[0];\n"
                  "}\n"},
    RuntimeHelper{"threefry_key", "",
                  "/* Adds words i … i + 3 of the extended key, of which there are five, and i to the last word. */\n"
                  "static void threefry_key(uint32_t *x, const uint32_t *key, uint32_t i) {\n"
                  "  const uint32_t all = key[0] ^ key[1] ^ key[2] ^ key[3] ^ 0x1bd11bdau;\n"
                  "  for (uint32_t k = 0; k < 4; ++k) x[k] += (i + k) % 5 == 4 ? all : key[(i + k) % 5];\n"
                  "  x[3] += i;\n"
                  "}\n"},
    RuntimeHelper{
        "f64_from_f16", "",
        "static double f64_from_f16(uint16_t a) {\n"
        "  const uint64_t sign = (uint64_t)(a & 0x8000) << 48, exponent = a >> 10 & 31, fraction = a & 0x3ff;\n"
        "  if (exponent == 0) return sign != 0 ? -(double)fraction * 0x1p-24 : (double)fraction * 0x1p-24;\n"
        "  const uint64_t bits = sign | (exponent == 31 ? (uint64_t)0x7ff : exponent + 1008) << 52 | fraction << 42;\n"
        "  double x;\n"
        "  memcpy(&x, &bits, sizeof x);\n"
        "  return x;\n"
        "}\n"},
    RuntimeHelper{"f64_from_bf16", "",
                  "static inline double f64_from_bf16(uint16_t a) {\n"
                  "  const uint32_t bits = (uint32_t)a << 16;\n"
                  "  float x;\n"
                  "  memcpy(&x, &bits, sizeof x);\n"
                  "  return x;\n"
                  "}\n"},
    RuntimeHelper{
        "add_to_odd", "",
        "/* p + c; an inexact sum gets an odd last bit, so that rounding it further equals rounding the exact sum. */\n"
        "static double add_to_odd(double p, double c) {\n"
        "  const double s = p + c, t = s - p;\n"
        "  if (s - s != 0) return s; /* infinite or NaN */\n"
        "  const double error = (p - (s - t)) + (c - t);\n"
        "  uint64_t bits;\n"
        "  memcpy(&bits, &s, sizeof bits);\n"
        "  if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (s > 0) ? 1 : UINT64_MAX;\n"
        "  double odd;\n"
        "  memcpy(&odd, &bits, sizeof odd);\n"
        "  return odd;\n"
        "}\n"},
    RuntimeHelper{"odd_from_u64", "",
                  "/* The integer as double; an inexact one gets an odd last bit, so that rounding it further is a "
                  "single rounding. */\n"
                  "static double odd_from_u64(uint64_t a) {\n"
                  "  return a >> 53 == 0 ? (double)a : (double)(a >> 11 | ((a & 0x7ff) != 0)) * 0x1p11;\n"
                  "}\n"},
    RuntimeHelper{"odd_from_i64", "odd_from_u64",
                  "static inline double odd_from_i64(int64_t a) { return a < 0 ? -odd_from_u64(0 - (uint64_t)a) : "
                  "odd_from_u64((uint64_t)a); }\n"},
    RuntimeHelper{"i8_from_f64", "",
                  "static inline int8_t i8_from_f64(double x) { return x != x ? 0 : x <= -0x1p7 ? INT8_MIN : x >= "
                  "0x1p7 ? INT8_MAX : (int8_t)x; }\n"},
    RuntimeHelper{"i16_from_f64", "",
                  "static inline int16_t i16_from_f64(double x) { return x != x ? 0 : x <= -0x1p15 ? INT16_MIN : x >= "
                  "0x1p15 ? INT16_MAX : (int16_t)x; }\n"},
    RuntimeHelper{"i32_from_f64", "",
                  "static inline int32_t i32_from_f64(double x) { return x != x ? 0 : x <= -0x1p31 ? INT32_MIN : x >= "
                  "0x1p31 ? INT32_MAX : (int32_t)x; }\n"},
    RuntimeHelper{"i64_from_f64", "",
                  "static inline int64_t i64_from_f64(double x) { return x != x ? 0 : x <= -0x1p63 ? INT64_MIN : x >= "
                  "0x1p63 ? INT64_MAX : (int64_t)x; }\n"},
    RuntimeHelper{
        "u8_from_f64", "",
        "static inline uint8_t u8_from_f64(double x) { return !(x > 0) ? 0 : x >= 0x1p8 ? UINT8_MAX : (uint8_t)x; }\n"},
    RuntimeHelper{"u16_from_f64", "",
                  "static inline uint16_t u16_from_f64(double x) { return !(x > 0) ? 0 : x >= 0x1p16 ? UINT16_MAX : "
                  "(uint16_t)x; }\n"},
    RuntimeHelper{"u32_from_f64", "",
                  "static inline uint32_t u32_from_f64(double x) { return !(x > 0) ? 0 : x >= 0x1p32 ? UINT32_MAX : "
                  "(uint32_t)x; }\n"},
    RuntimeHelper{"u64_from_f64", "",
                  "static inline uint64_t u64_from_f64(double x) { return !(x > 0) ? 0 : x >= 0x1p64 ? UINT64_MAX : "
                  "(uint64_t)x; }\n"},
    RuntimeHelper{"flag", "", "static int flag(int x) { return x; }\n"},
    RuntimeHelper{"unfolded", "", "static double unfolded(double x) { return x; }\n"},
    RuntimeHelper{"environment", "",
                  "/* 0 when arithmetic rounds to nearest and keeps subnormals. */\n"
                  "static int environment(void) {\n"
                  "  volatile float one = 1.0f, below_tie = 0x1p-24f, above_tie = 0x1.8p-24f, least_normal = "
                  "0x1p-126f, least = 0x1p-149f;\n"
                  "  if (fegetround() != FE_TONEAREST) return 1;\n"
                  "  if (one + below_tie != one || -one - below_tie != -one || !(one + above_tie > one) || !(-one - "
                  "above_tie < -one)) return 1;\n"
                  "  volatile float half = least_normal * 0.5f, normal = least * 0x1p40f;\n"
                  "  return half == 0.0f || normal == 0.0f ? 2 : 0;\n"
                  "}\n"},
    RuntimeHelper{"extended", "",
                  "/* Whether long double has the 64 significant bits that the functions need. */\n"
                  "static int extended(void) {\n"
                  "  volatile long double one = 1.0L, last = 0x1p-63L;\n"
                  "  return one + last != one;\n"
                  "}\n"},
    RuntimeHelper{"extent_product", "",
                  "/* The product of two positive extents, at most the greatest uint32_t. */\n"
                  "static inline uint64_t extent_product(uint64_t a, uint64_t b) {\n"
                  "  return a > UINT32_MAX / b ? UINT32_MAX : a * b;\n"
                  "}\n"},
    RuntimeHelper{"overlap", "",
                  "static int overlap(void *const *buffers, const uint64_t *bytes, int count) {\n"
                  "  for (int a = 0; a < count; ++a) {\n"
                  "    for (int b = 0; b < a; ++b) {\n"
                  "      const uintptr_t p = (uintptr_t)buffers[a], q = (uintptr_t)buffers[b];\n"
                  "      if (p < q + bytes[b] && q < p + bytes[a]) return 1;\n"
                  "    }\n"
                  "  }\n"
                  "  return 0;\n"
                  "}\n"},
};

}  // namespace

const RuntimeHelper* find_runtime_helper(std::string_view name) {
  const auto found =
      std::find_if(helpers.begin(), helpers.end(), [&](const RuntimeHelper& h) { return h.name == name; });
  return found == helpers.end() ? find_pair_helper(name) : &*found;
}

}  // namespace assay::codegen
