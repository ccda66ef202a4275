// Interval arithmetic in saturating 128-bit integers.
#include "ir/analysis/interval.hpp"

#include <algorithm>

namespace assay {
namespace {

constexpr Int128 limit = Int128{1} << 100;
Int128 clamp(Int128 v) { return std::clamp(v, -limit, limit); }
Int128 multiply(Int128 a, Int128 b) {
  Int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a > 0) == (b > 0) ? limit : -limit;
  return clamp(product);
}
Int128 divide_floor(Int128 a, Int128 b) { return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0); }

Interval scale(const Interval& i, std::int64_t k) {
  if (i.empty()) return i;
  const Int128 a = multiply(i.lo, k);
  const Int128 b = multiply(i.hi, k);
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

Ranges parameter_ranges(const Program& p) {
  Ranges out;
  for (const Parameter& q : p.parameters) out[q.name] = {q.lo, Int128{q.hi} - 1};
  return out;
}

void add_loop(Ranges& ranges, const Stmt& loop) {
  const Interval lo = interval(loop->lo, ranges);
  const Interval hi = interval(canonical_end(*loop), ranges);
  ranges[loop->name] = {lo.lo, hi.hi - 1};
}

Interval interval(const Index& e, const Ranges& ranges) {
  Interval sum{e.constant(), e.constant()};
  if (e.overflowed()) return {-limit, limit};
  for (const auto& [atom, coefficient] : e.terms()) {
    Interval a;
    switch (atom->kind) {
      case IndexAtom::Kind::symbol: {
        const auto it = ranges.find(atom->symbol);
        a = it == ranges.end() ? Interval{INT64_MIN, INT64_MAX} : it->second;
        break;
      }
      case IndexAtom::Kind::floordiv: {
        a = interval(atom->args[0], ranges);
        if (!a.empty()) a = {divide_floor(a.lo, atom->divisor), divide_floor(a.hi, atom->divisor)};
        break;
      }
      case IndexAtom::Kind::floormod: {
        const Interval x = interval(atom->args[0], ranges);
        a = x;
        if (!x.empty() && (x.lo < 0 || x.hi >= atom->divisor)) a = {0, atom->divisor - 1};
        break;
      }
      case IndexAtom::Kind::min:
      case IndexAtom::Kind::max: {
        const bool smallest = atom->kind == IndexAtom::Kind::min;
        a = interval(atom->args[0], ranges);
        for (std::size_t i = 1; i < atom->args.size(); ++i) {
          const Interval x = interval(atom->args[i], ranges);
          a = smallest ? Interval{std::min(a.lo, x.lo), std::min(a.hi, x.hi)}
                       : Interval{std::max(a.lo, x.lo), std::max(a.hi, x.hi)};
        }
        break;
      }
    }
    if (a.empty()) return {1, 0};
    const Interval scaled = scale(a, coefficient);
    sum = {clamp(sum.lo + scaled.lo), clamp(sum.hi + scaled.hi)};
  }
  return sum;
}

Interval hull(const Interval& a, const Interval& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

// Of a·s + rest >= 0 follows s >= −rest / a, or s <= rest / −a.
void narrow_nonnegative(Ranges& ranges, const Index& e) {
  if (e.overflowed()) return;
  for (const auto& [atom, a] : e.terms()) {
    if (atom->kind != IndexAtom::Kind::symbol || ranges.count(atom->symbol) == 0) continue;
    const Int128 rest = interval(e - Index::symbol(atom->symbol) * a, ranges).hi;
    Interval& s = ranges.at(atom->symbol);
    const Int128 c = a > 0 ? Int128{a} : -Int128{a};
    const Int128 bound = rest / c - (rest % c < 0 ? 1 : 0);  // floor
    if (a > 0) s.lo = std::max(s.lo, -bound);
    if (a < 0) s.hi = std::min(s.hi, bound);
  }
}

bool fits_int64(const Index& e, const Ranges& ranges) {
  if (e.overflowed()) return false;
  // Positive and negative parts apart bound every partial sum.
  Interval positive{std::max<Int128>(e.constant(), 0), std::max<Int128>(e.constant(), 0)};
  Interval negative{std::min<Int128>(e.constant(), 0), std::min<Int128>(e.constant(), 0)};
  for (const auto& [atom, coefficient] : e.terms()) {
    for (const Index& a : atom->args) {
      if (!fits_int64(a, ranges)) return false;
    }
    Index one = Index(0);
    if (atom->kind == IndexAtom::Kind::symbol) one = Index::symbol(atom->symbol);
    Interval term;
    if (atom->kind == IndexAtom::Kind::symbol) {
      term = scale(interval(one, ranges), coefficient);
    } else {
      // The atom alone: rebuild it from its parts.
      std::vector<Index> args = atom->args;
      switch (atom->kind) {
        case IndexAtom::Kind::floordiv: one = floordiv(args[0], atom->divisor); break;
        case IndexAtom::Kind::floormod: one = floormod(args[0], atom->divisor); break;
        case IndexAtom::Kind::min: one = min(args); break;
        default: one = max(args); break;
      }
      term = scale(interval(one, ranges), coefficient);
    }
    if (term.empty()) return true;
    positive.hi = clamp(positive.hi + std::max<Int128>(term.hi, 0));
    negative.lo = clamp(negative.lo + std::min<Int128>(term.lo, 0));
  }
  return negative.lo >= INT64_MIN && positive.hi <= INT64_MAX;
}

}  // namespace assay
