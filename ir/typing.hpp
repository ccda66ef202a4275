// Which operations exist at which types: the one table behind the parser's type errors and well-formedness (TYPE-6).
#pragma once

#include <optional>

#include "ir/expr.hpp"

namespace assay {

/// Whether `op` exists with value operands of type `t` (for choice and select: the arms; for the operations with a written
/// type: that type). Operations on index values other than comparisons and choices are no nodes of the tree (IDX-3), so
/// `index` answers false for them.
bool is_defined(Op op, Type t);
/// The `t` of is_defined for a node that is an operation.
Type operation_type(const ExprNode& e);
/// Whether T(x) exists: between all types but u32x4, from index values too, never to them.
constexpr bool is_convertible(Type from, Type to) {
  return from != Type::u32x4 && to != Type::u32x4 && to != Type::index;
}
/// A conversion that is named for its rule: takes any number, says its result type in its name.
constexpr bool is_ruled_conversion(Op op) { return op == Op::f8e5m2_sat || op == Op::f8e4m3fn_nosat; }
/// The type of operand `i` of an operation whose operands have types of their own (the random functions, TYPE-10);
/// nothing for the operations whose operands share one type.
constexpr std::optional<Type> operand_type(Op op, std::size_t i) {
  if (op == Op::block) return Type::u32;
  if (op == Op::word || op == Op::uniform_lane) return i == 0 ? Type::u32x4 : Type::u32;
  if (op == Op::threefry_crypto || op == Op::threefry_light || op == Op::uniform) return Type::u32x4;
  return std::nullopt;
}

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
