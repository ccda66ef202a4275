// Random programs whose reads can go through shared tiles: blocked sums of @workgroup threads.
#pragma once

#include <string>

#include "interp/random.hpp"

namespace assay::fuzz {

/// The text of a program without races over one parameter `n in 1..4`: each thread adds up products of what two inputs hold
/// near its own row and column, block by block.
std::string random_staging(interp::Random& random);

}  // namespace assay::fuzz
