// Random programs for one operation: such that it mostly has something to do there. Knows nothing of the judges.
#pragma once

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A program to which the operation often applies: products for `tensorize`, one-hot loops for `onehot`, barriers that are needless
/// for `elide_barriers`, and so on. It need be neither well formed nor right.
Program fitting_program(interp::Random& random, std::string_view operation);

/// A line of the operation, drawn as its kind of operation asks for; a third are those that a search would try.
ScheduleLine fitting_line(interp::Random& random, const Program& p, std::string_view operation);

}  // namespace assay::fuzz
