// Products of unknowns for engines of linear arithmetic, and the evaluation of formulas at a point.
//
// A linear engine answers for a formula with products by its relaxations: every product `e == a * b` is replaced, where that
// only adds solutions, by the linear facts of proofs/obligation/lemmas.hpp. "No solution" then holds for the formula itself;
// a solution counts once it is checked at the point.
#pragma once

#include <optional>

#include "proofs/obligation/query.hpp"

namespace assay {

/// Whether `f` holds at the point; nothing when a symbol has no value, arithmetic leaves int64, or an `exists` decides it
/// that `closed` (asked with the point's values put in) does not know either.
std::optional<bool> evaluate(const Formula& f, const std::map<Symbol, std::int64_t>& point, Query* closed = nullptr);
/// Gives a value to each symbol that a product among the conjuncts of `f` determines from symbols that have one.
void complete_products(const Formula& f, std::map<Symbol, std::int64_t>& point);
/// `linear` asked about the relaxations of `f`: empty as it says, a solution only if it solves `f`, else unknown.
Answer solve_linear(Query& linear, const Formula& f, const std::vector<Symbol>& minimise_first);

}  // namespace assay
