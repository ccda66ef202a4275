// A walk over the body that turns every comparison into conditions d >= 0, bounds d over the inner symbols from below
// (where does it hold for all of them?) and from above (for any?), and solves both for the loop's symbol.
#include "transforms/cuts.hpp"

#include <algorithm>

#include "transforms/affine.hpp"

namespace assay {
namespace {

// At most so many cuts per condition: minima and maxima multiply.
constexpr int most_alternatives = 16;

class Collector {
 public:
  explicit Collector(const Stmt& loop) : symbol_(loop->name) { block(loop->body); }
  std::vector<Index> cuts;

 private:
  void block(const Block& b) {
    for (const Stmt& s : b) {
      for (const Expr& e : s->indices) expression(e);
      if (s->kind == StmtKind::branch) {
        condition(s->value);
      } else if (s->value) {
        expression(s->value);
      }
      if (s->kind == StmtKind::loop) {
        bound(s->lo);
        bound(s->hi);
        inner_.push_back(s);
      }
      block(s->body);
      if (s->kind == StmtKind::loop) inner_.pop_back();
      block(s->other);
    }
  }

  void expression(const Expr& e) {
    if (e->op == Op::land || e->op == Op::lor || e->op == Op::lnot) return condition(e);
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (e->op == Op::choice && i == 0) {
        condition(e->args[0]);
      } else {
        expression(e->args[i]);
      }
    }
    block(e->body);
  }

  void condition(const Expr& e) {
    if (!is_comparison(e->op)) {
      if (e->op != Op::land && e->op != Op::lor && e->op != Op::lnot) return expression(e);
      for (const Expr& a : e->args) condition(a);
      return;
    }
    if (e->args[0]->op != Op::index || e->args[1]->op != Op::index) return expression_operands(e);
    const Index& a = e->args[0]->index;
    const Index& b = e->args[1]->index;
    switch (e->op) {
      case Op::lt: return either(b - a - 1);
      case Op::le: return either(b - a);
      case Op::gt: return either(a - b - 1);
      case Op::ge: return either(a - b);
      default: return equality(a - b);
    }
  }
  void expression_operands(const Expr& e) {
    for (const Expr& a : e->args) expression(a);
  }

  // Which argument of a minimum or maximum wins.
  void bound(const Index& e) {
    for (const auto& [atom, coefficient] : e.terms()) {
      for (const Index& a : atom->args) bound(a);
      if (atom->kind != IndexAtom::Kind::min && atom->kind != IndexAtom::Kind::max) continue;
      for (std::size_t i = 1; i < atom->args.size(); ++i) either(atom->args[i] - atom->args[0]);
    }
  }

  // d >= 0 for all values of the inner symbols; d >= 0 for some.
  void either(const Index& d) {
    add(thresholds(over_inner(d, false)));
    add(thresholds(over_inner(d, true)));
  }
  // d == 0 can hold from one threshold to the other, and nowhere when they coincide.
  void equality(const Index& d) {
    const std::vector<Index> from = thresholds(over_inner(d, true));
    const std::vector<Index> to = thresholds(over_inner(-d, true));
    if (from == to) return;
    add(from);
    add(to);
  }
  void add(const std::vector<Index>& found) {
    for (const Index& c : found) {
      if (!c.overflowed() && std::find(cuts.begin(), cuts.end(), c) == cuts.end()) cuts.push_back(c);
    }
  }

  Index over_inner(Index d, bool upper) const {
    for (auto loop = inner_.rbegin(); loop != inner_.rend(); ++loop) {
      const StmtNode& l = **loop;
      if (!d.mentions(l.name)) continue;
      const Index last = l.step == 1 ? l.hi - 1 : l.lo + floordiv(l.hi - 1 - l.lo, l.step) * l.step;
      d = upper ? greatest(d, l.name, l.lo, last) : least(d, l.name, l.lo, last);
    }
    return d;
  }

  // The values of the symbol at which `d >= 0` may change, for a d that rises or falls with it.
  std::vector<Index> thresholds(const Index& d, int alternatives = most_alternatives) const {
    if (d.overflowed() || !d.mentions(symbol_) || alternatives < 1) return {};
    for (const auto& [atom, coefficient] : d.terms()) {
      const Index value = of_atom(*atom);
      if (!value.mentions(symbol_) || (atom->kind != IndexAtom::Kind::min && atom->kind != IndexAtom::Kind::max))
        continue;
      std::vector<Index> all;
      for (const Index& a : atom->args) {
        for (const Index& c :
             thresholds(d + (a - value) * coefficient, alternatives / static_cast<int>(atom->args.size())))
          all.push_back(c);
      }
      return all;
    }
    if (const auto linear = linear_in(d, symbol_)) return {threshold(linear->coefficient, linear->rest)};
    // coefficient · floordiv(x, c) + rest >= 0 is a condition on x.
    for (const auto& [atom, coefficient] : d.terms()) {
      const Index value = of_atom(*atom);
      const Index rest = d - value * coefficient;
      if (atom->kind != IndexAtom::Kind::floordiv || !value.mentions(symbol_) || rest.mentions(symbol_)) continue;
      const Index from = threshold(coefficient, rest);
      const Index x = atom->args[0] - from * atom->divisor;
      return thresholds(x, alternatives);
    }
    return {};
  }

  // The first v with coefficient·v + rest >= 0 where that rises with v; the first without where it falls.
  static Index threshold(std::int64_t coefficient, const Index& rest) {
    if (coefficient > 0) return ceildiv(-rest, coefficient);
    if (coefficient == INT64_MIN) return Index(1) * INT64_MIN * INT64_MIN;  // overflowed
    return floordiv(rest, -coefficient) + 1;
  }

  Symbol symbol_;
  std::vector<Stmt> inner_;
};

}  // namespace

bool may_cut(const Stmt& loop, const Index& cut, const Formula& facts, Query& query) {
  const Index first = cut - loop->lo;
  const Formula inside =
      Formula::lt(loop->lo, cut) & Formula::lt(loop->lo + ceildiv(first, loop->step) * loop->step, loop->hi);
  if (inside.is_false()) return false;
  return query.solve(facts & inside).kind != Answer::Kind::empty;
}

std::vector<Index> cut_points(const Stmt& loop, const Formula& facts, Query& query) {
  std::vector<Index> sorted;
  for (Index cut : Collector(loop).cuts) {
    if (!may_cut(loop, cut, facts, query)) continue;
    // Insertion. Where the order of two points depends on values they become their minimum and maximum.
    bool placed = false;
    for (std::size_t k = 0; k < sorted.size() && !placed; ++k) {
      const bool not_above = query.implied(facts, Formula::le(cut, sorted[k]));
      const bool not_below = query.implied(facts, Formula::le(sorted[k], cut));
      if (not_above) {
        if (!not_below) sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(k), cut);
        placed = true;
      } else if (!not_below) {
        const Index other = sorted[k];
        sorted[k] = min({other, cut});
        cut = max({other, cut});
      }
    }
    if (!placed) sorted.push_back(cut);
  }
  return sorted;
}

}  // namespace assay
