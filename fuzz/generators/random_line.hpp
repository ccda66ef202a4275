// Random schedule lines for a program, drawn from the declarations of the operations. Knows nothing of the judges.
#pragma once

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A line of the named operation (any operation when empty): loops of the program, small integers, declared choices. Mostly
/// well-formed; the program's form may still not fit it.
ScheduleLine random_line(interp::Random& random, const Program& p, std::string_view operation = {});

}  // namespace assay::fuzz
