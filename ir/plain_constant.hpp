// Constants as program text writes them out: literals, and blocks, which have none, made of four.
#pragma once

#include "ir/expr.hpp"

namespace assay {

/// The zero of a storage type (EXEC-8), as an expression that text can hold: `0.0`, `0`, `false`, `u32x4(0, 0, 0, 0)`.
Expr zero_value(Type t, Location where = {});
/// A literal, or a block made of four literals.
bool is_plain_constant(const Expr& e);

}  // namespace assay
