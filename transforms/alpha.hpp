// Equality of expressions up to the names that their scopes bind.
#pragma once

#include "ir/expr.hpp"

namespace assay {

/// Same operations on the same operands; loop symbols, variables and scope variables bound inside correspond one to one, and
/// names from outside are the same names.
bool alpha_equal(const Expr& a, const Expr& b);

}  // namespace assay
