// Faults that tests plant into the native prover, to show that the comparison with other engines would notice them.
#pragma once

#include <cstdint>
#include <memory>

#include "proofs/obligation/query.hpp"

namespace assay::native {

enum class Fault : std::uint8_t {
  none,
  tighten_upwards,              // the constant of an inequality is rounded to the wrong side
  tighten_without_dividing,     // coefficients are divided by the gcd, the constant is divided by one more
  gcd_contradiction_always,     // an equality with a common divisor is taken for contradictory
  remainder_may_reach_divisor,  // 0 <= r <= c
  dark_shadow_is_exact,         // no integer point in the dark shadow counts as no integer point
  one_splinter_missing,         // the last slice above a lower bound is not looked at
  disjunct_dropped,             // the last alternative of a disjunction is never tried
  last_alternative_assumed,     // of two open alternatives the last is taken for the only one
  one_sided_is_empty,           // a variable without an upper bound makes the rows contradictory
  opposite_rows_strict,         // e >= 0 and -e >= 0 are taken for contradictory
  bounds_one_too_tight,         // propagated lower bounds are one too large
  negated_exists_first_clause,  // of several ways in which something exists, only the first is refuted
  divisibility_forgotten,       // c·q = e is solved by q = floordiv(e, c) whatever e is
  negated_equality_one_side,    // not e == 0 is e >= 1
  swapped_extremes,             // min(a, b) >= 0 is a >= 0 or b >= 0
  count
};

/// The native engine with one fault.
std::unique_ptr<Query> make_faulty_query(std::uint64_t budget, Fault fault);

}  // namespace assay::native
