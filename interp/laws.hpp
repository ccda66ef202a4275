// A checker that decides by running both sides whether a rewrite rule (ir/rules/laws.hpp) is bit-exact at a type.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/rules/laws.hpp"

namespace assay::laws {

/// The value of one side: nothing when it faults (an integer division by zero).
using Value = std::optional<Scalar>;

struct Finding {
  enum class Verdict { holds, refuted, vacuous } verdict = Verdict::vacuous;  // vacuous: no case met the condition
  bool exhaustive = false;                                                    // every value of every variable was tried
  std::uint64_t cases = 0;                                                    // that met the condition
  // Refuted: the first case that differs.
  std::vector<std::pair<Symbol, Scalar>> witness{};
  Value left{}, right{};
};

/// Tries all values where there are at most `budget` cases, otherwise telling values of each type against one
/// another, all values of a 16-bit variable against telling ones, and random and related ones, up to about as many.
/// Deterministic. Both sides must be expressions of operations, literals and variables (no loads, no scopes).
Finding check_law(const Sides& sides, std::uint64_t budget = std::uint64_t{1} << 18);

}  // namespace assay::laws
