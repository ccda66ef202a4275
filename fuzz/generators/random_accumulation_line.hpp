// Random lines of operations that accumulate through partial results (schema A).
#pragma once

#include <string_view>

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A line of `operation`, mostly about an accumulation of the program and a loop around it, so that it often applies.
ScheduleLine random_accumulation_line(interp::Random& random, const Program& p, std::string_view operation);

}  // namespace assay::fuzz
