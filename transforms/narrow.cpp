// From the inside out, then pairs of terms, until nothing changes: each change removes an atom, or a quotient inside one.
#include "transforms/narrow.hpp"

#include "transforms/affine.hpp"

namespace assay {
namespace {

using Kind = IndexAtom::Kind;
using Holds = std::function<bool(const Formula&)>;

Int128 floored(Int128 a, std::int64_t d) { return a / d - (a % d < 0 ? 1 : 0); }

class Narrower {
 public:
  Narrower(const Ranges& ranges, const Holds& holds) : ranges_(ranges), holds_(holds) {}

  Index all(const Index& e) const {
    Index out(e.constant());
    for (const auto& [atom, coefficient] : e.terms()) out = out + one(*atom) * coefficient;
    return out.overflowed() ? e : joined(out);
  }

 private:
  Index one(const IndexAtom& atom) const {
    if (atom.kind == Kind::symbol) return of_atom(atom);
    IndexAtom inside = atom;
    for (Index& a : inside.args) a = all(a);
    const Index rebuilt = of_atom(inside);
    if (atom.kind == Kind::min || atom.kind == Kind::max) return rebuilt;
    // Construction may have moved multiples of the divisor out: what is left of the division is decided on its own.
    Index out(rebuilt.constant());
    for (const auto& [part, coefficient] : rebuilt.terms()) out = out + divided(*part) * coefficient;
    return out;
  }

  Index divided(const IndexAtom& atom) const {
    if (atom.kind != Kind::floordiv && atom.kind != Kind::floormod) return of_atom(atom);
    const Index& e = atom.args[0];
    const std::int64_t d = atom.divisor;
    const Interval range = interval(e, ranges_);
    if (range.empty() || !range.within(INT64_MIN / 2, INT64_MAX / 2)) return of_atom(atom);
    const Int128 lowest = floored(range.lo, d);
    const auto quotient = static_cast<std::int64_t>(lowest);
    const Index rest = e - Index(quotient) * d;
    if (lowest != floored(range.hi, d) && !holds_(Formula::le(0, rest) & Formula::lt(rest, d))) return of_atom(atom);
    return atom.kind == Kind::floordiv ? Index(quotient) : rest;
  }

  // a*floordiv(x, a) + floormod(x, a) = x, and a*floormod(floordiv(x, a), b) + floormod(x, a) = floormod(x, a*b), times
  // any factor.
  static Index joined(const Index& e) {
    for (const auto& [remainder, factor] : e.terms()) {
      if (remainder->kind != Kind::floormod) continue;
      const Index& x = remainder->args[0];
      const std::int64_t a = remainder->divisor;
      for (const auto& [other, coefficient] : e.terms()) {
        if (other == remainder || coefficient / a != factor || coefficient % a != 0) continue;
        const Index without = e - of_atom(*remainder) * factor - of_atom(*other) * coefficient;
        const Index quotient = floordiv(x, a);
        if (of_atom(*other) == quotient) return again(e, without + x * factor);
        if (other->kind == Kind::floormod && other->args[0] == quotient && a <= INT32_MAX &&
            other->divisor <= INT32_MAX)
          return again(e, without + floormod(x, a * other->divisor) * factor);
      }
    }
    return e;
  }
  static Index again(const Index& e, const Index& shorter) { return shorter.overflowed() ? e : joined(shorter); }

  const Ranges& ranges_;
  const Holds& holds_;
};

}  // namespace

Index narrowed(const Index& e, const Ranges& ranges, const Holds& holds) {
  Index now = e;
  for (int k = 0; k < 8; ++k) {
    const Index next = Narrower(ranges, holds).all(now);
    if (next == now) break;
    now = next;
  }
  return now;
}

}  // namespace assay
