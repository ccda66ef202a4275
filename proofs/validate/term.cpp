// Integer expressions of a program as index values: what a dynamic index or a condition means, wrapping included.
#include <algorithm>

#include "ir/analysis/value_range.hpp"
#include "proofs/validate/constant_value.hpp"
#include "proofs/validate/instance.hpp"
#include "proofs/validate/table.hpp"

namespace assay::derive {

Interval integer_interval(const View& view, const Node& node, const Expr& e) {
  Ranges ranges = view.ranges;
  for (const Stmt& loop : node.loops) add_loop(ranges, loop);
  return interval(e, view.program, ranges);
}

namespace {

// The mathematical value of an operation may leave its type: two's complement then.
bool fits(const Interval& i, Type type) {
  if (type == Type::index) return i.within(INT64_MIN, INT64_MAX);
  const IntRange r = int_range(type);
  return i.within(r.lo, r.hi);
}
Interval hull(std::initializer_list<Int128> values) { return {std::min(values), std::max(values)}; }
Interval product(const Interval& a, const Interval& b) {
  return hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
}
bool is_quotient(Op op) { return op == Op::floordiv || op == Op::ceildiv || op == Op::truncdiv || op == Op::eucdiv; }

// Rounded towards zero: the floor where that is not negative, the ceiling where that is not positive.
Index truncated(const Index& s, std::int64_t c) {
  return max({floordiv(s, c), Index(0)}) + min({ceildiv(s, c), Index(0)});
}

/// Quotient by a constant of either sign.
Index constant_quotient(Op op, const Index& s, std::int64_t c) {
  const std::int64_t size = c < 0 ? -c : c;
  const Index dividend = c < 0 ? -s : s;
  switch (op) {
    case Op::floordiv:
    case Op::floormod: return floordiv(dividend, size);
    case Op::ceildiv: return ceildiv(dividend, size);
    case Op::truncdiv:
    case Op::truncmod: return truncated(dividend, size);
    default: return c < 0 ? -floordiv(s, size) : floordiv(s, size);
  }
}

/// Where the remainder r = s - q*t of a division lies, for t != 0.
Formula remainder_range(Op op, const Index& s, const Index& t, const Index& r) {
  const Index zero(0);
  const Formula up = Formula::le(zero, r) & Formula::lt(r, t);      // 0 <= r < t
  const Formula down = Formula::lt(t, r) & Formula::le(r, zero);    // t < r <= 0
  const Formula above = Formula::le(zero, r) & Formula::lt(r, -t);  // 0 <= r < -t
  const Formula below = Formula::lt(-t, r) & Formula::le(r, zero);  // -t < r <= 0
  const Formula positive = Formula::lt(zero, t), negative = Formula::lt(t, zero);
  switch (op) {
    case Op::floordiv:
    case Op::floormod: return (positive & up) | (negative & down);
    case Op::ceildiv: return (positive & below) | (negative & above);
    case Op::truncdiv:
    case Op::truncmod: {
      const Formula like_s = Formula::nonneg(s);
      return (positive & like_s & up) | (positive & !like_s & below) | (negative & like_s & above) |
             (negative & !like_s & down);
    }
    default: return (positive & up) | (negative & above);
  }
}

class Terms {
 public:
  Terms(const Instance& x) : x_(x) {}

  Term term(const Expr& e, const std::string& suffix) const {
    const auto operand = [&](std::size_t i) { return term(e->args[i], suffix + "." + std::to_string(i)); };
    switch (e->op) {
      case Op::index: return {x_.apply(e->index)};
      case Op::literal: {
        if (!is_int(e->type)) return unknown(e, suffix);
        const Int128 v = int_value(e->literal);
        if (v > INT64_MAX || v < INT64_MIN) return unknown(e, suffix);
        return {Index(static_cast<std::int64_t>(v))};
      }
      case Op::load: return load(e, suffix);
      case Op::convert:
        if (is_int(e->args[0]->type) || e->args[0]->type == Type::index)
          return wrapped(e, operand(0), range(e->args[0]), suffix);
        return unknown(e, suffix);
      case Op::neg: {
        const Interval a = range(e->args[0]);
        Term t = operand(0);
        t.value = -t.value;
        return wrapped(e, std::move(t), {-a.hi, -a.lo}, suffix);
      }
      case Op::add:
      case Op::sub: {
        const Interval a = range(e->args[0]), b = range(e->args[1]);
        const Term s = operand(0), t = operand(1);
        if (e->op == Op::add) return wrapped(e, combine(s.value + t.value, s, t), {a.lo + b.lo, a.hi + b.hi}, suffix);
        return wrapped(e, combine(s.value - t.value, s, t), {a.lo - b.hi, a.hi - b.lo}, suffix);
      }
      case Op::mul: {
        const Interval a = range(e->args[0]), b = range(e->args[1]);
        if (!a.within(INT64_MIN, INT64_MAX) || !b.within(INT64_MIN, INT64_MAX)) return unknown(e, suffix);
        const Term s = operand(0), t = operand(1);
        return wrapped(e, times(s, t), product(a, b), suffix);
      }
      case Op::max:
      case Op::min: {
        const Term s = operand(0), t = operand(1);
        return combine(e->op == Op::max ? max({s.value, t.value}) : min({s.value, t.value}), s, t);
      }
      case Op::floordiv:
      case Op::floormod:
      case Op::ceildiv:
      case Op::eucdiv:
      case Op::eucmod:
      case Op::truncdiv:
      case Op::truncmod: return divided(e, operand(0), operand(1), suffix);
      case Op::choice:
      case Op::select: {
        const auto yes = decided_condition(x_, e->args[0], true), no = decided_condition(x_, e->args[0], false);
        if (!yes || !no) return unknown(e, suffix);
        const Term s = operand(1), t = operand(2);
        Term out = combine(named("(" + yes->text() + " ? " + s.value.text() + " : " + t.value.text() + ")"), s, t);
        out.fresh.push_back(*out.value.as_symbol());
        out.facts = out.facts & ((*yes & Formula::eq(out.value, s.value)) | (*no & Formula::eq(out.value, t.value)));
        return out;
      }
      default: return unknown(e, suffix);
    }
  }

 private:
  Interval range(const Expr& e) const { return integer_interval(*x_.view, *x_.node, e); }
  static Index named(std::string text) { return Index::symbol(std::move(text)); }
  static Term combine(Index value, const Term& a, const Term& b) {
    Term out{std::move(value), a.facts & b.facts, a.exact && b.exact, a.pure && b.pure, a.fresh};
    out.fresh.insert(out.fresh.end(), b.fresh.begin(), b.fresh.end());
    return out;
  }
  static void within(Term& t, const Interval& i) {
    if (i.lo >= INT64_MIN && i.lo <= INT64_MAX)
      t.facts = t.facts & Formula::le(Index(static_cast<std::int64_t>(i.lo)), t.value);
    if (i.hi >= INT64_MIN && i.hi <= INT64_MAX)
      t.facts = t.facts & Formula::le(t.value, Index(static_cast<std::int64_t>(i.hi)));
  }

  Term unknown(const Expr& e, const std::string& suffix) const {
    Term t{named("?" + suffix), Formula::truth(), false, false, {"?" + suffix}};
    within(t, range(e));
    return t;
  }

  // An element of an input is arbitrary in its range, one of a constant is in the table; loads of one cell of an immutable
  // buffer are one symbol.
  Term load(const Expr& e, const std::string& suffix) const {
    const Buffer* b = x_.view->program.find_buffer(e->name);
    if (!b || is_writable(b->kind)) return unknown(e, suffix);
    std::string name = e->name + "[";
    bool all_exact = true;
    bool pure = b->kind == BufferKind::constant;
    Formula facts = Formula::truth();
    std::vector<Symbol> fresh;
    std::vector<Index> cell;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const Term at = term(e->args[i], suffix + "." + std::to_string(i));
      name += (i == 0 ? "" : ", ") + at.value.text();
      all_exact = all_exact && at.exact;
      pure = pure && at.pure;
      cell.push_back(at.value);
      facts = facts & at.facts;
      fresh.insert(fresh.end(), at.fresh.begin(), at.fresh.end());
    }
    name += "]";
    fresh.push_back(name);
    if (b->kind == BufferKind::constant) {
      if (const auto known = table_fact(*b, cell, named(name)))
        return {named(name), facts & *known, all_exact, pure, fresh};
    }
    Term t{named(name), facts, all_exact && b->kind == BufferKind::input, false, fresh};
    within(t, range(e));
    return t;
  }

  static Term times(const Term& s, const Term& t) {
    if (t.value.is_constant()) return combine(s.value * t.value.constant(), s, t);
    if (s.value.is_constant()) return combine(t.value * s.value.constant(), s, t);
    const bool ordered = s.value < t.value;
    const Index &a = ordered ? s.value : t.value, &b = ordered ? t.value : s.value;
    const Symbol name = "(" + a.text() + ")*(" + b.text() + ")";
    Term out = combine(named(name), s, t);
    out.fresh.push_back(name);
    out.facts = out.facts & Formula::product(out.value, a, b);
    return out;
  }

  // s = q*t + r. A zero divisor is a fault, an obligation of its own: here it leaves the quotient open.
  Term divided(const Expr& e, const Term& s, const Term& t, const std::string& suffix) const {
    const Interval a = range(e->args[0]);
    const Int128 size = std::max(a.hi, -a.lo);
    if (t.value.is_constant() && t.value.constant() != 0 && t.value.constant() != INT64_MIN) {
      const std::int64_t c = t.value.constant();
      const Index q = constant_quotient(e->op, s.value, c);
      if (!is_quotient(e->op)) return combine(s.value - q * c, s, t);
      if (c > 0) return combine(q, s, t);  // no larger than the dividend
      return wrapped(e, combine(q, s, t), {-size, size}, suffix);
    }
    Term out = combine(Index(), s, t);
    const Symbol name = std::string(info(e->op).text) + "(" + s.value.text() + "; " + t.value.text() + ")";
    const Symbol quotient = is_quotient(e->op) ? name : "/" + name, multiple = "*" + name;
    const Index q = named(quotient), m = named(multiple);
    out.fresh.push_back(quotient);
    out.fresh.push_back(multiple);
    out.facts = out.facts & Formula::product(m, q, t.value) &
                (Formula::zero(t.value) | remainder_range(e->op, s.value, t.value, s.value - m));
    out.value = is_quotient(e->op) ? q : s.value - m;
    if (!is_quotient(e->op)) return out;
    return wrapped(e, std::move(out), {-size, size}, suffix);
  }

  // x reduced to the type. 64-bit moduli leave int64, so there the value is written as two halves.
  Term wrapped(const Expr& e, Term t, const Interval& mathematical, const std::string& suffix) const {
    if (fits(mathematical, e->type)) return t;
    if (e->type == Type::index) return unknown(e, suffix);  // a fault there, not a wrap
    const int w = bit_width(e->type);
    const bool is_signed = is_signed_int(e->type);
    if (w < 62) {
      const std::int64_t modulus = std::int64_t{1} << w;
      const std::int64_t bias = is_signed ? modulus / 2 : 0;
      t.value = floormod(t.value + bias, modulus) - bias;
      return t;
    }
    constexpr std::int64_t half = std::int64_t{1} << 32;
    const std::string of = "(" + t.value.text() + ")";
    const Index low = named("low" + of), high = named("high" + of), turns = named("turns" + of),
                carry = named("carry" + of);
    for (const Index& s : {low, high, turns, carry}) t.fresh.push_back(*s.as_symbol());
    const Index value = high * half + low;
    const std::int64_t least = is_signed ? -half / 2 : 0;
    t.facts = Formula::all({t.facts, Formula::le(Index(0), low), Formula::lt(low, Index(half)),
                            Formula::le(Index(least), high), Formula::lt(high, Index(least + half)),
                            Formula::eq(carry, turns * half), Formula::eq(t.value, value + carry * half)});
    t.value = value;
    return t;
  }

  const Instance& x_;
};

}  // namespace

Term integer_term(const Instance& x, const Expr& e, const std::string& suffix) { return Terms(x).term(e, suffix); }

std::vector<Symbol> bound_symbols(const Instance& w, const Access& a) {
  std::set<Symbol> all(w.fresh.begin(), w.fresh.end());
  for (const Expr& e : a.indices) {
    const Term t = integer_term(w, e, "");
    all.insert(t.fresh.begin(), t.fresh.end());
  }
  return {all.begin(), all.end()};
}

std::optional<Formula> decided_condition(const Instance& x, const Expr& c, bool positive) {
  if (const auto f = affine_condition(c)) return x.apply(positive ? *f : !*f);
  const auto part = [&](std::size_t i, bool sign) { return decided_condition(x, c->args[i], sign); };
  switch (c->op) {
    case Op::lnot: return part(0, !positive);
    case Op::land:
    case Op::lor: {
      const auto a = part(0, positive), b = part(1, positive);
      if (!a || !b) return std::nullopt;
      return (c->op == Op::land) == positive ? *a & *b : *a | *b;
    }
    default: break;
  }
  if (!is_comparison(c->op) || !(is_int(c->args[0]->type) || c->args[0]->type == Type::index)) return std::nullopt;
  if (const auto known = decided_comparison(c->op, integer_interval(*x.view, *x.node, c->args[0]),
                                            integer_interval(*x.view, *x.node, c->args[1])))
    return *known == positive ? Formula::truth() : Formula::falsity();
  const Term a = integer_term(x, c->args[0], ""), b = integer_term(x, c->args[1], "");
  if (!a.exact || !b.exact || !a.pure || !b.pure) return std::nullopt;
  const Formula holds = compared(c->op, a.value, b.value);
  std::set<Symbol> fresh(a.fresh.begin(), a.fresh.end());
  fresh.insert(b.fresh.begin(), b.fresh.end());
  return Formula::exists({fresh.begin(), fresh.end()}, a.facts & b.facts & (positive ? holds : !holds));
}

}  // namespace assay::derive
