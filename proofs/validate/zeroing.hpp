// `zero B` and loops that store zero: one meaning, two texts.
#pragma once

#include <optional>
#include <vector>

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// The two programs of a step in which some store claims to come from a `zero`: every such `zero`, in both programs, is
/// written as what it means, a nest of loops over all cells with one store of zero; a store that claims it claims the
/// execution for the cell that it stores. What is then derived about the two is about the step itself.
struct SpelledOut {
  Program before, after;
  /// Of the statements of `before` and `after` here, the statement of the given program.
  std::vector<int> before_origin, after_origin;
};
/// Nothing when no store claims a `zero`.
std::optional<SpelledOut> spell_out_zeroing(const Program& before, const Program& after);

/// The same obligations with witnesses and statement sets in the numbers of the given programs.
Validation in_given_numbers(Validation v, const SpelledOut& s);

}  // namespace assay::derive
