// Random formulas over the symbols a, b, c in a small box, decided by enumeration: what every engine is held against.
#pragma once

#include "proofs/obligation/formula.hpp"

namespace assay::test {

/// Every kind of atom and connective; products of two index values with `products`. Drawn from RapidCheck's generators.
Formula random_formula(int depth, bool products = false);
/// `f` and -3 <= a, b, c <= 3.
Formula boxed(const Formula& f);
/// Whether `f` holds at a point; the bound variables of random_formula are tried from -1 to 5.
bool holds(const Formula& f, std::map<Symbol, std::int64_t>& at);
/// Whether some point of the box solves `f`.
bool solvable(const Formula& f);

}  // namespace assay::test
