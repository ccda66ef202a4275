// A judge by enumeration: lists every access of both programs at fixed sizes and looks for a pair that the step breaks.
//
// It shares the access extraction with the proofs and nothing else: no formula, no engine. It walks the loops, so it is for
// small extents. Conditions that read data count as true and as false; dynamic indices as any cell.
#pragma once

#include <optional>
#include <string>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::fuzz {

struct OrderFinding {
  enum class Kind { domain, reversed, unordered, coverage } kind = Kind::reversed;
  std::string text;  // the executions concerned, for people
};

/// A broken pair (or an execution missing, doubled or invented) at these parameter values; nothing when the step keeps all
/// of them. Nothing, too, beyond `limit` executions. `after` has provenance to `before`.
std::optional<OrderFinding> find_broken_pair(const Program& before, const Program& after,
                                             const ParameterMap& parameters, std::size_t limit = 20000);

}  // namespace assay::fuzz
