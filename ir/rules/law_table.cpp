// The table of laws. Left and right sides are written with overloaded operators on terms of one type.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <initializer_list>

#include "ir/literal.hpp"
#include "ir/rules/laws.hpp"
#include "ir/text/source.hpp"

namespace assay::laws {
namespace {

constexpr TypeSet f8s{Type::f8e5m2, Type::f8e4m3fn};
constexpr TypeSet floats = TypeSet{Type::f64, Type::f32, Type::f16, Type::bf16} | f8s;
constexpr TypeSet with_infinity = floats - TypeSet{Type::f8e4m3fn};
constexpr TypeSet signed_ints{Type::i8, Type::i16, Type::i32, Type::i64};
constexpr TypeSet unsigned_ints{Type::u8, Type::u16, Type::u32, Type::u64};
constexpr TypeSet bytes{Type::i8, Type::u8};
constexpr TypeSet ints = signed_ints | unsigned_ints;
constexpr TypeSet numbers = floats | ints;
constexpr TypeSet longs{Type::i64, Type::u64};
constexpr TypeSet beyond_f32{Type::f64, Type::i32, Type::u32, Type::i64, Type::u64};
constexpr TypeSet truth{Type::boolean};
constexpr TypeSet within_f16 = bytes | f8s | TypeSet{Type::f16, Type::boolean};
constexpr TypeSet within_bf16 = bytes | f8s | TypeSet{Type::bf16, Type::boolean};
constexpr TypeSet everything = numbers | truth;
constexpr TypeSet none{};

/// An expression with the operators of the language.
struct Term {
  Expr e;
  operator Expr() const { return e; }
};
Term op(Op o, std::initializer_list<Term> operands) {
  return {make_op(o, std::vector<Expr>(operands.begin(), operands.end()))};
}
Term operator+(const Term& a, const Term& b) { return op(Op::add, {a, b}); }
Term operator-(const Term& a, const Term& b) { return op(Op::sub, {a, b}); }
Term operator*(const Term& a, const Term& b) { return op(Op::mul, {a, b}); }
Term operator/(const Term& a, const Term& b) { return op(Op::div, {a, b}); }
Term operator-(const Term& a) { return op(Op::neg, {a}); }
Term operator!(const Term& a) { return op(Op::lnot, {a}); }
Term operator==(const Term& a, const Term& b) { return op(Op::eq, {a, b}); }
Term operator!=(const Term& a, const Term& b) { return op(Op::ne, {a, b}); }
Term operator<(const Term& a, const Term& b) { return op(Op::lt, {a, b}); }
Term operator<=(const Term& a, const Term& b) { return op(Op::le, {a, b}); }
Term operator>(const Term& a, const Term& b) { return op(Op::gt, {a, b}); }
Term operator>=(const Term& a, const Term& b) { return op(Op::ge, {a, b}); }
Term both(const Term& a, const Term& b) { return op(Op::land, {a, b}); }
Term max(const Term& a, const Term& b) { return op(Op::max, {a, b}); }
Term min(const Term& a, const Term& b) { return op(Op::min, {a, b}); }
Term fma(const Term& a, const Term& b, const Term& c) { return op(Op::fma, {a, b, c}); }
Term abs(const Term& a) { return op(Op::abs, {a}); }
Term recip(const Term& a) { return op(Op::recip, {a}); }
Term maxnum(const Term& a, const Term& b) { return op(Op::maxnum, {a, b}); }
Term floordiv(const Term& a, const Term& b) { return op(Op::floordiv, {a, b}); }
Term floormod(const Term& a, const Term& b) { return op(Op::floormod, {a, b}); }
Term truncdiv(const Term& a, const Term& b) { return op(Op::truncdiv, {a, b}); }
Term choose(const Term& c, const Term& a, const Term& b) { return op(Op::choice, {c, a, b}); }
Term to(Type t, const Term& a) { return {make_convert(t, a)}; }

/// v at a float type, rounded once; what f8e4m3fn has no value for is its NaN.
Scalar float_value(Type t, double v) {
  if (t == Type::f64) return {t, std::bit_cast<std::uint64_t>(v)};
  Scalar s = literal_from_float(t, fmt::format("{:a}", std::fabs(v))).value_or(canonical_nan(t));
  if (std::signbit(v)) s.bits |= std::uint64_t{1} << (bit_width(t) - 1);
  return s;
}

/// The variables and constants of a law at one type.
struct At {
  explicit At(Type type) : t(type) {}
  Type t;
  Term x = variable("x", t), y = variable("y", t), z = variable("z", t), c = variable("c", Type::boolean);

  static Term variable(const char* name, Type t) { return {make_variable(name, t)}; }
  Term num(double v) const {
    return {make_literal(is_float(t) ? float_value(t, v) : wrap_int(t, static_cast<Int128>(v)))};
  }
  Term power(int exponent) const { return {make_literal(float_value(t, std::ldexp(1.0, exponent)))}; }
  int bias() const {
    switch (t) {
      case Type::f64: return 1023;
      case Type::f32:
      case Type::bf16: return 127;
      case Type::f8e4m3fn: return 7;
      default: return 15;  // f16, f8e5m2
    }
  }
  static Term truth(bool v) { return {make_literal(bool_scalar(v))}; }
  /// lo <= x && x <= hi; at unsigned types a negative bound is left out.
  Term between(const Term& v, double lo, double hi) const {
    if (lo < 0 && is_unsigned_int(t)) return v <= num(hi);
    return both(num(lo) <= v, v <= num(hi));
  }
};

// Captureless lambdas, so that the table is plain data. The formatter takes the arguments of a macro for declarations.
// clang-format off
#define SIDES(...)            \
  [](Type type) -> Sides {    \
    const At v(type);         \
    const auto &x = v.x, &y = v.y, &z = v.z, &c = v.c; \
    (void)x, (void)y, (void)z, (void)c; \
    return Sides{__VA_ARGS__}; \
  }

/// fma and its parts at type W, the factors converted from the law's type.
template <Type W>
Sides fused_from_products(Type type) {
  const At v(type);
  const Term a = to(W, v.x), b = to(W, v.y), z = At::variable("z", W);
  return {fma(a, b, z), a * b + z};
}

const Law table[] = {
    // ---- LAW-2: exact at every float type ----
    {"LAW-2", "add-commutes", numbers, none, SIDES(x + y, y + x)},
    {"LAW-2", "mul-commutes", numbers, none, SIDES(x * y, y * x)},
    {"LAW-2", "max-commutes", numbers, none, SIDES(max(x, y), max(y, x))},
    {"LAW-2", "min-commutes", numbers, none, SIDES(min(x, y), min(y, x))},
    {"LAW-2", "eq-commutes", everything, none, SIDES(x == y, y == x)},
    {"LAW-2", "ne-commutes", everything, none, SIDES(x != y, y != x)},
    {"LAW-2", "lt-mirrors", numbers, none, SIDES(x < y, y > x)},
    {"LAW-2", "le-mirrors", numbers, none, SIDES(x <= y, y >= x)},
    {"LAW-2", "fma-factors-commute", floats, none, SIDES(fma(x, y, z), fma(y, x, z))},
    {"LAW-2", "sub-is-add-neg", numbers, none, SIDES(x - y, x + (-y))},
    {"LAW-2", "add-minus-zero", floats, none, SIDES(x + v.num(-0.0), x)},
    {"LAW-2", "sub-zero", numbers, none, SIDES(x - v.num(0), x)},
    {"LAW-2", "mul-one", numbers, none, SIDES(x * v.num(1), x)},
    {"LAW-2", "div-one", floats, none, SIDES(x / v.num(1), x)},
    {"LAW-2", "mul-minus-one", floats | signed_ints, none, SIDES(x * v.num(-1), -x)},
    {"LAW-2", "add-self", numbers, none, SIDES(x + x, x * v.num(2))},
    {"LAW-2", "minus-zero-sub", floats, none, SIDES(v.num(-0.0) - x, -x)},
    {"LAW-2", "neg-neg", numbers, none, SIDES(-(-x), x)},
    {"LAW-2", "abs-neg", floats | signed_ints, unsigned_ints, SIDES(abs(-x), abs(x))},
    {"LAW-2", "neg-out-of-mul", numbers, none, SIDES((-x) * y, -(x * y))},
    {"LAW-2", "neg-out-of-div", floats, none, SIDES((-x) / y, -(x / y))},
    {"LAW-2", "max-of-negs", floats, ints, SIDES(max(-x, -y), -min(x, y))},
    {"LAW-2", "max-over-min", numbers, none, SIDES(max(x, min(y, z)), min(max(x, y), max(x, z)))},
    {"LAW-2", "min-over-max", numbers, none, SIDES(min(x, max(y, z)), max(min(x, y), min(x, z)))},
    {"LAW-2", "max-associates", numbers, none, SIDES(max(max(x, y), z), max(x, max(y, z)))},
    {"LAW-2", "min-associates", numbers, none, SIDES(min(min(x, y), z), min(x, min(y, z)))},
    {"LAW-2", "max-idempotent", numbers, none, SIDES(max(x, x), x)},
    {"LAW-2", "min-idempotent", numbers, none, SIDES(min(x, x), x)},
    {"LAW-2", "maxnum-associates", floats, none,
     SIDES(maxnum(maxnum(x, y), z), maxnum(x, maxnum(y, z)))},
    {"LAW-2", "div-by-two", floats, none, SIDES(x / v.num(2), x * v.num(0.5))},
    {"LAW-2", "div-by-eight", floats, none, SIDES(x / v.num(8), x * v.num(0.125))},
    {"LAW-2", "div-by-quarter", floats, none, SIDES(x / v.num(0.25), x * v.num(4))},
    {"LAW-2", "div-by-power-with-subnormal-reciprocal", floats, none,
     SIDES(x / v.power(v.bias()), x * v.power(-v.bias()))},
    {"LAW-2", "fma-one", floats, none, SIDES(fma(v.num(1), x, y), x + y)},
    {"LAW-2", "fma-minus-zero", floats, none, SIDES(fma(x, y, v.num(-0.0)), x * y)},
    {"LAW-2", "fma-neg-factor", floats, none, SIDES(fma(-x, y, z), fma(x, -y, z))},
    // The reciprocal of a zero has no sign at f8e4m3fn: no condition tells −0 there.
    {"LAW-2", "add-zero-never-minus-zero", with_infinity, none,
     SIDES(x + v.num(0), x, !both(x == v.num(0), recip(x) < v.num(0)))},
    {"LAW-2", "choice-equal-arms", everything, none, SIDES(choose(c, x, x), x)},
    {"LAW-2", "choice-negated", everything, none, SIDES(choose(!c, x, y), choose(c, y, x))},
    {"LAW-2", "not-eq-is-ne", everything, none, SIDES(!(x == y), x != y)},
    {"LAW-2", "relu-is-max", numbers, none, SIDES(op(Op::relu, {x}), max(x, v.num(0)))},
    {"LAW-9", "double-comparison", with_infinity, ints | TypeSet{Type::f8e4m3fn}, SIDES(x < v.num(10), x * v.num(2) < v.num(20))},

    // ---- LAW-3: forbidden at floats; most are what holds for integers ----
    {"LAW-3", "mul-zero", ints, floats, SIDES(x * v.num(0), v.num(0))},
    {"LAW-3", "sub-self", ints, floats, SIDES(x - x, v.num(0))},
    {"LAW-3", "div-self", none, floats, SIDES(x / x, v.num(1))},
    {"LAW-3", "add-zero", ints, floats, SIDES(x + v.num(0), x)},
    {"LAW-3", "zero-sub", ints, floats, SIDES(v.num(0) - x, -x)},
    {"LAW-3", "negs-out-of-add", ints, floats, SIDES((-x) + (-y), -(x + y))},
    {"LAW-3", "sub-swapped", ints, floats, SIDES(x - y, -(y - x))},
    {"LAW-3", "fma-zero", none, floats, SIDES(fma(x, y, v.num(0)), x * y)},
    {"LAW-3", "neg-into-fma", none, floats, SIDES(-fma(x, y, z), fma(-x, y, -z))},
    {"LAW-3", "fma-zero-factors", none, floats, SIDES(fma(v.num(0), v.num(0), z), z)},
    {"LAW-3", "absorption", ints, floats, SIDES(max(x, min(x, y)), x)},
    {"LAW-3", "relu-as-choice", ints, floats, SIDES(op(Op::relu, {x}), choose(x > v.num(0), x, v.num(0)))},
    {"LAW-3", "not-lt-is-ge", ints, floats, SIDES(!(x < y), x >= y)},
    {"LAW-3", "add-associates", ints, floats, SIDES((x + y) + z, x + (y + z))},
    {"LAW-3", "mul-associates", ints, floats, SIDES((x * y) * z, x * (y * z))},
    {"LAW-3", "distributes", ints, floats, SIDES(x * (y + z), x * y + x * z)},
    {"LAW-3", "add-then-sub", ints, floats, SIDES((x + y) - y, x)},
    {"LAW-3", "contract", none, floats, SIDES(x * y + z, fma(x, y, z))},
    {"LAW-3", "div-is-mul-recip", none, floats, SIDES(x / y, x * recip(y))},
    {"LAW-3", "div-by-three", none, floats, SIDES(x / v.num(3), x * v.num(1.0 / 3))},
    {"LAW-9", "div-by-power-without-reciprocal", TypeSet{Type::f8e4m3fn}, with_infinity,
     SIDES(x / v.power(-v.bias() - 1), x * recip(v.power(-v.bias() - 1)))},
    {"LAW-3", "halve-doubled", none, floats, SIDES((x * v.num(2)) / v.num(2), x)},
    {"LAW-3", "eq-self", ints | truth, floats, SIDES(x == x, v.truth(true))},
    {"LAW-3", "square-not-negative", unsigned_ints, floats | signed_ints, SIDES(x * x >= v.num(0), v.truth(true))},
    {"LAW-3", "max-is-maxnum", none, floats, SIDES(max(x, y), maxnum(x, y))},
    {"LAW-3", "max-as-choice", ints, floats, SIDES(max(x, y), choose(x > y, x, y))},
    {"LAW-3", "abs-as-choice", ints, floats, SIDES(abs(x), choose(x < v.num(0), -x, x))},
    {"LAW-3", "lt-zero-to-le-zero", ints, floats,
     SIDES(choose(x < v.num(0), v.num(-0.0), x), choose(x <= v.num(0), v.num(-0.0), x))},
    {"LAW-3", "sqrt-of-square", none, floats, SIDES(op(Op::sqrt, {x * x}), abs(x))},
    {"LAW-3", "exp-of-sum", none, floats, SIDES(op(Op::exp, {x + y}), op(Op::exp, {x}) * op(Op::exp, {y}))},
    {"LAW-3", "rsqrt-as-division", none, floats, SIDES(op(Op::rsqrt, {x}), v.num(1) / op(Op::sqrt, {x}))},

    // ---- LAW-4: a fused product is the product and the sum where the product is exact ----
    {"LAW-4", "fma-of-f16-in-f32", f8s | TypeSet{Type::f16}, TypeSet{Type::bf16},
     fused_from_products<Type::f32>},
    {"LAW-4", "fma-of-narrow-in-f64", floats - TypeSet{Type::f64}, TypeSet{Type::f64},
     fused_from_products<Type::f64>},
    {"LAW-4", "fma-of-f8-in-bf16", f8s, none, fused_from_products<Type::bf16>},
    {"LAW-4", "fma-of-f8-in-f16", none, f8s, fused_from_products<Type::f16>},

    // ---- LAW-5: there and back ----
    {"LAW-5", "through-f64", floats | truth | (ints - longs), longs, SIDES(to(type, to(Type::f64, x)), x)},
    {"LAW-5", "through-f32", everything - beyond_f32, beyond_f32, SIDES(to(type, to(Type::f32, x)), x)},
    {"LAW-5", "through-f16", within_f16, numbers - within_f16, SIDES(to(type, to(Type::f16, x)), x)},
    {"LAW-5", "through-bf16", within_bf16, numbers - within_bf16, SIDES(to(type, to(Type::bf16, x)), x)},
    {"LAW-5", "through-f8e5m2", TypeSet{Type::f8e5m2, Type::boolean}, numbers - TypeSet{Type::f8e5m2},
     SIDES(to(type, to(Type::f8e5m2, x)), x)},
    {"LAW-5", "through-f8e4m3fn", TypeSet{Type::f8e4m3fn, Type::boolean}, numbers - TypeSet{Type::f8e4m3fn},
     SIDES(to(type, to(Type::f8e4m3fn, x)), x)},
    {"LAW-5", "through-i64", ints | truth, floats, SIDES(to(type, to(Type::i64, x)), x)},
    {"LAW-5", "through-i32", (ints - longs) | truth, floats | longs,
     SIDES(to(type, to(Type::i32, x)), x)},
    {"LAW-5", "through-u8", bytes | truth, numbers - bytes, SIDES(to(type, to(Type::u8, x)), x)},
    {"LAW-5", "through-bool", truth, numbers, SIDES(to(type, to(Type::boolean, x)), x)},

    // ---- LAW-6: integer division ----
    {"LAW-6", "floordiv-self", none, ints, SIDES(floordiv(x, x), v.num(1))},
    {"LAW-6", "floordiv-self-nonzero", ints, none, SIDES(floordiv(x, x), v.num(1), x != v.num(0))},
    {"LAW-6", "floordiv-one", ints, none, SIDES(floordiv(x, v.num(1)), x)},
    {"LAW-6", "floordiv-minus-one", signed_ints, none, SIDES(floordiv(x, v.num(-1)), -x)},
    {"LAW-6", "cancel-truncdiv", unsigned_ints, signed_ints,
     SIDES(truncdiv(v.num(10) * x + v.num(5), v.num(10)), x, v.between(x, -12, 12))},
    {"LAW-6", "cancel-truncdiv-nonnegative", ints, none,
     SIDES(truncdiv(v.num(10) * x + v.num(5), v.num(10)), x, v.between(x, 0, 12))},
    {"LAW-6", "cancel-floordiv", ints, none,
     SIDES(floordiv(v.num(10) * x + v.num(5), v.num(10)), x, v.between(x, -12, 12))},
    {"LAW-6", "cancel-floordiv-wrapping", none, ints,
     SIDES(floordiv(v.num(10) * x + v.num(5), v.num(10)), x)},
    {"LAW-6", "cancel-truncdiv-sum", unsigned_ints - bytes, signed_ints - bytes,
     SIDES(truncdiv(v.num(48) * x + v.num(241), v.num(16)), v.num(3) * x + v.num(15), v.between(x, -100, 100))},
    {"LAW-6", "cancel-truncdiv-sum-nonnegative", ints - bytes, none,
     SIDES(truncdiv(v.num(48) * x + v.num(241), v.num(16)), v.num(3) * x + v.num(15), v.between(x, 0, 100))},
    {"LAW-6", "cancel-floordiv-sum", ints - bytes, none,
     SIDES(floordiv(v.num(48) * x + v.num(241), v.num(16)), v.num(3) * x + v.num(15), v.between(x, -100, 100))},
    {"LAW-6", "truncdiv-is-floordiv", unsigned_ints, signed_ints,
     SIDES(truncdiv(x, y), floordiv(x, y))},
    {"LAW-6", "truncdiv-is-floordiv-nonnegative", ints, none,
     SIDES(truncdiv(x, y), floordiv(x, y), both(x >= v.num(0), y >= v.num(0)))},
    {"LAW-6", "eucmod-is-floormod", unsigned_ints, signed_ints,
     SIDES(op(Op::eucmod, {x, y}), floormod(x, y))},
    {"LAW-6", "eucmod-is-floormod-positive", ints, none,
     SIDES(op(Op::eucmod, {x, y}), floormod(x, y), y > v.num(0))},
    {"LAW-6", "quotient-and-remainder", none, ints, SIDES(floordiv(x, y) * y + floormod(x, y), x)},
    {"LAW-6", "quotient-and-remainder-nonzero", ints, none,
     SIDES(floordiv(x, y) * y + floormod(x, y), x, y != v.num(0))},
    {"LAW-6", "floordiv-nested", ints, none,
     SIDES(floordiv(floordiv(x, v.num(3)), v.num(5)), floordiv(x, v.num(15)))},
    {"LAW-6", "ceildiv-by-adding", none, ints,
     SIDES(op(Op::ceildiv, {x, v.num(4)}), floordiv(x + v.num(3), v.num(4)))},
    {"LAW-6", "ceildiv-by-adding-below-the-end", ints, none,
     SIDES(op(Op::ceildiv, {x, v.num(4)}), floordiv(x + v.num(3), v.num(4)), v.between(x, -100, 100))},
    {"LAW-6", "mod-over-ramp", none, ints,
     SIDES(floormod(x + y, v.num(10)), floormod(x, v.num(10)) + y, v.between(y, 0, 3))},
    {"LAW-6", "mod-over-aligned-ramp", ints, none,
     SIDES(floormod(x + y, v.num(12)), floormod(x, v.num(12)) + y,
           both(v.between(y, 0, 3), floormod(x, v.num(4)) == v.num(0)))},

    // ---- LAW-7: narrowing wraps, it does not clamp ----
    {"LAW-7", "narrowed-not-negative", none, ints - bytes,
     SIDES(to(Type::i8, x) < to(Type::i8, v.num(0)), v.truth(false), v.between(x, 0, 255))},
    {"LAW-7", "narrowed-not-negative-when-it-fits", ints, none,
     SIDES(to(Type::i8, x) < to(Type::i8, v.num(0)), v.truth(false), v.between(x, 0, 127))},
    {"LAW-7", "narrow-index", none, ints - bytes, SIDES(to(type, to(Type::i8, x)), x, v.between(x, 0, 159))},
    {"LAW-7", "wide-enough-index", ints - bytes, none, SIDES(to(type, to(Type::i16, x)), x, v.between(x, 0, 159))},

    // ---- LAW-8: a comparison is a truth value, not a number to scale ----
    {"LAW-8", "scale-comparison", none, numbers,
     SIDES(to(type, x < v.num(10)) * v.num(2), to(type, x * v.num(2) < v.num(20)))},
    {"LAW-8", "scale-both-operands", ints, none, SIDES(x < v.num(10), x * v.num(2) < v.num(20), v.between(x, -60, 60))},
};
// clang-format on

}  // namespace

std::span<const Law> all_laws() { return table; }

std::string text(const Sides& s) {
  std::string result = print(s.left) + " = " + print(s.right);
  if (s.condition) result += " where " + print(s.condition);
  return result;
}

const Law* find_law(std::string_view name) {
  for (const Law& law : table) {
    if (law.name == name) return &law;
  }
  return nullptr;
}

}  // namespace assay::laws
