// Integer operations: wrapping goes through unsigned arithmetic of at least 32 bits, the seven divisions are spelled out.
//
// A division by zero is a fault of the program; the helper then aborts, so that the worker process reports a crash instead
// of an arbitrary value. The least value by -1 is the one quotient that C leaves undefined: it wraps.
#include "codegen/c/helpers.hpp"
#include "codegen/c/text.hpp"

namespace assay::codegen {
namespace {

std::string_view unsigned_pattern(Op op) {
  switch (op) {
    case Op::abs:
    case Op::relu: return "static inline $T $w_$t($T a) { return a; }\n";
    case Op::floordiv:
    case Op::truncdiv:
    case Op::eucdiv: return "static inline $T $w_$t($T a, $T b) {\n  if (b == 0) abort();\n  return ($T)(a / b);\n}\n";
    case Op::ceildiv:
      return "static inline $T $w_$t($T a, $T b) {\n  if (b == 0) abort();\n  return ($T)(a / b + (a % b != 0));\n}\n";
    case Op::floormod:
    case Op::truncmod:
    case Op::eucmod: return "static inline $T $w_$t($T a, $T b) {\n  if (b == 0) abort();\n  return ($T)(a % b);\n}\n";
    default: return {};
  }
}

std::string_view signed_pattern(Op op) {
  switch (op) {
    case Op::abs: return "static inline $T $w_$t($T a) { return a < 0 ? ($T)(0 - ($U)a) : a; }\n";
    case Op::relu: return "static inline $T $w_$t($T a) { return a > 0 ? a : 0; }\n";
    case Op::floordiv:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  if (b == -1) return ($T)(0 - ($U)a);\n"
             "  return ($T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));\n"
             "}\n";
    case Op::ceildiv:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  if (b == -1) return ($T)(0 - ($U)a);\n"
             "  return ($T)(a / b + (a % b != 0 && (a < 0) == (b < 0)));\n"
             "}\n";
    case Op::truncdiv:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  if (b == -1) return ($T)(0 - ($U)a);\n"
             "  return ($T)(a / b);\n"
             "}\n";
    case Op::eucdiv:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  if (b == -1) return ($T)(0 - ($U)a);\n"
             "  return ($T)(a / b - (a % b < 0 ? (b > 0 ? 1 : -1) : 0));\n"
             "}\n";
    case Op::floormod:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  if (b == -1) return 0;\n"
             "  const $T r = ($T)(a % b);\n"
             "  return ($T)(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n"
             "}\n";
    case Op::truncmod:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  return b == -1 ? 0 : ($T)(a % b);\n"
             "}\n";
    case Op::eucmod:
      return "static inline $T $w_$t($T a, $T b) {\n"
             "  if (b == 0) abort();\n"
             "  if (b == -1) return 0;\n"
             "  const $T r = ($T)(a % b);\n"
             "  return ($T)(r >= 0 ? r : b > 0 ? r + b : r - b);\n"
             "}\n";
    default: return {};
  }
}

std::string_view common_pattern(Op op) {
  switch (op) {
    case Op::neg: return "static inline $T $w_$t($T a) { return ($T)(0 - ($U)a); }\n";
    case Op::add: return "static inline $T $w_$t($T a, $T b) { return ($T)(($U)a + ($U)b); }\n";
    case Op::sub: return "static inline $T $w_$t($T a, $T b) { return ($T)(($U)a - ($U)b); }\n";
    case Op::mul: return "static inline $T $w_$t($T a, $T b) { return ($T)(($U)a * ($U)b); }\n";
    case Op::max: return "static inline $T $w_$t($T a, $T b) { return a > b ? a : b; }\n";
    case Op::min: return "static inline $T $w_$t($T a, $T b) { return a < b ? a : b; }\n";
    default: return {};
  }
}

}  // namespace

std::string Helpers::integer(Op op, Type t) const {
  std::string_view pattern = common_pattern(op);
  if (pattern.empty()) pattern = is_signed_int(t) ? signed_pattern(op) : unsigned_pattern(op);
  return fill(
      pattern,
      {{"$T", c_type(t)}, {"$U", bit_width(t) == 64 ? "uint64_t" : "uint32_t"}, {"$w", word(op)}, {"$t", name(t)}});
}

}  // namespace assay::codegen
