// The Z3 engine: linear and nonlinear integer arithmetic, with and without quantifiers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "proofs/obligation/query.hpp"

namespace assay {

inline constexpr std::uint64_t default_z3_budget = 300'000;

/// An engine that answers by Z3, each question in a fresh context with the resource limit `rlimit` and fixed seeds (PRF-2).
/// A solution is checked by evaluation before it is returned, and is not minimised.
std::unique_ptr<Query> make_z3_query(std::uint64_t rlimit = default_z3_budget);
/// "z3 4.8.12".
std::string z3_engine_name();

}  // namespace assay
