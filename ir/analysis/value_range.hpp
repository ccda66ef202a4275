// Ranges of integer expressions, those that read data included.
#pragma once

#include "ir/analysis/interval.hpp"

namespace assay {

/// A superset of the values of an integer expression, wrapping included; declared ranges of inputs and the data of constants
/// count. All values of the type for what is not an integer.
Interval interval(const Expr& e, const Program& p, const Ranges& ranges);

}  // namespace assay
