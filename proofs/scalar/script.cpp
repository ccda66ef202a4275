// The semantics of spec/numerics.md, operation by operation.
#include "proofs/scalar/script.hpp"

#include <fmt/format.h>

#include <map>

#include "proofs/scalar/smt_text.hpp"

namespace assay::scalar {
namespace {

// The value of an expression, and when a division in it is by zero.
struct Term {
  std::string text, fault = "false";
};

std::pair<int, int> float_format(Type t) {
  switch (t) {
    case Type::f64: return {11, 53};
    case Type::f32: return {8, 24};
    case Type::f16: return {5, 11};
    case Type::bf16: return {8, 8};
    default: throw Unsupported{};
  }
}

class Translator {
 public:
  Term term(const Expr& e) {
    switch (e->op) {
      case Op::literal: return {literal(e->literal)};
      case Op::variable: {
        variables_.emplace(e->name, e->type);
        return {"|" + e->name + "|"};
      }
      case Op::convert: {
        const Term a = term(e->args[0]);
        return {convert(e->type, e->args[0]->type, a.text), a.fault};
      }
      case Op::choice:
      case Op::select: {
        const Term c = term(e->args[0]), a = term(e->args[1]), b = term(e->args[2]);
        const std::string arms =
            e->op == Op::choice ? fmt::format("(ite {} {} {})", c.text, a.fault, b.fault) : either(a.fault, b.fault);
        return {fmt::format("(ite {} {} {})", c.text, a.text, b.text), either(c.fault, arms)};
      }
      case Op::land:
      case Op::lor: {
        const Term a = term(e->args[0]), b = term(e->args[1]);
        const bool conjunction = e->op == Op::land;
        return {fmt::format("({} {} {})", conjunction ? "and" : "or", a.text, b.text),
                either(a.fault, fmt::format("(and {} {})", conjunction ? a.text : "(not " + a.text + ")", b.fault))};
      }
      default: break;
    }
    std::vector<std::string> x;
    std::string fault = "false";
    for (const Expr& a : e->args) {
      const Term t = term(a);
      x.push_back(t.text);
      fault = either(fault, t.fault);
    }
    if (e->args.empty()) throw Unsupported{};
    const Type t = e->args[0]->type;
    if (t == Type::boolean) return {on_truth(e->op, x), fault};
    if (is_float(t)) return {on_floats(e->op, t, x), fault};
    if (!is_int(t)) throw Unsupported{};
    if (is_division(e->op)) fault = either(fault, fmt::format("(= {} {})", x[1], bits(0, bit_width(t))));
    return {on_integers(e->op, t, x), fault};
  }

  std::string declarations() const {
    std::string out;
    for (const auto& [name, type] : variables_) out += fmt::format("(declare-const |{}| {})\n", name, sort(type));
    return out;
  }
  bool floats() const { return floats_; }

 private:
  static bool is_division(Op op) { return op >= Op::floordiv && op <= Op::eucmod; }
  static std::string bits(std::uint64_t v, int width) { return fmt::format("(_ bv{} {})", v, width); }
  static std::string sort(Type t) {
    if (t == Type::boolean) return "Bool";
    if (is_int(t)) return fmt::format("(_ BitVec {})", bit_width(t));
    const auto [e, s] = float_format(t);
    return fmt::format("(_ FloatingPoint {} {})", e, s);
  }
  static std::string to_fp(Type t) {
    const auto [e, s] = float_format(t);
    return fmt::format("(_ to_fp {} {})", e, s);
  }
  static std::string nan(Type t) {
    const auto [e, s] = float_format(t);
    return fmt::format("(_ NaN {} {})", e, s);
  }
  static std::string zero(Type t) {
    const auto [e, s] = float_format(t);
    return fmt::format("(_ +zero {} {})", e, s);
  }
  static std::string power(Type t, int exponent, bool negative = false) {
    const std::string v =
        fmt::format("({} RNE {}.0)", to_fp(t),
                    exponent == 64 ? "18446744073709551616" : std::to_string(std::uint64_t{1} << exponent));
    return negative ? "(fp.neg " + v + ")" : v;
  }

  std::string literal(Scalar s) {
    if (s.type == Type::boolean) return s.bits != 0 ? "true" : "false";
    if (is_int(s.type)) return bits(s.bits, bit_width(s.type));
    floats_ = true;
    return fmt::format("({} {})", to_fp(s.type), bits(s.bits, bit_width(s.type)));
  }

  std::string convert(Type to, Type from, const std::string& x) {
    if (to == from) return x;
    if (is_float(to) || is_float(from)) floats_ = true;
    if (to == Type::boolean) {
      if (is_int(from)) return fmt::format("(not (= {} {}))", x, bits(0, bit_width(from)));
      return fmt::format("(not (fp.eq {} {}))", x, zero(from));
    }
    if (from == Type::boolean) {
      if (is_int(to)) return fmt::format("(ite {} {} {})", x, bits(1, bit_width(to)), bits(0, bit_width(to)));
      return fmt::format("(ite {} {} {})", x, power(to, 0), zero(to));
    }
    if (is_int(to) && is_int(from)) {
      const int a = bit_width(from), b = bit_width(to);
      if (b <= a) return b == a ? x : fmt::format("((_ extract {} 0) {})", b - 1, x);
      return fmt::format("((_ {} {}) {})", is_signed_int(from) ? "sign_extend" : "zero_extend", b - a, x);
    }
    if (is_float(to) && is_float(from)) return fmt::format("({} RNE {})", to_fp(to), x);
    if (is_float(to)) {
      const auto [e, s] = float_format(to);
      return fmt::format("((_ {} {} {}) RNE {})", is_signed_int(from) ? "to_fp" : "to_fp_unsigned", e, s, x);
    }
    if (!is_int(to) || !is_float(from)) throw Unsupported{};
    // Float to integer: saturating, NaN to 0.
    const int w = bit_width(to);
    const bool sign = is_signed_int(to);
    const std::uint64_t all = w == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << w) - 1;
    const std::string most = bits(sign ? all >> 1 : all, w), least = bits(sign ? (all >> 1) + 1 : 0, w);
    const std::string beyond = fmt::format("(fp.geq {} {})", x, power(from, sign ? w - 1 : w));
    const std::string below =
        sign ? fmt::format("(fp.leq {} {})", x, power(from, w - 1, true)) : fmt::format("(fp.lt {} {})", x, zero(from));
    return fmt::format("(ite (fp.isNaN {}) {} (ite {} {} (ite {} {} ((_ fp.to_{}bv {}) RTZ {}))))", x, bits(0, w),
                       beyond, most, below, least, sign ? 's' : 'u', w, x);
  }

  static std::string on_truth(Op op, const std::vector<std::string>& x) {
    switch (op) {
      case Op::lnot: return fmt::format("(not {})", x[0]);
      case Op::eq: return fmt::format("(= {} {})", x[0], x[1]);
      case Op::ne: return fmt::format("(not (= {} {}))", x[0], x[1]);
      default: throw Unsupported{};
    }
  }

  static std::string on_integers(Op op, Type t, const std::vector<std::string>& x) {
    const char s = is_signed_int(t) ? 's' : 'u';
    const int w = bit_width(t);
    const std::string none = bits(0, w), one = bits(1, w);
    const auto binary = [&](const char* f) { return fmt::format("({} {} {})", f, x[0], x[1]); };
    const auto compared = [&](const char* f, const std::string& a, const std::string& b) {
      return fmt::format("(bv{}{} {} {})", s, f, a, b);
    };
    const auto negative = [&](const std::string& a) {
      return s == 's' ? fmt::format("(bvslt {} {})", a, none) : std::string("false");
    };
    switch (op) {
      case Op::neg: return fmt::format("(bvneg {})", x[0]);
      case Op::add: return binary("bvadd");
      case Op::sub: return binary("bvsub");
      case Op::mul: return binary("bvmul");
      case Op::abs: return fmt::format("(ite {} (bvneg {}) {})", negative(x[0]), x[0], x[0]);
      case Op::relu: return fmt::format("(ite {} {} {})", negative(x[0]), none, x[0]);
      case Op::max: return fmt::format("(ite {} {} {})", compared("lt", x[0], x[1]), x[1], x[0]);
      case Op::min: return fmt::format("(ite {} {} {})", compared("lt", x[0], x[1]), x[0], x[1]);
      case Op::eq: return binary("=");
      case Op::ne: return fmt::format("(not {})", binary("="));
      case Op::lt: return compared("lt", x[0], x[1]);
      case Op::le: return compared("le", x[0], x[1]);
      case Op::gt: return compared("lt", x[1], x[0]);
      case Op::ge: return compared("le", x[1], x[0]);
      default: break;
    }
    if (!is_division(op)) throw Unsupported{};
    const std::string q = binary(s == 's' ? "bvsdiv" : "bvudiv"), r = binary(s == 's' ? "bvsrem" : "bvurem");
    const std::string rest = fmt::format("(not (= {} {}))", r, none);
    const std::string apart = fmt::format("(and {} (xor {} {}))", rest, negative(r), negative(x[1]));
    const std::string alike = fmt::format("(and {} (not (xor {} {})))", rest, negative(r), negative(x[1]));
    const auto when = [](const std::string& c, const std::string& a, const std::string& b) {
      return fmt::format("(ite {} {} {})", c, a, b);
    };
    const auto two = [](const char* f, const std::string& a, const std::string& b) {
      return fmt::format("({} {} {})", f, a, b);
    };
    switch (op) {
      case Op::truncdiv: return q;
      case Op::truncmod: return r;
      case Op::floordiv: return when(apart, two("bvsub", q, one), q);
      case Op::floormod: return when(apart, two("bvadd", r, x[1]), r);
      case Op::ceildiv: return when(alike, two("bvadd", q, one), q);
      case Op::eucdiv: return when(negative(r), when(negative(x[1]), two("bvadd", q, one), two("bvsub", q, one)), q);
      default: return when(negative(r), when(negative(x[1]), two("bvsub", r, x[1]), two("bvadd", r, x[1])), r);
    }
  }

  std::string on_floats(Op op, Type t, const std::vector<std::string>& x) {
    floats_ = true;
    const auto rounded = [&](const char* f) {
      std::string out = fmt::format("({} RNE", f);
      for (const std::string& a : x) out += " " + a;
      return out + ")";
    };
    const auto binary = [&](const char* f) { return fmt::format("({} {} {})", f, x[0], x[1]); };
    const auto lower = [](const std::string& a, const std::string& b) {
      return fmt::format("(or (fp.lt {} {}) (and (fp.eq {} {}) (fp.isNegative {})))", a, b, a, b, a);
    };
    const auto extreme = [&](const std::string& a, const std::string& b, bool greatest) {
      return fmt::format("(ite {} {} {})", lower(a, b), greatest ? b : a, greatest ? a : b);
    };
    const auto propagating = [&](const std::string& a, const std::string& b, bool greatest) {
      return fmt::format("(ite (or (fp.isNaN {}) (fp.isNaN {})) {} {})", a, b, nan(t), extreme(a, b, greatest));
    };
    const auto number = [&](bool greatest) {
      return fmt::format("(ite (fp.isNaN {}) {} (ite (fp.isNaN {}) {} {}))", x[0], x[1], x[1], x[0],
                         extreme(x[0], x[1], greatest));
    };
    switch (op) {
      case Op::add: return rounded("fp.add");
      case Op::sub: return rounded("fp.sub");
      case Op::mul: return rounded("fp.mul");
      case Op::div: return rounded("fp.div");
      case Op::fma: return rounded("fp.fma");
      case Op::sqrt: return rounded("fp.sqrt");
      case Op::recip: return fmt::format("(fp.div RNE {} {})", power(t, 0), x[0]);
      case Op::neg: return fmt::format("(fp.neg {})", x[0]);
      case Op::abs: return fmt::format("(fp.abs {})", x[0]);
      case Op::max: return propagating(x[0], x[1], true);
      case Op::min: return propagating(x[0], x[1], false);
      case Op::maxnum: return number(true);
      case Op::minnum: return number(false);
      case Op::relu: return propagating(x[0], zero(t), true);
      case Op::sat01: return propagating(propagating(x[0], zero(t), true), power(t, 0), false);
      case Op::eq: return binary("fp.eq");
      case Op::ne: return fmt::format("(not {})", binary("fp.eq"));
      case Op::lt: return binary("fp.lt");
      case Op::le: return binary("fp.leq");
      case Op::gt: return binary("fp.gt");
      case Op::ge: return binary("fp.geq");
      default: throw Unsupported{};
    }
  }

  std::map<Symbol, Type> variables_{};
  bool floats_ = false;
};

}  // namespace

std::optional<Script> rule_script(const Expr& left, const Expr& right, const Expr& condition) {
  try {
    Translator t;
    const Term a = t.term(left), b = t.term(right);
    const std::string where = condition ? t.term(condition).text : "true";
    const std::string asked = failure(where, a.fault, b.fault, fmt::format("(not (= {} {}))", a.text, b.text));
    const std::string declared = t.declarations();
    const bool floats = t.floats() || declared.find("FloatingPoint") != std::string::npos;
    return Script{floats ? "QF_BVFP" : "QF_BV", declared + asked, floats};
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace assay::scalar
