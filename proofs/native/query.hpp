// The native engine: decides formulas of constant-coefficient (Presburger) arithmetic without a solver library.
#pragma once

#include <cstdint>
#include <memory>

#include "proofs/obligation/query.hpp"

namespace assay {

inline constexpr std::uint64_t default_native_budget = 2'000'000;

/// An engine that answers by case splits and the Omega test (proofs/native). `budget` counts terms handled, so equal
/// questions get equal answers on any machine. Solutions are confirmed by evaluation and are the lexicographically
/// smallest ones (PRF-3); where the smallest does not exist or cannot be told the answer is `unknown`.
std::unique_ptr<Query> make_native_query(std::uint64_t budget = default_native_budget);

}  // namespace assay
