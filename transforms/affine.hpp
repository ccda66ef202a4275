// Index values as functions of one symbol, and index comparisons as conditions of the language.
#pragma once

#include <optional>
#include <vector>

#include "ir/expr.hpp"

namespace assay {

/// The Index that is one atom.
Index of_atom(const IndexAtom& atom);
/// Whether a minimum or maximum occurs anywhere in `e`.
bool has_extremum(const Index& e);

/// ceildiv(hi - lo, step): the number of iterations of a loop where that is positive; otherwise the loop is empty.
Index trip_count(const Stmt& loop);

/// e = coefficient · symbol + rest, with rest free of the symbol.
struct Linear {
  std::int64_t coefficient = 0;
  Index rest{};
};
std::optional<Linear> linear_in(const Index& e, const Symbol& symbol);

/// A lower and an upper bound of `e` over all values of `symbol` from `first` to `last` (both inclusive), free of
/// `symbol`. Exact when `e` is linear in the symbol; a bound of each term otherwise.
Index least(const Index& e, const Symbol& symbol, const Index& first, const Index& last);
Index greatest(const Index& e, const Symbol& symbol, const Index& first, const Index& last);

/// `a < b` (Op::lt) or `a <= b` (Op::le) as a condition. Minima and maxima become && and || of plain comparisons,
/// unless that would take more than 64 of them.
Expr compare(Op op, const Index& a, const Index& b);
/// floormod(e, modulus) == 0 as a condition, minima and maxima resolved like in `compare`.
Expr divisible(const Index& e, std::int64_t modulus);
/// The conjunction of conditions; nothing for none.
Expr conjunction(const std::vector<Expr>& conditions);

}  // namespace assay
