// Looking for statements of a kind.
#pragma once

#include <functional>

#include "ir/expr.hpp"

namespace assay {

/// The first statement, in program order and scopes included, for which `wanted` holds; null when there is none.
Stmt find_statement(const Block& b, const std::function<bool(const Stmt&)>& wanted);
bool holds_barrier(const Block& b);

}  // namespace assay
