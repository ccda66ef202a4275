// Expressions at several places as instances of one: the values that loop symbols of the first take at the others.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "ir/expr.hpp"

namespace assay {

/// The values of `symbols`, which occur free in `pattern`, with which it becomes `instance` (up to the names that scopes
/// bind); nothing where there are none, or where they do not follow from an index in which one of them stands alone, up to
/// its sign and a constant.
std::optional<std::map<Symbol, Index>> instance_of(const Expr& pattern, const Expr& instance,
                                                   const std::set<Symbol>& symbols);

}  // namespace assay
