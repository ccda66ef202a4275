// Instances of the lemmas for the products that a formula asserts, put in where the products stood.
#include "proofs/obligation/lemmas.hpp"

#include <algorithm>

namespace assay {
namespace {

using Kind = Formula::Kind;

constexpr Int128 bound_limit = Int128{1} << 31;
constexpr Int128 unbounded = Int128{1} << 100;
constexpr int most_splits = 6;  // lemmas with cases in one formula: each triples the work of a linear engine

bool bounded(Int128 v) { return v >= -bound_limit && v <= bound_limit; }
std::int64_t narrow(Int128 v) { return static_cast<std::int64_t>(v); }
Int128 floor_quotient(Int128 a, Int128 b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

// Arithmetic on bounds may have left int64: such a fact is dropped, which is always allowed.
Formula when_in_range(const Index& e) { return e.overflowed() ? Formula::truth() : Formula::nonneg(e); }

/// The part of a term's condition `e >= 0` that bounds one of its symbols.
void tighten(const Index& e, Ranges& ranges) {
  for (const auto& [atom, coefficient] : e.terms()) {
    if (atom->kind != IndexAtom::Kind::symbol) continue;
    const Index rest = e - Index::symbol(atom->symbol) * coefficient;
    if (rest.overflowed()) continue;
    const Int128 most = interval(rest, ranges).hi;  // coefficient * symbol >= -most
    if (most >= unbounded) continue;
    Interval& r = ranges.at(atom->symbol);
    if (coefficient > 0)
      r.lo = std::max(r.lo, -floor_quotient(most, coefficient));
    else
      r.hi = std::min(r.hi, floor_quotient(most, -Int128{coefficient}));
  }
}

Interval multiply(const Interval& a, const Interval& b) {
  for (const Int128 v : {a.lo, a.hi, b.lo, b.hi}) {
    if (v < -(Int128{1} << 50) || v > Int128{1} << 50) return {-unbounded, unbounded};
  }
  const Int128 c[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return {*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
}

class Lineariser {
 public:
  Lineariser(Ranges ranges, bool split) : ranges_(std::move(ranges)), split_(split) {}

  // Positive: at least the solutions of f; negative: at most. `known` are the products asserted around f.
  Formula run(const Formula& f, bool positive, std::vector<Formula> known) {
    if (!f.has_products()) return f;
    switch (f.kind()) {
      case Kind::product: return positive ? facts({f}, known) : Formula::falsity();
      case Kind::negation: return !run(f.parts()[0], !positive, std::move(known));
      case Kind::exists: return Formula::exists(f.variables(), run(f.parts()[0], positive, std::move(known)));
      case Kind::disjunction: {
        std::vector<Formula> parts;
        for (const Formula& p : f.parts()) parts.push_back(run(p, positive, known));
        return Formula::any(std::move(parts));
      }
      default: break;
    }
    std::vector<Formula> parts, own;
    for (const Formula& p : f.parts()) {
      if (p.kind() == Kind::product && positive) own.push_back(p);
    }
    const Formula lemmas = facts(own, known);
    known.insert(known.end(), own.begin(), own.end());
    for (const Formula& p : f.parts()) {
      if (p.kind() != Kind::product || !positive) parts.push_back(run(p, positive, known));
    }
    parts.push_back(lemmas);
    return Formula::all(std::move(parts));
  }

  int splits() const { return splits_; }

 private:
  Formula facts(const std::vector<Formula>& own, const std::vector<Formula>& known) {
    std::vector<Formula> out;
    std::vector<Formula> before = known;
    for (const Formula& p : own) {
      const auto& [a, b] = p.factors();
      out.push_back(enclosure_lemma(p.expression(), a, interval(a, ranges_), b, interval(b, ranges_)));
      for (const Formula& q : before) out.push_back(pair(p, q));
      before.push_back(p);
    }
    return Formula::all(std::move(out));
  }

  Formula pair(const Formula& p, const Formula& q) {
    const auto& [a, b] = p.factors();
    const auto& [c, d] = q.factors();
    const Index &x = p.expression(), &y = q.expression();
    std::vector<Formula> out;
    if (a == b && c == d) {
      if (split()) out.push_back(square_lemma(x, a, y, c));
      return Formula::all(std::move(out));
    }
    for (const auto& [common, mine, other, theirs] :
         {std::tuple{a, b, c, d}, std::tuple{a, b, d, c}, std::tuple{b, a, c, d}, std::tuple{b, a, d, c}}) {
      if (!(common == other)) continue;
      const Index difference = mine - theirs;
      if (difference.is_constant())
        out.push_back(shift_lemma(x, y, difference.constant(), common));
      else if (split())
        out.push_back(radix_lemma(x, mine, y, theirs, common));
    }
    return Formula::all(std::move(out));
  }

  bool split() { return split_ && splits_++ < most_splits; }

  Ranges ranges_;
  bool split_;
  int splits_ = 0;
};

}  // namespace

Formula radix_lemma(const Index& p, const Index& a, const Index& q, const Index& b, const Index& n) {
  return Formula::lt(n, Index(0)) | (Formula::lt(a, b) & Formula::le(p + n, q)) |
         (Formula::lt(b, a) & Formula::le(q + n, p)) | (Formula::eq(a, b) & Formula::eq(p, q));
}

Formula shift_lemma(const Index& p, const Index& q, std::int64_t difference, const Index& n) {
  const Index e = p - q - n * difference;
  return e.overflowed() ? Formula::truth() : Formula::zero(e);
}

Formula square_lemma(const Index& p, const Index& a, const Index& q, const Index& b) {
  return Formula::lt(a, Index(0)) | Formula::lt(b, Index(0)) | (Formula::lt(a, b) & Formula::le(p + a * 2 + 1, q)) |
         (Formula::lt(b, a) & Formula::le(q + b * 2 + 1, p)) | (Formula::eq(a, b) & Formula::eq(p, q));
}

Formula enclosure_lemma(const Index& p, const Index& a, const Interval& in_a, const Index& b, const Interval& in_b) {
  std::vector<Formula> out;
  // (a - u)*(b - v) has a known sign where u and v are ends of the ranges.
  const auto plane = [&](Int128 u, Int128 v, bool below) {
    if (!bounded(u) || !bounded(v)) return;
    const Index e = p - b * narrow(u) - a * narrow(v) + narrow(u) * narrow(v);
    out.push_back(when_in_range(below ? e : -e));
  };
  plane(in_a.lo, in_b.lo, true);
  plane(in_a.hi, in_b.hi, true);
  plane(in_a.hi, in_b.lo, false);
  plane(in_a.lo, in_b.hi, false);
  return Formula::all(std::move(out));
}

Ranges implied_ranges(const Formula& f) {
  std::set<Symbol> free;
  f.collect_free(free);
  Ranges ranges;
  for (const Symbol& s : free) ranges[s] = {-unbounded, unbounded};
  const std::vector<Formula> alone{f};
  for (int round = 0; round < 4; ++round) {
    for (const Formula& p : f.kind() == Kind::conjunction ? f.parts() : alone) {
      if (p.kind() == Kind::nonneg || p.kind() == Kind::zero) tighten(p.expression(), ranges);
      if (p.kind() == Kind::zero) tighten(-p.expression(), ranges);
      const Symbol* s = p.kind() == Kind::product ? p.expression().as_symbol() : nullptr;
      if (s == nullptr) continue;
      const Interval i = multiply(interval(p.factors().first, ranges), interval(p.factors().second, ranges));
      ranges[*s] = {std::max(ranges[*s].lo, i.lo), std::min(ranges[*s].hi, i.hi)};
    }
  }
  return ranges;
}

std::vector<Formula> linearisations(const Formula& f) {
  const Ranges ranges = implied_ranges(f);
  std::vector<Formula> out;
  out.push_back(Lineariser(ranges, false).run(f, true, {}));
  Lineariser with_cases(ranges, true);
  Formula tighter = with_cases.run(f, true, {});
  if (with_cases.splits() > 0) out.push_back(std::move(tighter));
  return out;
}

}  // namespace assay
