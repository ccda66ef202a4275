// The isl engine: decides formulas of constant-coefficient (Presburger) arithmetic.
#pragma once

#include <cstdint>
#include <memory>

#include "proofs/obligation/query.hpp"

namespace assay {

inline constexpr std::uint64_t default_isl_budget = 2'000'000;

/// An engine that answers by isl, each question in a fresh context with a quota of `budget` isl operations (PRF-2): equal
/// questions get equal answers on any machine, whatever its load.
std::unique_ptr<Query> make_isl_query(std::uint64_t budget = default_isl_budget);
/// The set of a formula's solutions (of its first linearisation, where it has products) as isl text, after a comment that
/// says which symbol each dimension is; a comment alone where isl gives up.
std::string isl_text(const Formula& f, std::uint64_t budget = default_isl_budget);
/// "isl 0.25" and the like.
std::string isl_engine_name();

}  // namespace assay
