// Programs that go wrong: a right one, disturbed here and there.
#pragma once

#include "interp/random.hpp"
#include "ir/program.hpp"

namespace assay::fuzz {

/// `p` with indices moved, loops of other kinds, operators of other kinds, stores left out, buffers undefined at the start, ranges that
/// inputs do not keep. Often not well-formed in its use of hardware loops; always of fitting types.
Program disturb(const Program& p, interp::Random& random);

}  // namespace assay::fuzz
