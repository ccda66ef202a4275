// A judge by symbolic execution at fixed sizes: runs both programs on terms instead of numbers and compares what they compute.
//
// Knows nothing of proofs: no formula, no engine, no access extraction. Input cells are leaves, operations build shared terms
// (equal structure, equal term), and a conversion to a wider type and back is dropped. Conditions that read data come out true
// or false by a hash of their term and a seed, so that both programs take the same path; elements of integer inputs are small
// hashed numbers. Serial and unrolled loops, and launches.
#pragma once

#include <optional>
#include <string>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::fuzz {

struct TraceFinding {
  /// fault: the new program reads an undefined cell or leaves a buffer. statement: a statement stores something else than its
  /// claimed source. observed: a cell that is observed ends with another term.
  enum class Kind { fault, statement, observed } kind = Kind::observed;
  std::string text;
};
struct TraceResult {
  bool covered = false;  // false: other loop kinds, too many executions, or the old program itself faults on this path
  std::optional<TraceFinding> finding{};
};

/// Compares the programs on one path. `after` has provenance to `before`; `seed` picks the path. With `any_order`, sums,
/// products, maxima and minima are compared by what goes into them, counted, whatever the order and the grouping, and only
/// the observed cells are compared.
TraceResult trace_values(const Program& before, const Program& after, const ParameterMap& parameters,
                         std::uint64_t seed, bool any_order = false, std::size_t limit = 50000);

}  // namespace assay::fuzz
