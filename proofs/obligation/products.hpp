// Products of unknowns for engines of linear arithmetic, and the evaluation of formulas at a point.
//
// A linear engine answers for a formula with products by its relaxation: every product `e == a * b` is dropped where that
// only adds solutions. "No solution" then holds for the formula itself; a solution counts once it is checked at the point.
#pragma once

#include <optional>

#include "proofs/obligation/query.hpp"

namespace assay {

/// Without products, and with at least the solutions of `f`.
Formula relax_products(const Formula& f);
/// Whether `f` holds at the point; nothing when a symbol has no value, arithmetic leaves int64, or an `exists` decides it.
std::optional<bool> evaluate(const Formula& f, const std::map<Symbol, std::int64_t>& point);
/// Gives a value to each symbol that a product among the conjuncts of `f` determines from symbols that have one.
void complete_products(const Formula& f, std::map<Symbol, std::int64_t>& point);
/// `linear` asked about the relaxation of `f`: empty as it says, a solution only if it solves `f`, else unknown.
Answer solve_linear(Query& linear, const Formula& f, const std::vector<Symbol>& minimise_first);

}  // namespace assay
