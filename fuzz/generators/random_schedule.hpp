// Random lines of any operation, and the arguments that suit it. Knows nothing of the judges.
#pragma once

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A line of an operation drawn from the whole registry: those that move values get lines that fit what they move
/// (random_flow_line), the others lines drawn from their declaration (random_line).
ScheduleLine random_step(interp::Random& random, const Program& p);

}  // namespace assay::fuzz
