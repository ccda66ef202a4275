// Canonical quasi-affine arithmetic. All sums go through `Builder`, which keeps terms in a sorted map and checks overflow;
// floordiv and floormod first split off what is a multiple of the divisor, so that equal values mostly look equal.
#include "ir/index.hpp"

#include <algorithm>

#include "ir/common_divisor.hpp"
#include "ir/type.hpp"

namespace assay {
namespace {

struct AtomOrder {
  bool operator()(const std::shared_ptr<const IndexAtom>& a, const std::shared_ptr<const IndexAtom>& b) const {
    return a != b && a->compare(*b) < 0;
  }
};

bool fits(Int128 v) { return v >= INT64_MIN && v <= INT64_MAX; }

int sign(std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

// constant + Σ terms in 128-bit arithmetic; the caller turns it into an Index when everything fits.
struct Builder {
  Int128 constant = 0;
  bool overflowed = false;
  std::map<std::shared_ptr<const IndexAtom>, Int128, AtomOrder> terms;

  void add(const Index& e, Int128 factor) {
    overflowed |= e.overflowed();
    constant += factor * e.constant();
    for (const auto& [atom, coefficient] : e.terms()) add(atom, factor * coefficient);
    check();
  }
  void add(const std::shared_ptr<const IndexAtom>& atom, Int128 coefficient) {
    if (coefficient == 0) return;
    auto [it, fresh] = terms.emplace(atom, coefficient);
    if (!fresh) {
      it->second += coefficient;
      if (it->second == 0) terms.erase(it);
    }
  }
  void check() {
    overflowed |= !fits(constant);
    for (const auto& [atom, coefficient] : terms) overflowed |= !fits(coefficient);
    if (overflowed) {
      constant = 0;
      terms.clear();
    }
  }
};

}  // namespace

struct Index::Finisher {
  static Index of(const Builder& b) {
    Index e;
    e.overflowed_ = b.overflowed;
    if (b.overflowed) return e;
    e.constant_ = static_cast<std::int64_t>(b.constant);
    for (const auto& [atom, coefficient] : b.terms) e.terms_.emplace_back(atom, static_cast<std::int64_t>(coefficient));
    return e;
  }
};
static Index finish(Builder b) {
  b.check();
  return Index::Finisher::of(b);
}

Index Index::of_atom(IndexAtom atom) {
  Index e;
  e.terms_.emplace_back(std::make_shared<const IndexAtom>(std::move(atom)), 1);
  return e;
}

Index Index::symbol(Symbol s) { return of_atom({IndexAtom::Kind::symbol, std::move(s), {}, 1}); }

const Symbol* Index::as_symbol() const {
  if (overflowed_ || constant_ != 0 || terms_.size() != 1 || terms_[0].second != 1) return nullptr;
  return terms_[0].first->kind == IndexAtom::Kind::symbol ? &terms_[0].first->symbol : nullptr;
}

// a + sign · b: both are sorted, so the terms are merged in one pass.
Index Index::sum(const Index& a, const Index& b, std::int64_t sign) {
  Index e;
  e.overflowed_ = a.overflowed_ || b.overflowed_;
  const auto into = [&](Int128 v) {
    e.overflowed_ |= !fits(v);
    return static_cast<std::int64_t>(v);
  };
  e.constant_ = into(Int128{a.constant_} + Int128{sign} * b.constant_);
  e.terms_.reserve(a.terms_.size() + b.terms_.size());
  auto i = a.terms_.begin();
  auto j = b.terms_.begin();
  while (i != a.terms_.end() || j != b.terms_.end()) {
    const int order = i == a.terms_.end()    ? 1
                      : j == b.terms_.end()  ? -1
                      : i->first == j->first ? 0
                                             : i->first->compare(*j->first);
    Int128 coefficient = 0;
    if (order <= 0) coefficient += i->second;
    if (order >= 0) coefficient += Int128{sign} * j->second;
    if (coefficient != 0) e.terms_.emplace_back(order <= 0 ? i->first : j->first, into(coefficient));
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
  if (e.overflowed_) {
    e.constant_ = 0;
    e.terms_.clear();
  }
  return e;
}

Index Index::operator+(const Index& other) const { return sum(*this, other, 1); }
Index Index::operator-(const Index& other) const { return sum(*this, other, -1); }
Index Index::operator*(std::int64_t factor) const {
  Builder b;
  b.add(*this, factor);
  return finish(std::move(b));
}

int IndexAtom::compare(const IndexAtom& other) const {
  if (kind != other.kind) return kind < other.kind ? -1 : 1;
  if (int c = symbol.compare(other.symbol); c != 0) return c < 0 ? -1 : 1;
  if (divisor != other.divisor) return sign(divisor, other.divisor);
  if (args.size() != other.args.size()) return args.size() < other.args.size() ? -1 : 1;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (int c = args[i].compare(other.args[i]); c != 0) return c;
  }
  return 0;
}

int Index::compare(const Index& other) const {
  if (overflowed_ != other.overflowed_) return overflowed_ ? 1 : -1;
  const std::size_t n = std::min(terms_.size(), other.terms_.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (terms_[i].first != other.terms_[i].first) {
      if (int c = terms_[i].first->compare(*other.terms_[i].first); c != 0) return c;
    }
    if (int c = sign(terms_[i].second, other.terms_[i].second); c != 0) return c;
  }
  if (terms_.size() != other.terms_.size()) return terms_.size() < other.terms_.size() ? -1 : 1;
  return sign(constant_, other.constant_);
}

// Whether two values differ by a constant.
static bool same_terms(const Index& a, const Index& b) {
  return std::equal(a.terms().begin(), a.terms().end(), b.terms().begin(), b.terms().end(),
                    [](const IndexTerm& x, const IndexTerm& y) {
                      return x.second == y.second && (x.first == y.first || x.first->compare(*y.first) == 0);
                    });
}

// Terms of e with coefficients mapped by `f`; `constant` replaces the constant.
template <typename F>
static Index map_terms(const Index& e, std::int64_t constant, F f) {
  Builder b;
  b.constant = constant;
  b.overflowed = e.overflowed();
  for (const auto& [atom, coefficient] : e.terms()) b.add(atom, f(coefficient));
  return finish(std::move(b));
}

// The greatest common divisor of the coefficients and `start`.
static std::int64_t content(const Index& e, std::int64_t start) {
  std::int64_t g = start;
  for (const auto& [atom, coefficient] : e.terms()) g = common_divisor(g, coefficient);
  return g;
}

Index floordiv(const Index& e, std::int64_t divisor) {
  if (divisor == 1) return e;
  Index bad;
  bad.overflowed_ = true;
  if (divisor < 1 || e.overflowed()) return bad;
  const Index quotient = map_terms(e, floor_div(e.constant(), divisor), [&](std::int64_t c) { return c / divisor; });
  Index rest = map_terms(e, floor_mod(e.constant(), divisor), [&](std::int64_t c) { return c % divisor; });
  if (rest.is_constant()) return quotient;
  if (const std::int64_t g = content(rest, divisor); g > 1) {
    rest = map_terms(rest, floor_div(rest.constant(), g), [&](std::int64_t c) { return c / g; });
    divisor /= g;
    if (divisor == 1) return quotient + rest;
  }
  // floordiv(floordiv(x, a) + k, b) = floordiv(x + k·a, a·b)
  if (rest.terms().size() == 1 && rest.terms()[0].second == 1 &&
      rest.terms()[0].first->kind == IndexAtom::Kind::floordiv) {
    const IndexAtom& inner = *rest.terms()[0].first;
    std::int64_t product = 0;
    const Index shifted = inner.args[0] + Index(rest.constant()) * inner.divisor;
    if (!__builtin_mul_overflow(inner.divisor, divisor, &product) && !shifted.overflowed())
      return quotient + floordiv(shifted, product);
  }
  return quotient + Index::of_atom({IndexAtom::Kind::floordiv, {}, {rest}, divisor});
}

Index floormod(const Index& e, std::int64_t divisor) {
  if (divisor == 1) return e.overflowed() ? e : Index(0);
  Index bad;
  bad.overflowed_ = true;
  if (divisor < 1 || e.overflowed()) return bad;
  // k·floormod(x, a) with divisor | k·a is congruent to k·x.
  Builder b;
  b.constant = e.constant();
  bool again = false;  // what was inside may be of that form too
  for (const auto& [atom, coefficient] : e.terms()) {
    if (atom->kind == IndexAtom::Kind::floormod && (static_cast<Int128>(coefficient) * atom->divisor) % divisor == 0) {
      b.add(atom->args[0], coefficient);
      again = true;
    } else {
      b.add(atom, coefficient);
    }
  }
  b.check();
  const Index unwrapped = finish(std::move(b));
  if (unwrapped.overflowed()) return bad;
  if (again) return floormod(unwrapped, divisor);
  Index rest =
      map_terms(unwrapped, floor_mod(unwrapped.constant(), divisor), [&](std::int64_t c) { return c % divisor; });
  if (rest.is_constant()) return rest;
  std::int64_t offset = 0;
  const std::int64_t g = content(rest, divisor);
  if (g > 1) {
    offset = floor_mod(rest.constant(), g);
    rest = map_terms(rest, floor_div(rest.constant(), g), [&](std::int64_t c) { return c / g; });
    divisor /= g;
    if (divisor == 1) return Index(offset);
  }
  return Index::of_atom({IndexAtom::Kind::floormod, {}, {rest}, divisor}) * g + offset;
}

Index ceildiv(const Index& e, std::int64_t divisor) { return -floordiv(-e, divisor); }

// Nested ones are flattened; of operands with a constant difference only the extreme one is kept. The structural order
// compares terms before constants, so such operands are neighbours once sorted, the smallest first.
static Index extreme(const std::vector<Index>& args, IndexAtom::Kind kind, Index (*make)(IndexAtom)) {
  std::vector<Index> all;
  for (const Index& e : args) {
    if (e.overflowed()) return e;
    const auto& t = e.terms();
    if (t.size() == 1 && t[0].second == 1 && t[0].first->kind == kind) {
      for (const Index& inner : t[0].first->args) {
        all.push_back(e.constant() == 0 ? inner : inner + e.constant());
        if (all.back().overflowed()) return all.back();
      }
    } else {
      all.push_back(e);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<Index> kept;
  for (Index& e : all) {
    if (kept.empty() || !same_terms(kept.back(), e)) {
      kept.push_back(std::move(e));
    } else if (kind == IndexAtom::Kind::max) {
      kept.back() = std::move(e);
    }
  }
  if (kept.size() == 1) return kept[0];
  return make({kind, {}, std::move(kept), 1});
}
Index min(const std::vector<Index>& args) { return extreme(args, IndexAtom::Kind::min, &Index::of_atom); }
Index max(const std::vector<Index>& args) { return extreme(args, IndexAtom::Kind::max, &Index::of_atom); }

void Index::collect_symbols(std::set<Symbol>& into) const {
  for (const auto& [atom, coefficient] : terms_) {
    if (atom->kind == IndexAtom::Kind::symbol) into.insert(atom->symbol);
    for (const Index& e : atom->args) e.collect_symbols(into);
  }
}

bool Index::mentions(const Symbol& s) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const IndexTerm& t) {
    return (t.first->kind == IndexAtom::Kind::symbol && t.first->symbol == s) ||
           std::any_of(t.first->args.begin(), t.first->args.end(), [&](const Index& e) { return e.mentions(s); });
  });
}

Index Index::substitute(const std::map<Symbol, Index>& map) const {
  Builder b;
  b.constant = constant_;
  b.overflowed = overflowed_;
  for (const auto& [atom, coefficient] : terms_) {
    if (atom->kind == IndexAtom::Kind::symbol) {
      const auto it = map.find(atom->symbol);
      if (it == map.end()) {
        b.add(atom, coefficient);
      } else {
        b.add(it->second, coefficient);
      }
      continue;
    }
    std::vector<Index> args;
    for (const Index& e : atom->args) args.push_back(e.substitute(map));
    switch (atom->kind) {
      case IndexAtom::Kind::floordiv: b.add(floordiv(args[0], atom->divisor), coefficient); break;
      case IndexAtom::Kind::floormod: b.add(floormod(args[0], atom->divisor), coefficient); break;
      case IndexAtom::Kind::min: b.add(assay::min(args), coefficient); break;
      default: b.add(assay::max(args), coefficient); break;
    }
  }
  b.check();
  return finish(std::move(b));
}

std::optional<std::int64_t> Index::evaluate(
    const std::function<std::optional<std::int64_t>(const Symbol&)>& value) const {
  if (overflowed_) return std::nullopt;
  Int128 sum = constant_;
  for (const auto& [atom, coefficient] : terms_) {
    std::optional<std::int64_t> v;
    if (atom->kind == IndexAtom::Kind::symbol) {
      v = value(atom->symbol);
    } else {
      for (const Index& e : atom->args) {
        const auto a = e.evaluate(value);
        if (!a) return std::nullopt;
        switch (atom->kind) {
          case IndexAtom::Kind::floordiv: v = floor_div(*a, atom->divisor); break;
          case IndexAtom::Kind::floormod: v = floor_mod(*a, atom->divisor); break;
          case IndexAtom::Kind::min: v = v ? std::min(*v, *a) : *a; break;
          default: v = v ? std::max(*v, *a) : *a; break;
        }
      }
    }
    if (!v) return std::nullopt;
    sum += static_cast<Int128>(coefficient) * *v;
  }
  if (!fits(sum)) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

std::string Index::text() const {
  if (overflowed_) return "<overflow>";
  std::string out;
  // -floordiv(-e, c) reads better as what it mostly was written as: ceildiv(e, c).
  const auto is_ceiling = [](const IndexTerm& t) {
    return t.first->kind == IndexAtom::Kind::floordiv && t.second < 0 && t.second != INT64_MIN &&
           t.first->args[0].terms()[0].second < 0;
  };
  // A constant stands in front where the first term would begin with a minus: `7 - t`.
  const bool constant_first = constant_ > 0 && !terms_.empty() && terms_[0].second < 0 && !is_ceiling(terms_[0]);
  if (constant_first) out += std::to_string(constant_);
  for (const IndexTerm& term : terms_) {
    const auto& [atom, coefficient] = term;
    const bool ceiling = is_ceiling(term);
    const bool negative = coefficient < 0 && !ceiling;
    if (!out.empty()) {
      out += negative ? " - " : " + ";
    } else if (negative) {
      out += "-";
    }
    // INT64_MIN has no negation; its magnitude is written as the unsigned value.
    const auto magnitude =
        coefficient < 0 ? 0U - static_cast<std::uint64_t>(coefficient) : static_cast<std::uint64_t>(coefficient);
    if (magnitude != 1) out += std::to_string(magnitude) + "*";
    switch (atom->kind) {
      case IndexAtom::Kind::symbol: out += atom->symbol; break;
      case IndexAtom::Kind::floordiv:
        if (ceiling) {
          out += "ceildiv(" + (-atom->args[0]).text() + ", " + std::to_string(atom->divisor) + ")";
          break;
        }
        out += "floordiv(" + atom->args[0].text() + ", " + std::to_string(atom->divisor) + ")";
        break;
      case IndexAtom::Kind::floormod:
        out += "floormod(" + atom->args[0].text() + ", " + std::to_string(atom->divisor) + ")";
        break;
      case IndexAtom::Kind::min:
      case IndexAtom::Kind::max: {
        out += atom->kind == IndexAtom::Kind::min ? "min(" : "max(";
        for (std::size_t i = 0; i < atom->args.size(); ++i) out += (i == 0 ? "" : ", ") + atom->args[i].text();
        out += ")";
        break;
      }
    }
  }
  if (out.empty()) return std::to_string(constant_);
  if (constant_ > 0 && !constant_first) out += " + " + std::to_string(constant_);
  if (constant_ < 0) out += " - " + std::to_string(0U - static_cast<std::uint64_t>(constant_));
  return out;
}

}  // namespace assay
