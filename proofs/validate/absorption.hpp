// Starts that the first update takes the place of (spec/peel.md).
#pragma once

#include <optional>

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// The obligations of a step in which, of a statement that sets a cell or a variable and the next one that updates it, one is
/// gone: nothing where there is no such pair, or where that does not make the two programs' statements the same ones.
std::optional<Validation> validate_absorption(const Program& before, const Program& after, Query& query);

}  // namespace assay::derive
