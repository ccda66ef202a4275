// What is known at a place of a program: from parameters, requirements, loop bounds and affine guards, never from data.
#pragma once

#include <optional>

#include "proofs/obligation/query.hpp"

namespace assay {

/// What the value of a condition says about symbols: of `a && b` that holds, what a and b say; of `a || b` that does
/// not hold, what their opposites say. Parts that read data say nothing.
Formula condition_facts(const Expr& condition, bool holds);

/// What is known whenever the loop is reached; nothing when the program has no such loop. Conditions inside expressions
/// (around a scope) are left out.
std::optional<Formula> facts_at_loop(const Program& p, const Symbol& loop);

/// The number of iterations, where it is the same whenever the loop is reached: constant in form, or, for sizes that are
/// fixed by the parameters' ranges and the guards around (`facts`), the value at one point that is proved to be the one
/// at all.
std::optional<std::int64_t> constant_trip_count(const Stmt& loop, const Formula& facts, Query& query);

}  // namespace assay
