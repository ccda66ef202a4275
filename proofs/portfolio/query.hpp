// The engines in the order in which they are asked.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "proofs/obligation/query.hpp"

namespace assay {

/// Operations that each engine may spend on one question, in its own unit.
inline constexpr std::uint64_t default_query_budget = 2'000'000;

/// Asks one engine after the other until one knows: first the native prover, which settles what is linear with small
/// coefficients in microseconds, then isl, then Z3, then cvc5 where it is installed. The answer is that engine's own (PRF-4); when none knows, the reason names each.
std::unique_ptr<Query> make_portfolio_query(std::uint64_t budget = default_query_budget);

/// The engines of the portfolio that are here, in that order. Z3 and cvc5 get 15 and 5 per cent of the budget in their units.
std::vector<std::unique_ptr<Query>> make_engines(std::uint64_t budget = default_query_budget);

/// The same with engines of the caller's choice.
std::unique_ptr<Query> make_sequence_query(std::vector<std::unique_ptr<Query>> engines);

}  // namespace assay
