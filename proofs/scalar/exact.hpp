// Two more translations of scalar rules, for what bit-blasting does not reach.
//
// `rounded_once_script`: both sides round at most once, at their root (a negation may stand above it), so they are equal where
// their exact values before that rounding are. Those are written down in real arithmetic, with the classes of IEEE 754 (NaN,
// infinity, the sign of zero) beside. A float of eight bits is no problem here: formats enter only by the bounds within which a
// product is exact.
//
// `integer_script`: integer rules over the integers instead of bit-vectors. A division is the quotient and the remainder of
// Euclid's theorem; sums and products stay unwrapped until a comparison or a division asks for the value.
//
// Both are like rule_script (script.hpp): unsatisfiable means that the rule holds for all values.
#pragma once

#include <optional>

#include "ir/expr.hpp"
#include "proofs/scalar/script.hpp"

namespace assay::scalar {

/// Over floats (NUM-2..NUM-7, NUM-25, NUM-37). Nothing where an operation rounds below the root, or has no exact value in real
/// arithmetic, or where there is a condition. Satisfiable says nothing: different exact values may round alike.
std::optional<Script> rounded_once_script(const Expr& left, const Expr& right, const Expr& condition);

/// Over integers and bool (NUM-16..NUM-24). Nothing where a float or another operation occurs.
std::optional<Script> integer_script(const Expr& left, const Expr& right, const Expr& condition);

}  // namespace assay::scalar
