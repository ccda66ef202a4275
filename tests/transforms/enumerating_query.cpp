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
      case Formula::Kind::exists: break;
    }
    return std::nullopt;
  }

  // The values of `s` that the rows leave when all their other symbols have one. Rows with minima, maxima and divisions
  // are evaluated at the ends of a window instead.
  std::optional<std::pair<std::int64_t, std::int64_t>> range(const Symbol& s) const {
    std::optional<std::int64_t> lo, hi;
    for (const Formula& row : rows_) {
      if (row.kind() != Formula::Kind::nonneg && row.kind() != Formula::Kind::zero) continue;
      const Index& e = row.expression();
      if (!e.mentions(s)) continue;
      std::int64_t c = 0;
      for (const auto& [atom, coefficient] : e.terms()) {
        if (atom->kind == IndexAtom::Kind::symbol && atom->symbol == s) c = coefficient;
      }
      const Index rest = e - Index::symbol(s) * c;
      if (c == 0 || rest.mentions(s)) continue;
      const auto r = value(rest);
      if (!r) continue;
      if (c > 0 || row.kind() == Formula::Kind::zero) {
        const std::int64_t b = c > 0 ? -floor_div(*r, c) : -floor_div(-*r, -c);
        lo = lo ? std::max(*lo, b) : b;
      }
      if (c < 0 || row.kind() == Formula::Kind::zero) {
        const std::int64_t b = c < 0 ? floor_div(*r, -c) : floor_div(-*r, c);
        hi = hi ? std::min(*hi, b) : b;
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
  return Search(f).run();
}

}  // namespace assay::test
