// Values of index expressions and conditions at one point of an execution, for the judges that enumerate.
#pragma once

#include <map>
#include <optional>

#include "ir/expr.hpp"

namespace assay::fuzz {

using Environment = std::map<Symbol, std::int64_t>;

/// Nothing when a symbol has no value.
std::optional<std::int64_t> value(const Index& e, const Environment& at);
/// Three-valued: a condition that reads data may be either.
std::optional<bool> truth(const Expr& condition, const Environment& at);
/// The trip count of a loop.
std::int64_t trips(const Stmt& loop, const Environment& at);

}  // namespace assay::fuzz
