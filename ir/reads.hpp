// Which storages an expression reads, by name: a plain question about its text.
#pragma once

#include <set>

#include "ir/expr.hpp"

namespace assay {

/// Whether `e` reads the buffer or variable; scope bodies included.
bool reads(const Expr& e, const Symbol& storage);
/// All buffers and variables that `e` reads, except those that its own scopes bind.
std::set<Symbol> read_by(const Expr& e);

}  // namespace assay
