// Comparing two outcomes of one run in everything that is specified (EXEC-34).
#pragma once

#include "interp/interpreter.hpp"

namespace assay::interp {

/// What is different, in a line or two; empty when nothing is.
std::string difference(const Outcome& a, const Outcome& b);

}  // namespace assay::interp
