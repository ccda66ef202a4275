// Expressions at several places as instances of one: the values that loop symbols of the first take at the others.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "ir/expr.hpp"

namespace assay {

/// The values of `symbols`, which occur free in `pattern`, with which it becomes `instance` (up to the names that scopes
/// bind); nothing where there are none, or where they do not follow, one after the other, from index values in which one
/// that is not known yet stands alone, up to its sign and what is known.
std::optional<std::map<Symbol, Index>> instance_of(const Expr& pattern, const Expr& instance,
                                                   const std::set<Symbol>& symbols);

}  // namespace assay
