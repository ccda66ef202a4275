// Bounds of quasi-affine values term by term, and comparisons with minima and maxima turned into logic.
#include "transforms/affine.hpp"

#include <algorithm>

namespace assay {
namespace {

bool is_extremum(const IndexAtom& a) { return a.kind == IndexAtom::Kind::min || a.kind == IndexAtom::Kind::max; }

// The bound of `e` in one direction: terms with a negative coefficient are bounded in the other one.
Index bound(const Index& e, bool upper, const Symbol& symbol, const Index& first, const Index& last) {
  Index sum(e.constant());
  if (e.overflowed()) return e;
  for (const auto& [atom, coefficient] : e.terms()) {
    const bool up = upper == (coefficient > 0);
    Index value = of_atom(*atom);
    if (value.mentions(symbol)) {
      std::vector<Index> args;
      switch (atom->kind) {
        case IndexAtom::Kind::symbol: value = up ? last : first; break;
        case IndexAtom::Kind::floordiv:
          value = floordiv(bound(atom->args[0], up, symbol, first, last), atom->divisor);
          break;
        case IndexAtom::Kind::floormod: value = up ? atom->divisor - 1 : 0; break;
        case IndexAtom::Kind::min:
        case IndexAtom::Kind::max:
          for (const Index& a : atom->args) args.push_back(bound(a, up, symbol, first, last));
          value = atom->kind == IndexAtom::Kind::min ? min(args) : max(args);
          break;
      }
    }
    sum = sum + value * coefficient;
  }
  return sum;
}

// How many plain comparisons remain when all extrema among the terms are resolved, at most `limit` + 1.
std::size_t alternatives(const Index& e, std::size_t limit) {
  std::size_t count = 1;
  for (const auto& [atom, coefficient] : e.terms()) {
    if (!is_extremum(*atom)) continue;
    std::size_t sum = 0;
    for (const Index& a : atom->args) sum = std::min(sum + alternatives(a, limit), limit + 1);
    count = std::min(count * sum, limit + 1);
  }
  return count;
}

constexpr std::size_t most_comparisons = 64;

Expr join(Op op, const std::vector<Expr>& parts) {
  Expr all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) all = make_op(op, {all, parts[i]});
  return all;
}

// `on_left`: the extremum stands in a, else in b. a < b holds for b = min(…) when it holds for all arguments, for
// b = max(…) when it holds for one; in a, and under a negative coefficient, it is the other way round.
Expr resolve(Op op, const Index& a, const Index& b) {
  for (const bool on_left : {false, true}) {
    for (const auto& [atom, coefficient] : (on_left ? a : b).terms()) {
      if (!is_extremum(*atom)) continue;
      const bool all = ((atom->kind == IndexAtom::Kind::min) == (coefficient > 0)) != on_left;
      std::vector<Expr> parts;
      for (const Index& argument : atom->args) {
        const Index change = (argument - of_atom(*atom)) * coefficient;
        parts.push_back(on_left ? resolve(op, a + change, b) : resolve(op, a, b + change));
      }
      return join(all ? Op::land : Op::lor, parts);
    }
  }
  return make_op(op, {make_index(a), make_index(b)});
}

Expr resolve_divisible(const Index& e, std::int64_t modulus) {
  for (const auto& [atom, coefficient] : e.terms()) {
    if (!is_extremum(*atom)) continue;
    std::vector<Expr> cases;
    for (const Index& chosen : atom->args) {
      std::vector<Expr> parts;
      for (const Index& other : atom->args) {
        if (other == chosen) continue;
        parts.push_back(atom->kind == IndexAtom::Kind::min ? resolve(Op::le, chosen, other)
                                                           : resolve(Op::le, other, chosen));
      }
      parts.push_back(resolve_divisible(e + (chosen - of_atom(*atom)) * coefficient, modulus));
      cases.push_back(join(Op::land, parts));
    }
    return join(Op::lor, cases);
  }
  return make_op(Op::eq, {make_index(floormod(e, modulus)), make_index(0)});
}

}  // namespace

Index of_atom(const IndexAtom& atom) {
  switch (atom.kind) {
    case IndexAtom::Kind::symbol: return Index::symbol(atom.symbol);
    case IndexAtom::Kind::floordiv: return floordiv(atom.args[0], atom.divisor);
    case IndexAtom::Kind::floormod: return floormod(atom.args[0], atom.divisor);
    case IndexAtom::Kind::min: return min(atom.args);
    case IndexAtom::Kind::max: return max(atom.args);
  }
  return {};
}

bool has_extremum(const Index& e) {
  return std::any_of(e.terms().begin(), e.terms().end(), [](const IndexTerm& t) {
    return is_extremum(*t.first) || std::any_of(t.first->args.begin(), t.first->args.end(), has_extremum);
  });
}

Index trip_count(const Stmt& loop) { return ceildiv(loop->hi - loop->lo, loop->step); }

std::optional<Linear> linear_in(const Index& e, const Symbol& symbol) {
  Linear l;
  for (const auto& [atom, coefficient] : e.terms()) {
    if (atom->kind == IndexAtom::Kind::symbol && atom->symbol == symbol) l.coefficient = coefficient;
  }
  l.rest = e - Index::symbol(symbol) * l.coefficient;
  if (e.overflowed() || l.rest.mentions(symbol)) return std::nullopt;
  return l;
}

Index least(const Index& e, const Symbol& symbol, const Index& first, const Index& last) {
  return bound(e, false, symbol, first, last);
}
Index greatest(const Index& e, const Symbol& symbol, const Index& first, const Index& last) {
  return bound(e, true, symbol, first, last);
}

Expr compare(Op op, const Index& a, const Index& b) {
  if (alternatives(a, most_comparisons) * alternatives(b, most_comparisons) > most_comparisons)
    return make_op(op, {make_index(a), make_index(b)});
  return resolve(op, a, b);
}

Expr divisible(const Index& e, std::int64_t modulus) {
  if (alternatives(e, most_comparisons) > most_comparisons)
    return make_op(Op::eq, {make_index(floormod(e, modulus)), make_index(0)});
  return resolve_divisible(e, modulus);
}

Expr conjunction(const std::vector<Expr>& conditions) {
  return conditions.empty() ? Expr() : join(Op::land, conditions);
}

}  // namespace assay
