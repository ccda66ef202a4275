// One-hot loops: loops of which one iteration at most does anything, the one whose symbol equals a computed value.
//
//   for k in lo..hi { X[c] = X[c] + (k == e ? f(k) : 0) }        for k in lo..hi { if k == e { X[c] = f(k) } }
//
// Recognised by form alone. That the other iterations change nothing, that e is the same in all of them and that the symbol
// takes e's value at most once is for others to say.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "ir/analysis/interval.hpp"
#include "ir/expr.hpp"

namespace assay {

struct OneHot {
  Expr at{};              // e, free of the loop symbol: an integer of a storage type, or an index value
  Stmt source{};          // the statement in the loop
  Stmt selected{};        // the same with e for the loop symbol and f for the choice
  Expr lowest{}, last{};  // lo <= e and e <= hi - 1, at the type of e
  Expr below{};           // e < hi, for where hi - 1 does not fit that type: a loop that may be empty, unsigned
  /// What the other iterations accumulate, and by what operator; absent where they do nothing by an `if`.
  std::optional<Scalar> otherwise{};
  Op op = Op::add;  // of the statement: add, sub, mul, max, min, maxnum, minnum
};

/// Or why the loop has not this form.
tl::expected<OneHot, std::string> one_hot(const Stmt& loop);

/// The condition that e is below the loop's end, by a bound that fits the type of e (HOT-19); nothing where none does.
std::optional<Expr> upper_condition(const OneHot& hot, const Stmt& loop, const Ranges& ranges);

/// The statement in the loop reads the buffer that it stores to at a cell that may be another one.
bool reads_other_cells(const OneHot& hot);

}  // namespace assay
