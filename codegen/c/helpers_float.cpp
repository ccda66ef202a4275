// Float operations that are exact or rounded once: selection by order, signs, integer parts, and all arithmetic of the
// types of 16 and 8 bits, which is done in double and rounded once.
//
// Why double is enough there: sums and products of two such numbers are exact in double, or (a bf16 sum of terms more than
// 40 binary orders apart) so close to the larger term that both roundings give it; quotients and roots cannot come closer
// to a tie of an at most 12-bit significand than 2^-25 relative unless they are that tie. Only x*y + z needs care: its
// double sum is rounded to odd, after which rounding to fewer bits equals a single rounding.
#include "codegen/c/helpers.hpp"
#include "codegen/c/text.hpp"

namespace assay::codegen {
namespace {

std::string_view selecting_pattern(Op op) {
  switch (op) {
    case Op::max:
      return "static inline $T $w_$t($T a, $T b) { /* NaN wins, -0 < +0 */\n"
             "  const double x = $V(a), y = $V(b);\n"
             "  if (x != x) return a;\n"
             "  if (y != y) return b;\n"
             "  if (x == y) return signbit(x) ? b : a;\n"
             "  return x > y ? a : b;\n"
             "}\n";
    case Op::min:
      return "static inline $T $w_$t($T a, $T b) { /* NaN wins, -0 < +0 */\n"
             "  const double x = $V(a), y = $V(b);\n"
             "  if (x != x) return a;\n"
             "  if (y != y) return b;\n"
             "  if (x == y) return signbit(x) ? a : b;\n"
             "  return x < y ? a : b;\n"
             "}\n";
    case Op::maxnum:
      return "static inline $T $w_$t($T a, $T b) { /* a number wins over NaN, -0 < +0 */\n"
             "  const double x = $V(a), y = $V(b);\n"
             "  if (x != x) return b;\n"
             "  if (y != y) return a;\n"
             "  if (x == y) return signbit(x) ? b : a;\n"
             "  return x > y ? a : b;\n"
             "}\n";
    case Op::minnum:
      return "static inline $T $w_$t($T a, $T b) { /* a number wins over NaN, -0 < +0 */\n"
             "  const double x = $V(a), y = $V(b);\n"
             "  if (x != x) return b;\n"
             "  if (y != y) return a;\n"
             "  if (x == y) return signbit(x) ? a : b;\n"
             "  return x < y ? a : b;\n"
             "}\n";
    case Op::relu:
      return "static inline $T $w_$t($T a) { /* NaN stays, -0 becomes +0 */\n"
             "  const double x = $V(a);\n"
             "  return x != x || x > 0 ? a : 0;\n"
             "}\n";
    case Op::sat01:
      return "static inline $T $w_$t($T a) { /* NaN stays, -0 becomes +0 */\n"
             "  const double x = $V(a);\n"
             "  if (x != x) return a;\n"
             "  return x > 0 ? (x < 1 ? a : $1) : 0;\n"
             "}\n";
    default: return {};
  }
}

std::string_view wide_pattern(Op op) {
  switch (op) {
    case Op::abs: return "static inline $T $w_$t($T a) { return fabs$f(a); }\n";
    case Op::fma: return "static inline $T $w_$t($T a, $T b, $T c) { return fma$f(a, b, c); }\n";
    case Op::sqrt: return "static inline $T $w_$t($T a) { return sqrt$f(a); }\n";
    case Op::recip: return "static inline $T $w_$t($T a) { return $1 / a; }\n";
    case Op::trunc:
    case Op::floor:
    case Op::ceil: return "static inline $T $w_$t($T a) { return $w$f(a); }\n";
    default: return {};
  }
}

std::string_view narrow_pattern(Op op) {
  switch (op) {
    case Op::neg: return "static inline $T $w_$t($T a) { return ($T)(a ^ $S); }\n";
    case Op::abs: return "static inline $T $w_$t($T a) { return ($T)(a & ~$S); }\n";
    case Op::add: return "static inline $T $w_$t($T a, $T b) { return $N($V(a) + $V(b)); }\n";
    case Op::sub: return "static inline $T $w_$t($T a, $T b) { return $N($V(a) - $V(b)); }\n";
    case Op::mul: return "static inline $T $w_$t($T a, $T b) { return $N($V(a) * $V(b)); }\n";
    case Op::div: return "static inline $T $w_$t($T a, $T b) { return $N($V(a) / $V(b)); }\n";
    case Op::fma: return "static inline $T $w_$t($T a, $T b, $T c) { return $N(add_to_odd($V(a) * $V(b), $V(c))); }\n";
    case Op::sqrt: return "static inline $T $w_$t($T a) { return $N(sqrt($V(a))); }\n";
    case Op::recip: return "static inline $T $w_$t($T a) { return $N(1 / $V(a)); }\n";
    case Op::trunc:
    case Op::floor:
    case Op::ceil: return "static inline $T $w_$t($T a) { return $N($w($V(a))); }\n";
    case Op::eq: return "static inline int $w_$t($T a, $T b) { return $V(a) == $V(b); }\n";
    case Op::ne: return "static inline int $w_$t($T a, $T b) { return $V(a) != $V(b); }\n";
    case Op::lt: return "static inline int $w_$t($T a, $T b) { return $V(a) < $V(b); }\n";
    case Op::le: return "static inline int $w_$t($T a, $T b) { return $V(a) <= $V(b); }\n";
    case Op::gt: return "static inline int $w_$t($T a, $T b) { return $V(a) > $V(b); }\n";
    case Op::ge: return "static inline int $w_$t($T a, $T b) { return $V(a) >= $V(b); }\n";
    default: return {};
  }
}

}  // namespace

std::string Helpers::real(Op op, Type t) {
  const bool narrow = bit_width(t) <= 16;
  const std::string type(name(t));
  const std::string value = narrow ? use("f64_from_" + type) : "";
  std::string_view one = "1.0";
  if (t == Type::f32) one = "1.0f";
  if (t == Type::f16) one = "0x3c00";
  if (t == Type::bf16) one = "0x3f80";
  if (t == Type::f8e5m2) one = "0x3c";
  if (t == Type::f8e4m3fn) one = "0x38";
  std::string_view pattern = selecting_pattern(op);
  std::string rounded;
  if (pattern.empty()) {
    pattern = narrow ? narrow_pattern(op) : wide_pattern(op);
    if (narrow && pattern.find("$N") != std::string_view::npos) rounded = use(type + "_from_f64");
    if (narrow && op == Op::fma) use("add_to_odd");
  }
  return fill(pattern, {{"$T", c_type(t)},
                        {"$V", value},
                        {"$N", rounded},
                        {"$1", one},
                        {"$S", is_f8(t) ? "0x80" : "0x8000"},
                        {"$f", t == Type::f32 ? "f" : ""},
                        {"$w", word(op)},
                        {"$t", type}});
}

}  // namespace assay::codegen
