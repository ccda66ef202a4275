// What is known of an element of a constant: the program says it.
#pragma once

#include <optional>
#include <vector>

#include "ir/program.hpp"
#include "proofs/obligation/formula.hpp"

namespace assay::derive {

/// The cells of `constant`, an integer buffer with data, as runs along the last axis whose values rise evenly: `value` is the
/// element at the index values `at`, and these are inside. Nothing where that takes more than 32 runs (PRF-119).
std::optional<Formula> table_fact(const Buffer& constant, const std::vector<Index>& at, const Index& value);

}  // namespace assay::derive
