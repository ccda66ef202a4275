// Schema W, rewrite: statements stay where they are, and compute the same values from other expressions; values may go
// through storage that only one of the programs has.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "proofs/validate/renumber.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// No statement moved, and some text is not its source's: an expression is another one, or values are computed into
/// storage of their own (spec/rewrite.md).
bool rewrites_values(const Program& before, const Program& after);

/// The step in the form in which one statement fills each buffer that goes (W-14, W-15): nothing when one does already, or when
/// that is no step of this kind.
std::optional<Renumbered> with_single_stores(const Program& before, const Program& after);

/// The obligations of such a step (W-1 to W-7).
Validation validate_rewrite(const Program& before, const Program& after, Query& query);

/// What a program with new computations must keep: that they are in bounds, read what is defined, divide by no zero, and
/// race with nothing; that index expressions fit. `defined`: the storages whose cells must be written before they are read.
std::vector<Obligation> lint_after_rewrite(const Program& p, const std::set<Symbol>& defined, Query& query);

}  // namespace assay::derive
