// Random programs whose buffers are filled and used one after another: chains of loops, and frames around a nest.
#pragma once

#include <string>

#include "interp/random.hpp"

namespace assay::fuzz {

/// The text of a program over one parameter `n in 1..7`: loops that each fill one buffer from others; some buffers start as zeros
/// and are added to. Some read what is undefined: whoever needs a right one asks the linter.
std::string random_chain(interp::Random& random);

/// The text of a program over one parameter `n in 1..6` that sets a buffer to zero and then stores to a box inside of it; mostly to
/// all of the box, sometimes to a part of it or by adding.
std::string random_frame(interp::Random& random);

}  // namespace assay::fuzz
