// Which operations exist at which types: the one table behind the parser's type errors and well-formedness (TYPE-6).
#pragma once

#include "ir/expr.hpp"

namespace assay {

/// Whether `op` exists with value operands of type `t` (for choice and select: the arms). Operations on index values other
/// than comparisons and choices are no nodes of the tree (IDX-3), so `index` answers false for them.
bool is_defined(Op op, Type t);

/// Whether the first operand of `op` is a condition beside the value operands (choice, select).
constexpr bool has_condition(Op op) { return op == Op::choice || op == Op::select; }
/// Whether `op` is an operation on operands: neither a leaf nor a conversion nor a scope.
constexpr bool is_operation(Op op) {
  return op == Op::choice || op == Op::land || op == Op::lor || op == Op::lnot || op >= Op::neg;
}
/// Whether `op` is one that an Index absorbs when its operands are index values: + - * floordiv floormod ceildiv max min, -x.
constexpr bool is_index_operation(Op op) {
  return op == Op::neg || op == Op::add || op == Op::sub || op == Op::mul || op == Op::floordiv || op == Op::floormod ||
         op == Op::ceildiv || op == Op::max || op == Op::min;
}

/// Whether an index value has not overflowed and the text form can write its constants and coefficients (IDX-1): the text
/// has no negative literals after a binary minus, so -2^63 is left out. Looks at the sum itself, not into its atoms.
bool is_writable_index(const Index& i);

}  // namespace assay
