// A value is four terms: is it NaN, is it infinite, its sign, its magnitude as a real. An operation combines these exactly; what it
// would do to the magnitude by rounding is left away, and allowed once, at the root: rounding is a function of the exact value, so
// equal exact values stay equal, and it commutes with a change of sign.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "ir/literal.hpp"
#include "ir/widening.hpp"
#include "proofs/scalar/exact.hpp"
#include "proofs/scalar/smt_text.hpp"

namespace assay::scalar {
namespace {

// What is known of a finite value: a multiple of 2^unit, below 2^top, of at most `digits` binary digits.
struct Bounds {
  int digits, unit, top;
  bool within(const Bounds& b) const { return digits <= b.digits && unit >= b.unit && top <= b.top; }
};

Bounds bounds_of(Type t) {
  switch (t) {
    case Type::f64: return {53, -1074, 1024};
    case Type::f32: return {24, -149, 128};
    case Type::f16: return {11, -24, 16};
    case Type::bf16: return {8, -133, 128};
    case Type::f8e5m2: return {3, -16, 16};
    case Type::f8e4m3fn: return {4, -9, 9};
    default: throw Unsupported{};
  }
}

struct Value {
  std::string nan = "false", inf = "false", negative = "false", magnitude = "0.0";
  Bounds bounds{};
  bool rounded = false;
};

std::string both(const std::string& a, const std::string& b) { return fmt::format("(and {} {})", a, b); }
std::string negation(const std::string& a) { return fmt::format("(not {})", a); }
std::string zero(const Value& v) {
  return fmt::format("(and (not {}) (not {}) (= {} 0.0))", v.nan, v.inf, v.magnitude);
}
std::string signed_real(const Value& v) { return when(v.negative, "(- " + v.magnitude + ")", v.magnitude); }

// |v| of a finite double as a quotient of integers.
std::string real_text(double v) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(v), &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  // fmt writes a power of two exactly.
  const std::string scale = fmt::format("{:.0f}.0", std::ldexp(1.0, std::abs(exponent - 53) / 2));
  const std::string rest = fmt::format("{:.0f}.0", std::ldexp(1.0, (std::abs(exponent - 53) + 1) / 2));
  return fmt::format("({} {}.0 (* {} {}))", exponent < 53 ? "/" : "*", digits, scale, rest);
}

class RealTranslator {
 public:
  Value value(const Expr& e) {
    switch (e->op) {
      case Op::literal: return literal(e->literal);
      case Op::variable: return variable(e->name, e->type);
      case Op::neg: return negated(value(e->args[0]));
      case Op::abs: {
        Value a = value(e->args[0]);
        a.negative = "false";
        return a;
      }
      case Op::convert: {
        if (!is_float(e->args[0]->type) || !widens_exactly(e->args[0]->type, e->type)) throw Unsupported{};
        return value(e->args[0]);
      }
      default: break;
    }
    if (!is_float(e->type)) throw Unsupported{};
    std::vector<Value> x;
    for (const Expr& a : e->args) {
      x.push_back(value(a));
      if (x.back().rounded) throw Unsupported{};
    }
    switch (e->op) {
      case Op::add: return sum(x[0], x[1]);
      case Op::sub: return sum(x[0], negated(x[1]));
      case Op::mul: {
        Value out = product(x[0], x[1]);
        out.rounded = !out.bounds.within(bounds_of(e->type));
        return out;
      }
      case Op::fma: return sum(product(x[0], x[1]), x[2]);
      case Op::div: return quotient(x[0], x[1]);
      case Op::recip: return quotient(one(), x[0]);
      default: throw Unsupported{};
    }
  }

  std::string declarations() const {
    std::string out;
    for (const auto& [name, type] : variables_) {
      for (const char* part : {"nan", "inf", "neg"}) out += fmt::format("(declare-const |{}.{}| Bool)\n", name, part);
      out += fmt::format("(declare-const |{0}.mag| Real)\n(assert (>= |{0}.mag| 0.0))\n", name);
      if (!has_infinity(type)) out += fmt::format("(assert (not |{}.inf|))\n", name);
    }
    return out;
  }

 private:
  static Value one() { return {"false", "false", "false", "1.0", {1, 0, 1}}; }
  static Value literal(Scalar s) {
    if (!is_float(s.type)) throw Unsupported{};
    const double v = to_double(s);
    Value out;
    out.bounds = bounds_of(s.type);
    if (std::isnan(v)) {
      out.nan = "true";
    } else {
      out.negative = std::signbit(v) ? "true" : "false";
      if (std::isinf(v)) {
        out.inf = "true";
      } else if (v != 0) {
        out.magnitude = real_text(v);
      }
    }
    return out;
  }
  Value variable(const Symbol& name, Type type) {
    if (!is_float(type)) throw Unsupported{};
    variables_.emplace(name, type);
    const auto part = [&](const char* p) { return fmt::format("|{}.{}|", name, p); };
    return {part("nan"), part("inf"), part("neg"), part("mag"), bounds_of(type)};
  }
  static Value negated(Value a) {
    a.negative = negation(a.negative);
    return a;
  }
  static Value product(const Value& a, const Value& b) {
    const std::string invalid = either(both(a.inf, zero(b)), both(b.inf, zero(a)));
    return {fmt::format("(or {} {} {})", a.nan, b.nan, invalid),
            either(a.inf, b.inf),
            fmt::format("(xor {} {})", a.negative, b.negative),
            fmt::format("(* {} {})", a.magnitude, b.magnitude),
            {a.bounds.digits + b.bounds.digits, a.bounds.unit + b.bounds.unit, a.bounds.top + b.bounds.top}};
  }
  static Value sum(const Value& a, const Value& b) {
    const std::string opposite = fmt::format("(and {} {} (xor {} {}))", a.inf, b.inf, a.negative, b.negative);
    const std::string total = fmt::format("(+ {} {})", signed_real(a), signed_real(b));
    // An exact zero is +0 unless both terms are −0.
    const std::string finite =
        when(fmt::format("(= {} 0.0)", total), both(a.negative, b.negative), fmt::format("(< {} 0.0)", total));
    Value out{fmt::format("(or {} {} {})", a.nan, b.nan, opposite), either(a.inf, b.inf),
              when(a.inf, a.negative, when(b.inf, b.negative, finite)),
              when(fmt::format("(< {} 0.0)", total), fmt::format("(- {})", total), total)};
    out.rounded = true;
    return out;
  }
  static Value quotient(const Value& a, const Value& b) {
    const std::string invalid = either(both(a.inf, b.inf), both(zero(a), zero(b)));
    Value out{fmt::format("(or {} {} {})", a.nan, b.nan, invalid), either(a.inf, zero(b)),
              fmt::format("(xor {} {})", a.negative, b.negative),
              when(b.inf, "0.0", fmt::format("(/ {} {})", a.magnitude, b.magnitude))};
    out.rounded = true;
    return out;
  }

  std::map<Symbol, Type> variables_{};
};

}  // namespace

std::optional<Script> rounded_once_script(const Expr& left, const Expr& right, const Expr& condition) {
  if (condition || left->type != right->type) return std::nullopt;
  try {
    RealTranslator t;
    const Value a = t.value(left), b = t.value(right);
    const std::string finite =
        fmt::format("(and (= {} {}) (= {} {}))", a.negative, b.negative, a.magnitude, b.magnitude);
    const std::string number = when(both(a.inf, b.inf), fmt::format("(= {} {})", a.negative, b.negative),
                                    fmt::format("(and (not {}) (not {}) {})", a.inf, b.inf, finite));
    const std::string same =
        when(both(a.nan, b.nan), "true", fmt::format("(and (not {}) (not {}) {})", a.nan, b.nan, number));
    return Script{"QF_NRA", t.declarations() + fmt::format("(assert (not {}))\n", same), false, false};
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace assay::scalar
