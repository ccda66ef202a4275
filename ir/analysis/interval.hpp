// Ranges of index values: interval arithmetic over parameter ranges and loop bounds.
#pragma once

#include <map>
#include <vector>

#include "ir/program.hpp"

namespace assay {

/// Both ends inclusive; empty when lo > hi (code that never runs).
struct Interval {
  Int128 lo = 0, hi = 0;
  bool empty() const { return lo > hi; }
  bool within(Int128 a, Int128 b) const { return empty() || (lo >= a && hi <= b); }
};
using Ranges = std::map<Symbol, Interval>;

/// The parameters' ranges.
Ranges parameter_ranges(const Program& p);
/// Adds the loop's symbol: from the least lower bound to the greatest value below the upper bound.
void add_loop(Ranges& ranges, const Stmt& loop);
/// A superset of the values of `e`; symbols without a range make it all of int64. Ends saturate at ±2^100.
Interval interval(const Index& e, const Ranges& ranges);
/// The smallest interval around both; an empty one adds nothing.
Interval hull(const Interval& a, const Interval& b);
/// Ranges of symbols that occur in `e`, narrowed to where `e >= 0`.
void narrow_nonnegative(Ranges& ranges, const Index& e);
/// Whether `e` and everything that it is computed from (divided parts, min and max arguments) stays in int64 (IDX-2), and
/// every partial sum of its terms too, in whatever order they are added.
bool fits_int64(const Index& e, const Ranges& ranges);

}  // namespace assay
