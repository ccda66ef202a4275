// What is known at a place of a program: from parameters, requirements, loop bounds and affine guards, never from data.
#pragma once

#include <optional>

#include "proofs/obligation/formula.hpp"

namespace assay {

/// What the value of a condition says about symbols: of `a && b` that holds, what a and b say; of `a || b` that does
/// not hold, what their opposites say. Parts that read data say nothing.
Formula condition_facts(const Expr& condition, bool holds);

/// What is known whenever the loop is reached; nothing when the program has no such loop. Conditions inside expressions
/// (around a scope) are left out.
std::optional<Formula> facts_at_loop(const Program& p, const Symbol& loop);

}  // namespace assay
