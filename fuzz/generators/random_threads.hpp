// Random programs of @workgroup loops, shared buffers and barriers, about half of them without races.
#pragma once

#include <string>

#include "interp/random.hpp"

namespace assay::fuzz {

/// The text of a program over one parameter `n in 1..5`. Conditions and indices are affine in loop symbols and n.
std::string random_threads(interp::Random& random);

}  // namespace assay::fuzz
