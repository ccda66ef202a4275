// Integer rules over the integers: a term is exact, or known modulo 2^w where a sum or a product may have wrapped.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "ir/literal.hpp"
#include "proofs/scalar/exact.hpp"
#include "proofs/scalar/smt_text.hpp"

namespace assay::scalar {
namespace {

struct IntegerTerm {
  std::string text, fault = "false";
  bool wrapped = false;  // text is right modulo 2^w only
};

std::string number(Int128 v) { return v < 0 ? fmt::format("(- {})", decimal_text(-v)) : decimal_text(v); }
Int128 modulus(Type t) { return Int128{1} << bit_width(t); }

class IntegerTranslator {
 public:
  IntegerTerm term(const Expr& e) {
    switch (e->op) {
      case Op::literal: return {literal(e->literal)};
      case Op::variable: {
        if (!is_int(e->type) && e->type != Type::boolean) throw Unsupported{};
        variables_.emplace(e->name, e->type);
        return {"|" + e->name + "|"};
      }
      case Op::convert: return converted(e);
      case Op::choice: {
        const IntegerTerm c = term(e->args[0]);
        IntegerTerm a = term(e->args[1]), b = term(e->args[2]);
        const std::string arms = when(c.text, a.fault, b.fault);
        return {when(c.text, a.text, b.text), either(c.fault, a.fault == b.fault ? a.fault : arms),
                a.wrapped || b.wrapped};
      }
      case Op::land:
      case Op::lor: {
        const IntegerTerm a = term(e->args[0]), b = term(e->args[1]);
        const bool conjunction = e->op == Op::land;
        const std::string reached = conjunction ? a.text : "(not " + a.text + ")";
        return {fmt::format("({} {} {})", conjunction ? "and" : "or", a.text, b.text),
                b.fault == "false" ? a.fault : either(a.fault, fmt::format("(and {} {})", reached, b.fault))};
      }
      case Op::lnot: {
        const IntegerTerm a = term(e->args[0]);
        return {fmt::format("(not {})", a.text), a.fault};
      }
      default: break;
    }
    if (e->args.empty() || e->args.size() > 2) throw Unsupported{};
    const Type t = e->args[0]->type;
    std::vector<IntegerTerm> x;
    std::string fault = "false";
    for (const Expr& a : e->args) {
      x.push_back(term(a));
      fault = either(fault, x.back().fault);
    }
    IntegerTerm out = t == Type::boolean ? on_truth(e->op, x) : on_integers(e->op, t, x);
    out.fault = either(fault, out.fault);
    return out;
  }

  std::string exact(const IntegerTerm& x, Type t) const {
    if (!x.wrapped) return x.text;
    const std::string full = decimal_text(modulus(t)), half = decimal_text(modulus(t) / 2);
    if (is_unsigned_int(t)) return fmt::format("(mod {} {})", x.text, full);
    return fmt::format("(- (mod (+ {} {}) {}) {})", x.text, half, full, half);
  }

  std::string declarations() const {
    std::string out;
    for (const auto& [name, type] : variables_) {
      out += fmt::format("(declare-const |{}| {})\n", name, type == Type::boolean ? "Bool" : "Int");
      if (type == Type::boolean) continue;
      const IntRange r = int_range(type);
      out += fmt::format("(assert (and (<= {} |{}|) (<= |{}| {})))\n", number(r.lo), name, name, number(r.hi));
    }
    return out + divisions_;
  }

 private:
  static std::string literal(Scalar s) {
    if (s.type == Type::boolean) return s.bits != 0 ? "true" : "false";
    if (!is_int(s.type)) throw Unsupported{};
    return number(int_value(s));
  }

  IntegerTerm converted(const Expr& e) {
    const Type to = e->type, from = e->args[0]->type;
    const IntegerTerm a = term(e->args[0]);
    if (to == from) return a;
    if (from == Type::boolean && is_int(to)) return {when(a.text, "1", "0"), a.fault};
    if (!is_int(from)) throw Unsupported{};
    if (to == Type::boolean) return {fmt::format("(not (= {} 0))", exact(a, from)), a.fault};
    if (!is_int(to)) throw Unsupported{};
    const IntRange source = int_range(from), target = int_range(to);
    return {exact(a, from), a.fault, source.lo < target.lo || source.hi > target.hi};
  }

  static IntegerTerm on_truth(Op op, const std::vector<IntegerTerm>& x) {
    if (op == Op::eq) return {fmt::format("(= {} {})", x[0].text, x[1].text)};
    if (op == Op::ne) return {fmt::format("(not (= {} {}))", x[0].text, x[1].text)};
    throw Unsupported{};
  }

  IntegerTerm on_integers(Op op, Type t, const std::vector<IntegerTerm>& x) {
    if (!is_int(t)) throw Unsupported{};
    const auto wrapping = [&](const char* f) {
      return IntegerTerm{
          x.size() == 1 ? fmt::format("({} {})", f, x[0].text) : fmt::format("({} {} {})", f, x[0].text, x[1].text),
          "false", true};
    };
    switch (op) {
      case Op::neg: return wrapping("-");
      case Op::add: return wrapping("+");
      case Op::sub: return wrapping("-");
      case Op::mul: return wrapping("*");
      default: break;
    }
    const std::string a = exact(x[0], t), b = x.size() == 2 ? exact(x[1], t) : "";
    const auto compared = [&](const char* f) { return IntegerTerm{fmt::format("({} {} {})", f, a, b)}; };
    switch (op) {
      case Op::abs: return {when(fmt::format("(< {} 0)", a), fmt::format("(- {})", a), a), "false", is_signed_int(t)};
      case Op::relu: return {when(fmt::format("(< {} 0)", a), "0", a)};
      case Op::max: return {when(fmt::format("(< {} {})", a, b), b, a)};
      case Op::min: return {when(fmt::format("(< {} {})", a, b), a, b)};
      case Op::eq: return compared("=");
      case Op::ne: return {fmt::format("(not (= {} {}))", a, b)};
      case Op::lt: return compared("<");
      case Op::le: return compared("<=");
      case Op::gt: return compared(">");
      case Op::ge: return compared(">=");
      default: return division(op, t, a, b);
    }
  }

  /// a = b·q + r with 0 <= r < |b| (Euclid); the seven families differ from it by one step at most.
  IntegerTerm division(Op op, Type t, const std::string& a, const std::string& b) {
    const auto [at, fresh] = pairs_.emplace(std::pair{a, b}, pairs_.size());
    const std::string q = fmt::format("|quotient.{}|", at->second), r = fmt::format("|remainder.{}|", at->second);
    if (fresh) {
      divisions_ += fmt::format("(declare-const {} Int)\n(declare-const {} Int)\n", q, r);
      divisions_ += fmt::format(
          "(assert (=> (not (= {1} 0)) (and (= {0} (+ (* {1} {2}) {3})) (<= 0 {3}) (< {3} (ite (< {1} 0) (- {1}) "
          "{1})))))\n",
          a, b, q, r);
    }
    const std::string none = fmt::format("(= {} 0)", r), down = fmt::format("(- {} 1)", q),
                      up = fmt::format("(+ {} 1)", q);
    const std::string less = fmt::format("(- {} {})", r, b), more = fmt::format("(+ {} {})", r, b);
    const auto by_signs = [&](const std::string& positive, const std::string& negative) {
      return when(fmt::format("(< {} 0)", b), negative, positive);
    };
    const auto unless_exact = [&](const std::string& exactly, const std::string& otherwise) {
      return when(none, exactly, otherwise);
    };
    const std::string numerator_negative = fmt::format("(< {} 0)", a);
    IntegerTerm out;
    switch (op) {
      case Op::floordiv: out.text = by_signs(q, unless_exact(q, down)); break;
      case Op::floormod: out.text = by_signs(r, unless_exact("0", more)); break;
      case Op::ceildiv: out.text = by_signs(unless_exact(q, up), q); break;
      case Op::truncdiv: out.text = when(numerator_negative, unless_exact(q, by_signs(up, down)), q); break;
      case Op::truncmod: out.text = when(numerator_negative, unless_exact("0", by_signs(less, more)), r); break;
      case Op::eucdiv: out.text = q; break;
      case Op::eucmod: out.text = r; break;
      default: throw Unsupported{};
    }
    out.fault = fmt::format("(= {} 0)", b);
    // The least signed value by −1.
    out.wrapped = is_signed_int(t) && op != Op::floormod && op != Op::truncmod && op != Op::eucmod;
    return out;
  }

  std::map<Symbol, Type> variables_{};
  std::map<std::pair<std::string, std::string>, std::size_t> pairs_{};
  std::string divisions_{};
};

}  // namespace

std::optional<Script> integer_script(const Expr& left, const Expr& right, const Expr& condition) {
  try {
    IntegerTranslator t;
    const IntegerTerm a = t.term(left), b = t.term(right);
    const std::string where = condition ? t.term(condition).text : "true";
    const std::string differ = a.wrapped || b.wrapped ? fmt::format("(not (= (mod (- {} {}) {}) 0))", a.text, b.text,
                                                                    decimal_text(modulus(left->type)))
                                                      : fmt::format("(not (= {} {}))", a.text, b.text);
    const std::string asked = failure(where, a.fault, b.fault, differ);
    return Script{"QF_NIA", t.declarations() + asked, false};
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace assay::scalar
