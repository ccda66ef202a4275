// Changing the kind of loops in place.
#pragma once

#include <vector>

#include "ir/program.hpp"

namespace assay {

/// `p` with the named loops of the given kind; everything else, provenance included, as it was.
Program with_kind(const Program& p, const std::vector<Symbol>& loops, Axis axis);

}  // namespace assay
