// Integer expressions of a program as index values: what a dynamic index or a condition means, wrapping included.
#include <algorithm>

#include "ir/analysis/value_range.hpp"
#include "proofs/validate/constant_value.hpp"
#include "proofs/validate/coverage.hpp"
#include "proofs/validate/division_terms.hpp"
#include "proofs/validate/last_stores.hpp"
#include "proofs/validate/order.hpp"
#include "proofs/validate/table.hpp"
#include "proofs/validate/threads.hpp"

namespace assay::derive {

namespace {

Ranges ranges_at(const View& view, const Node& node) {
  Ranges ranges = view.ranges;
  for (const Stmt& loop : node.loops) add_loop(ranges, loop);
  return ranges;
}

}  // namespace

Interval integer_interval(const View& view, const Node& node, const Expr& e) {
  return interval(e, view.program, ranges_at(view, node));
}

namespace {

// So many storages are looked through, one behind the other, for what a load gives, and so many stores of each.
constexpr std::size_t most_storages = 3, most_stores = 8;

class Terms {
 public:
  explicit Terms(const Instance& x)
      : x_(x), facts_{&x.view->program, ranges_at(*x.view, *x.node), &x.view->stored, {}} {}
  /// What is loaded from storage that statements write is what one of them stored; not again from the storages of `behind`.
  Terms(const Instance& x, std::string moment, bool last, std::vector<Symbol> behind) : Terms(x) {
    moment_ = std::move(moment);
    last_ = last;
    behind_ = std::move(behind);
  }

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
      case Op::variable: return moment_.empty() ? unknown(e, suffix) : stored(e, e->name, {}, {});
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
        const auto c = condition(e->args[0], suffix + ".c");
        if (!c) return unknown(e, suffix);
        const Term s = operand(1), t = operand(2);
        Term out = combine(named("(" + c->yes.text() + " ? " + s.value.text() + " : " + t.value.text() + ")"), s, t);
        out.fresh.insert(out.fresh.end(), c->fresh.begin(), c->fresh.end());
        out.fresh.push_back(*out.value.as_symbol());
        out.exact = out.exact && c->exact;
        out.pure = out.pure && c->pure;
        // What is known about the arm that is not taken, says nothing.
        out.facts = c->facts & ((c->yes & s.facts & Formula::eq(out.value, s.value)) |
                                (c->no & t.facts & Formula::eq(out.value, t.value)));
        within(out, range(e));
        return out;
      }
      default: return unknown(e, suffix);
    }
  }

  // Those of the guards that say something about integers, and still hold.
  Formula holding(const std::vector<Guard>& guards, std::vector<Symbol>& fresh) const {
    std::vector<Formula> out;
    for (const Guard& g : guards) {
      if (affine_condition(g.condition) || !still_holds(x_.view->program, x_.view->extraction, *x_.node, g)) continue;
      const auto c = condition(g.condition, moment_ + "if" + std::to_string(out.size()));
      if (!c) continue;
      out.push_back(c->facts & (g.positive ? c->yes : c->no));
      fresh.insert(fresh.end(), c->fresh.begin(), c->fresh.end());
    }
    return Formula::all(std::move(out));
  }

 private:
  // When a condition holds and when it does not, as far as `facts` hold, which they do where it is evaluated.
  struct Condition {
    Formula facts = Formula::truth(), yes{}, no{};
    bool exact = true, pure = true;
    std::vector<Symbol> fresh{};
  };
  std::optional<Condition> condition(const Expr& c, const std::string& suffix) const {
    const auto yes = decided_condition(x_, c, true), no = decided_condition(x_, c, false);
    if (yes && no) return Condition{Formula::truth(), *yes, *no};
    if (c->op == Op::lnot) {
      auto a = condition(c->args[0], suffix);
      if (a) std::swap(a->yes, a->no);
      return a;
    }
    if (c->op == Op::land || c->op == Op::lor) {
      const auto a = condition(c->args[0], suffix + ".0"), b = condition(c->args[1], suffix + ".1");
      if (!a || !b) return std::nullopt;
      Condition out{a->facts, {}, {}, a->exact && b->exact, a->pure && b->pure, a->fresh};
      out.fresh.insert(out.fresh.end(), b->fresh.begin(), b->fresh.end());
      const bool both = c->op == Op::land;  // the second operand is evaluated where the first leaves it open
      const Formula second = (both ? a->yes : a->no) & b->facts;
      out.yes = both ? second & b->yes : a->yes | (second & b->yes);
      out.no = both ? a->no | (second & b->no) : second & b->no;
      return out;
    }
    if (!is_comparison(c->op) || !(is_int(c->args[0]->type) || c->args[0]->type == Type::index)) return std::nullopt;
    const Term a = term(c->args[0], suffix + ".0"), b = term(c->args[1], suffix + ".1");
    const Term both = combine(Index(), a, b);
    const Formula holds = compared(c->op, a.value, b.value);
    return Condition{both.facts, holds, !holds, both.exact, both.pure, both.fresh};
  }

  Interval range(const Expr& e) const { return interval(e, facts_); }
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
    const bool writable = !b || is_writable(b->kind);
    if (writable && moment_.empty()) return unknown(e, suffix);
    std::string name = e->name + "[";
    bool all_exact = true;
    bool pure = b && b->kind == BufferKind::constant;
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
    if (writable) return stored(e, name, cell, {Index(), facts, false, false, fresh});
    fresh.push_back(name);
    if (b->kind == BufferKind::constant) {
      if (const auto known = table_fact(*b, cell, named(name)))
        return {named(name), facts & *known, all_exact, pure, fresh};
    }
    Term t{named(name), facts, all_exact && b->kind == BufferKind::input, false, fresh};
    within(t, range(e));
    return t;
  }

  // What is loaded now is what some statement stored there: at one of its executions it did, and what it stored is as there.
  Term stored(const Expr& e, const std::string& text, const std::vector<Index>& cell, Term out) const {
    const Symbol name = moment_ + "?" + text;
    out.value = named(name);
    out.exact = out.pure = false;
    out.fresh.push_back(name);
    within(out, range(e));
    const View& view = *x_.view;
    const Buffer* b = view.program.find_buffer(e->name);
    const std::vector<std::size_t>& stores = view.stores.all(e->name);
    if ((b && is_defined_on_entry(b->kind)) || !is_int(e->type) || stores.empty() || stores.size() > most_stores ||
        behind_.size() >= most_storages || std::find(behind_.begin(), behind_.end(), e->name) != behind_.end())
      return out;
    std::vector<Symbol> behind = behind_;
    behind.push_back(e->name);
    std::vector<Formula> ways;
    for (const std::size_t at : stores) {
      const Node& n = view.extraction.nodes[at];
      const std::string then = name + "#" + std::to_string(n.statement);
      Instance w = instantiate(view, n, then);
      std::vector<Formula> parts;
      if (last_) parts.push_back(place(w, then));
      const Terms terms(w, then, last_, behind);
      out.fresh.insert(out.fresh.end(), w.fresh.begin(), w.fresh.end());
      parts.insert(parts.end(), {domain(w), decided_guards(w), terms.holding(n.guards, out.fresh)});
      const auto equal = [&](const Term& t, const Index& to) {
        parts.push_back(t.facts & Formula::eq(t.value, to));
        out.fresh.insert(out.fresh.end(), t.fresh.begin(), t.fresh.end());
      };
      const Access& store = *n.store();
      if (store.variable) {
        const auto loops = static_cast<std::size_t>(view.extraction.variables.at(e->name).loops);
        for (std::size_t k = 0; k < loops; ++k) parts.push_back(Formula::eq(w.symbol(k), x_.symbol(k)));
      }
      for (std::size_t d = 0; d < store.indices.size() && d < cell.size(); ++d)
        equal(terms.term(store.indices[d], then + "@" + std::to_string(d)), cell[d]);
      equal(store.whole ? Term{} : terms.term(n.stmt->value, then + "="), out.value);
      if (last_) {
        const Access read{e->name, !b, false, false, e->args, {}, e->where};
        parts.push_back(ordered_before(w, true, x_, false, copies_of(view.program, read)));
        parts.push_back(!written_between(view, w, x_, x_, read));
      }
      ways.push_back(Formula::all(std::move(parts)));
    }
    out.facts = out.facts & Formula::any(std::move(ways));
    return out;
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
  ValueFacts facts_;
  std::string moment_{};
  bool last_ = false;  // and nothing that counts as certain was stored there since
  std::vector<Symbol> behind_{};
};

}  // namespace

Term integer_term(const Instance& x, const Expr& e, const std::string& suffix) {
  return e->op == Op::index ? Term{x.apply(e->index)} : Terms(x).term(e, suffix);
}
Term stored_term(const Instance& x, const Expr& e, const std::string& moment) {
  return e->op == Op::index ? Term{x.apply(e->index)} : Terms(x, moment, false, {}).term(e, moment);
}
Term last_stored_term(const Instance& x, const Expr& e, const std::string& moment) {
  return Terms(x, moment, true, {}).term(e, moment);
}
Formula guards_still_holding(const Instance& x, const std::vector<Guard>& access, const std::string& moment) {
  std::vector<Guard> all = x.node->guards;
  all.insert(all.end(), access.begin(), access.end());
  std::erase_if(all, [](const Guard& g) { return affine_condition(g.condition).has_value(); });
  std::vector<Symbol> fresh;
  return all.empty() ? Formula::truth() : Terms(x, moment, false, {}).holding(all, fresh);
}

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
