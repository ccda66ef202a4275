// Random lines of operations that move values (schema F).
#pragma once

#include <string_view>

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A line of `operation`, mostly about a buffer and loops of one access of the program, so that it often applies.
ScheduleLine random_flow_line(interp::Random& random, const Program& p, std::string_view operation);

}  // namespace assay::fuzz
