// Ranges of integer expressions, those that read data included.
#pragma once

#include "ir/analysis/interval.hpp"

namespace assay {

/// What buffers and variables that statements write can hold.
using StoredRanges = std::map<Symbol, Interval>;

/// What is known where an expression is evaluated.
struct ValueFacts {
  const Program* program = nullptr;
  Ranges symbols{};                                // of loop symbols and parameters
  const StoredRanges* stored = nullptr;            // without it, what statements write can be anything
  std::vector<std::pair<Expr, Interval>> known{};  // of expressions, by their text
};

/// A superset of the values of an integer expression, wrapping included; declared ranges of inputs and the data of constants
/// count. The arms of a choice are taken where its condition lets them be chosen. All values of the type for what is not an
/// integer.
Interval interval(const Expr& e, const ValueFacts& facts);
Interval interval(const Expr& e, const Program& p, const Ranges& ranges);

/// `facts` where the condition comes out `positive`; nothing where it never does. Right for values that have not changed since
/// the condition was evaluated.
std::optional<ValueFacts> facts_under(const Expr& condition, bool positive, ValueFacts facts);

}  // namespace assay
