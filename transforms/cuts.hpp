// Where the conditions inside a loop change their outcome: the points at which `partition at=auto` cuts it.
#pragma once

#include <vector>

#include "proofs/obligation/query.hpp"

namespace assay {

/// Values c of the loop's symbol such that a condition inside is decided below c or from c on: of comparisons of index
/// values in `if`s, choices, `&&` and `||`, and of the minima and maxima in the bounds of inner loops. Symbols of inner
/// loops count with their range; parameters and symbols of enclosing loops stay symbolic. Sorted wherever the loop is
/// reached (minima and maxima where the order depends on values), without points that are never inside the loop.
/// `facts`: what is known there.
std::vector<Index> cut_points(const Stmt& loop, const Formula& facts, Query& query);

/// Whether some execution of the loop has iterations on both sides of the cut: values below it, and values from it on.
/// True when unknown.
bool may_cut(const Stmt& loop, const Index& cut, const Formula& facts, Query& query);

}  // namespace assay
