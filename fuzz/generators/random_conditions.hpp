// Programs of threads whose control is not affine alone: conditions on data that all threads share, or only some, in both arms and in
// one another; indices that are loaded; bounds of minima, maxima and steps; private copies; variables; several nests and launches.
#pragma once

#include <string>

#include "interp/random.hpp"

namespace assay::fuzz {

/// The text of a well-formed program with one parameter. Barriers stand mostly where all threads of a group come; `barriers` of ten
/// statements there have one behind them.
std::string random_conditions(interp::Random& random, int barriers);

}  // namespace assay::fuzz
