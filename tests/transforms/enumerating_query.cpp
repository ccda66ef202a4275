// Backtracking over the free symbols; the rows of the top conjunction bound them, and a full point decides.
#include "enumerating_query.hpp"

#include <algorithm>

namespace assay::test {
namespace {

using Values = std::map<Symbol, std::int64_t>;

class Search {
 public:
  explicit Search(const Formula& f) : formula_(f) {
    f.collect_free(open_);
    if (f.kind() == Formula::Kind::conjunction) {
      rows_ = f.parts();
    } else {
      rows_ = {f};
    }
    for (const Formula& row : rows_) {
      if (row.kind() == Formula::Kind::nonneg || row.kind() == Formula::Kind::zero) relax(row.expression());
      if (row.kind() == Formula::Kind::zero) relax(-row.expression());
    }
  }

  Answer run() {
    if (step()) return {Answer::Kind::solution, values_, {}};
    if (stuck_) return {Answer::Kind::unknown, {}, "not bounded"};
    return {Answer::Kind::empty, {}, {}};
  }

 private:
  std::optional<std::int64_t> value(const Index& e) const {
    return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto it = values_.find(s);
      if (it == values_.end()) return std::nullopt;
      return it->second;
    });
  }

  // True, false, or nothing while symbols are open.
  std::optional<bool> holds(const Formula& f) const {
    switch (f.kind()) {
      case Formula::Kind::truth: return true;
      case Formula::Kind::falsity: return false;
      case Formula::Kind::nonneg:
      case Formula::Kind::zero: {
        const auto v = value(f.expression());
        if (!v) return std::nullopt;
        return f.kind() == Formula::Kind::zero ? *v == 0 : *v >= 0;
      }
      case Formula::Kind::negation: {
        const auto v = holds(f.parts()[0]);
        if (!v) return std::nullopt;
        return !*v;
      }
      case Formula::Kind::conjunction:
      case Formula::Kind::disjunction: {
        const bool decisive = f.kind() == Formula::Kind::disjunction;
        bool open = false;
        for (const Formula& p : f.parts()) {
          const auto v = holds(p);
          if (v == decisive) return decisive;
          open |= !v;
        }
        if (open) return std::nullopt;
        return !decisive;
      }
      case Formula::Kind::product:
      case Formula::Kind::exists: break;
    }
    return std::nullopt;
  }

  // Adds rows without minima, maxima and divisions that follow from e >= 0: each of these terms is replaced by a bound.
  void relax(const Index& e) {
    for (const auto& [atom, k] : e.terms()) {
      if (atom->kind == IndexAtom::Kind::symbol) continue;
      const Index& x = atom->args[0];
      const std::int64_t d = atom->divisor;
      Index term;
      std::vector<Index> bounds = atom->args;
      switch (atom->kind) {
        case IndexAtom::Kind::floordiv:
          term = floordiv(x, d);
          return relax((e - term * k) * d + (k > 0 ? x : x - d + 1) * k);
        case IndexAtom::Kind::floormod: term = floormod(x, d); return relax(e - term * k + (k > 0 ? k * (d - 1) : 0));
        case IndexAtom::Kind::min: term = min(atom->args); break;
        default: term = max(atom->args); break;
      }
      if ((atom->kind == IndexAtom::Kind::min) != (k > 0)) return;
      for (const Index& bound : bounds) relax(e + (bound - term) * k);
      return;
    }
    linear_.push_back(e);
  }

  // The values of `s` that the linear rows leave when all their other symbols have one.
  std::optional<std::pair<std::int64_t, std::int64_t>> range(const Symbol& s) const {
    std::optional<std::int64_t> lo, hi;
    for (const Index& e : linear_) {
      if (!e.mentions(s)) continue;
      std::int64_t c = 0;
      for (const auto& [atom, coefficient] : e.terms()) {
        if (atom->symbol == s) c = coefficient;
      }
      const auto rest = value(e - Index::symbol(s) * c);
      if (!rest) continue;
      if (c > 0) {
        lo = std::max(lo.value_or(INT64_MIN), -floor_div(*rest, c));
      } else {
        hi = std::min(hi.value_or(INT64_MAX), floor_div(*rest, -c));
      }
    }
    if (!lo || !hi) return std::nullopt;
    return std::make_pair(*lo, *hi);
  }

  bool step() {
    if (stuck_ || ++points_ > 200000) {
      stuck_ = true;
      return false;
    }
    for (const Formula& row : rows_) {
      if (holds(row) == false) return false;
    }
    if (open_.empty()) {
      const auto v = holds(formula_);
      stuck_ |= !v;
      return v.value_or(false);
    }
    for (const Symbol& s : std::set<Symbol>(open_)) {
      const auto r = range(s);
      if (!r) continue;
      open_.erase(s);
      for (std::int64_t x = r->first; x <= r->second; ++x) {
        values_[s] = x;
        if (step()) return true;
      }
      values_.erase(s);
      open_.insert(s);
      return false;
    }
    stuck_ = true;
    return false;
  }

  const Formula& formula_;
  std::vector<Formula> rows_;
  std::vector<Index> linear_;  // each at least 0
  std::set<Symbol> open_;
  Values values_;
  int points_ = 0;
  bool stuck_ = false;
};

}  // namespace

Answer EnumeratingQuery::solve(const Formula& f, const std::vector<Symbol>&) {
  ++asked;
  if (f.is_true()) return {Answer::Kind::solution, {}, {}};
  if (f.is_false()) return {Answer::Kind::empty, {}, {}};
  Answer a = Search(f).run();
  unknown += a.kind == Answer::Kind::unknown ? 1 : 0;
  return a;
}

}  // namespace assay::test
