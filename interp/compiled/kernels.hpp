// Operations on whole columns: typed loops for the common ones, a loop around interp/numerics for all others.
#pragma once

#include "interp/compiled/frame.hpp"
#include "interp/numerics.hpp"

namespace assay::interp::compiled {

/// The types of an operation: what the loop around a function of interp/numerics needs.
struct KernelOperands {
  numerics::Function function = nullptr;
  Type out = Type::index, operand = Type::index;
  Type others = Type::index;  // of the operands after the first, which a few operations have of another type
  int arity = 1;
};

/// Columns of one operation. Lanes that are not active may be computed too, their results are never looked at.
struct KernelLanes {
  void* out = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  const void* d = nullptr;
  Active active{};
  std::uint8_t* inexact = nullptr;  // by lane; null: nobody asks
};
using Kernel = void (*)(const KernelOperands& types, const KernelLanes& lanes);

/// x = op(x, e) over the active lanes in order, in place; `x` is one element, `e` a column. Whether an operation was inexact.
using Fold = bool (*)(const KernelOperands& types, void* x, const void* e, const Active& active);

/// The kernel of an operation on operands of a type; `marks`: it is asked for inexactness.
Kernel find_kernel(Op op, Type operand, bool marks);
/// The same for blocks; null where it has none.
Kernel find_block_kernel(Op op, Type operand);
Kernel find_convert_kernel(Type to, Type from, bool marks);
/// `select` at a type: a is the condition.
Kernel find_select_kernel(Type type);
/// The loop around types.function that works for every operation.
Kernel any_kernel();
/// Whether an operation divided by zero in an active lane; the loop around types.function otherwise.
bool divide(const KernelOperands& types, const KernelLanes& lanes);
/// A fold where the operation has a fast one, else null. x is the first operand; the operation must not care.
Fold find_fold(Op op, Type type, bool marks);

/// An operation on single values: out = op(a, b); or a · b + c in two roundings, or a copy. `out` may be an operand.
using Step = void (*)(void* out, const void* a, const void* b, const void* c);
/// Null where there is none: then the kernel of one lane does it.
Step find_step(Op op, Type type);
Step find_multiply_add(Type type);
Step find_copy(Type type);

/// Bytes of a value in a column.
inline int cell_width(Type t) { return byte_width(t); }
/// One value of a column or of memory.
Scalar read_value(Type type, const void* at);
void write_value(void* at, const Scalar& value);

}  // namespace assay::interp::compiled
