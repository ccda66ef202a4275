// Loops of which one iteration at most does anything, replaced by that iteration (spec/onehot.md).
#pragma once

#include <optional>

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// The obligations of a step in which one-hot loops went: nothing where none did, that is, where no statement claims one
/// in such a loop without saying at which iteration.
std::optional<Validation> validate_selection(const Program& before, const Program& after, Query& query);

}  // namespace assay::derive
