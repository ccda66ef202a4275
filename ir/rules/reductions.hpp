// Laws as simplifications: each usable row of the table, at each of its types, from its larger to its smaller side.
//
// A reduction makes every expression that it fits smaller, whatever stands for its variables, so that any number of them
// comes to an end. It evaluates nothing that its larger side would not have evaluated (LAW-21).
#pragma once

#include <span>

#include "ir/rules/laws.hpp"

namespace assay::laws {

struct Reduction {
  const Law* law = nullptr;
  Type type = Type::f32;          // the type at which the law is used
  Expr from{}, to{};              // variables are placeholders for any expression of their type
  const Law* commuted = nullptr;  // the law by which the operands of `from` were exchanged
};

/// The reductions whose larger side is an operation `root`, in the order of the table. Only laws without a condition.
std::span<const Reduction> reductions(Op root);

}  // namespace assay::laws
