// Random lines of any operation. Knows nothing of the judges.
#pragma once

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A line of an operation drawn from the whole registry.
ScheduleLine random_step(interp::Random& random, const Program& p);

}  // namespace assay::fuzz
