// exp, exp2, log, log2, sin, cos, tanh, rsqrt and pow.
//
// f32 and narrower: correctly rounded. The x87 long double functions of the C library are off by at most a few units of a
// 64-bit significand; for no f32 argument does the exact value of one of the univariate functions come that close to a tie
// of two floats unless it is the tie (exhaustively searched: spec/codegen-c.md), so one rounding of the long double is the
// correct one. For pow the exact value can be a tie, and hard cases are too many to list: where the long double cannot
// decide, a quadruple-precision value rounded to 100 bits does. f64: the C library's functions, not promised to the bit.
// Text for devices has neither type, and evaluates in pairs of doubles (codegen/c/helpers_pairs.cpp).
#include <fmt/format.h>

#include "codegen/c/helpers.hpp"
#include "codegen/c/text.hpp"

namespace assay::codegen {

// In pairs of doubles (CUDA-6); a reciprocal root is near enough in one (spec/codegen-cuda.md).
std::string Helpers::device_function(Op op, Type t) {
  const std::string type(name(t));
  const bool narrow = bit_width(t) <= 16;
  const std::string open = narrow ? use("f64_from_" + type) + "(" : "(double)", close = narrow ? ")" : "";
  const std::string rounded = narrow ? use(type + "_from_f64") : "(float)";
  if (op == Op::rsqrt)
    return fill("static inline $T rsqrt_$t($T a) { return $R(1.0 / sqrt($(a$))); }\n",
                {{"$T", c_type(t)}, {"$(", open}, {"$)", close}, {"$R", rounded}, {"$t", type}});
  const std::string call = use(fmt::format("odd_{}_f64", word(op)));
  const std::string_view pattern = op == Op::pow
                                       ? "static inline $T $w_$t($T a, $T b) { return $R($c($(a$), $(b$))); }\n"
                                       : "static inline $T $w_$t($T a) { return $R($c($(a$))); }\n";
  return fill(
      pattern,
      {{"$T", c_type(t)}, {"$(", open}, {"$)", close}, {"$R", rounded}, {"$c", call}, {"$w", word(op)}, {"$t", type}});
}

std::string Helpers::function(Op op, Type t) {
  const std::string type(name(t));
  if (t == Type::f64) {
    if (op == Op::rsqrt) return "static inline double rsqrt_f64(double a) { return 1.0 / sqrt(a); }\n";
    if (op == Op::pow) return "static inline double pow_f64(double a, double b) { return pow(a, b); }\n";
    return fill("static inline double $w_f64(double a) { return $w(a); }\n", {{"$w", word(op)}});
  }
  if (target_ != Target::cpu) return device_function(op, t);
  long_double_ = true;
  if (t == Type::f32 && op == Op::pow) {
    quad_ = true;
    return "static float pow_f32(float a, float b) {\n"
           "  const long double r = powl(a, b);\n"
           "  const float low = (float)(r * (1.0L - 0x1p-59L)), high = (float)(r * (1.0L + 0x1p-59L));\n"
           "  if (r != r || low == high) return (float)r;\n"
           "  const __float128 q = powq(a, b), s = q * 8193; /* a tie between floats, or close: round to 100 bits "
           "first */\n"
           "  return (float)(s - (s - q));\n"
           "}\n";
  }
  const bool narrow = bit_width(t) <= 16;
  const std::string open = narrow ? use("f64_from_" + type) + "(" : "", close = narrow ? ")" : "";
  const std::string rounded = narrow ? use(type + "_from_f64") + "((double)" : "(float)", end = narrow ? ")" : "";
  std::string_view pattern = "static inline $T $w_$t($T a) { return $R$wl($(a$))$E; }\n";
  if (op == Op::rsqrt) pattern = "static inline $T $w_$t($T a) { return $R(1.0L / sqrtl($(a$)))$E; }\n";
  if (op == Op::pow) pattern = "static inline $T $w_$t($T a, $T b) { return $R$wl($(a$), $(b$))$E; }\n";
  return fill(
      pattern,
      {{"$T", c_type(t)}, {"$(", open}, {"$)", close}, {"$R", rounded}, {"$E", end}, {"$w", word(op)}, {"$t", type}});
}

}  // namespace assay::codegen
