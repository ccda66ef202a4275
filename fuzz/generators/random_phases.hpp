// Random programs of threads that are right by construction: phases between barriers, in several launches.
#pragma once

#include <string>

#include "interp/random.hpp"

namespace assay::fuzz {

/// The text of a program over one parameter `n in 2..5`, the number of threads of a group. A few still race or read what is
/// undefined: whoever needs a right one asks the linter.
std::string random_phases(interp::Random& random);

}  // namespace assay::fuzz
