// Scalar rewrite rules as SMT-LIB: bit-vectors for integers, the floating-point theory for floats.
//
// A rule says that two expressions over variables have the same value (NaN is one value, zeros differ) or divide by zero
// alike. The script asserts the opposite: unsatisfiable means that the rule is exact for all values.
#pragma once

#include <optional>
#include <string>

#include "ir/expr.hpp"

namespace assay::scalar {

struct Script {
  std::string logic{};  // "QF_BV", "QF_BVFP", "QF_NIA" or "QF_NRA"
  std::string body{};   // declarations and assertions
  bool floats = false;
  bool decides = true;  // satisfiable means that the rule fails; otherwise it means nothing
};

/// Nothing when an operation or a type has no counterpart (exp, pow, loads, scopes, index values). `condition` may be empty.
std::optional<Script> rule_script(const Expr& left, const Expr& right, const Expr& condition);

}  // namespace assay::scalar
