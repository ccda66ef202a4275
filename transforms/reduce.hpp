// Expressions made smaller by the exact laws of the table (ir/rules) and by computing with integer literals.
#pragma once

#include "ir/expr.hpp"

namespace assay {

/// `e`, whose operands are reduced, with reductions at its root until none fits.
Expr reduced(const Expr& e);

}  // namespace assay
