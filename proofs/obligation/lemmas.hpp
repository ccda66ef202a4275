// True facts about products of unknowns that are linear in the products: with them, linear engines decide much of what is
// nonlinear. Flattened indices are the main case: `i*n + j` with 0 <= j < n tells (i, j) apart (mixed radix).
//
// Each lemma follows from `p == a * n` (and `q == b * n`) alone; that is proved by Z3 or cvc5 in the tests.
#pragma once

#include "ir/analysis/interval.hpp"
#include "proofs/obligation/formula.hpp"

namespace assay {

/// p == a*n and q == b*n, one factor in common: n < 0, or a < b and p + n <= q, or the other way round, or a == b and p == q.
Formula radix_lemma(const Index& p, const Index& a, const Index& q, const Index& b, const Index& n);
/// p == a*n, q == b*n and a - b a constant: p - q is linear.
Formula shift_lemma(const Index& p, const Index& q, std::int64_t difference, const Index& n);
/// p == a*a, q == b*b: a or b negative, or a < b and p + 2*a + 1 <= q, or the other way round, or a == b and p == q.
Formula square_lemma(const Index& p, const Index& a, const Index& q, const Index& b);
/// p == a*b with a and b in these ranges (an end beyond ±2^31 is no bound): the four planes that enclose the product.
Formula enclosure_lemma(const Index& p, const Index& a, const Interval& in_a, const Index& b, const Interval& in_b);

/// Ranges of symbols that the conjuncts of `f` imply, in so far as they are within ±2^31.
Ranges implied_ranges(const Formula& f);
/// Ever tighter formulas without products, each with at least the solutions of `f`: the loosest first.
std::vector<Formula> linearisations(const Formula& f);

}  // namespace assay
