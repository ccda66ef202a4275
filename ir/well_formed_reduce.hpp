// The form of `@reduce` loops (WF-12).
#pragma once

#include <optional>

#include "ir/diagnostic.hpp"
#include "ir/expr.hpp"

namespace assay {

/// Why the body of a loop is not one accumulation into a cell free of the loop's symbol; nothing when it is.
std::optional<Diagnostic> not_a_reduction(const Stmt& loop);

}  // namespace assay
