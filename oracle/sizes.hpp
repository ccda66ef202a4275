// Sample sizes: the parameter values at which programs are run (CHK-1).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"
#include "ir/text/source.hpp"

namespace assay::oracle {

/// Values worth trying, per parameter.
using SizeTargets = std::map<Symbol, std::set<std::int64_t>>;

/// Adds the values at which the loops that `line` names in `p` have an extent of 1, f − 1, f, f + 1, 2f − 1, 2f, 2f + 1, for
/// every factor f of the line. A parameter of a loop's bounds also gets those numbers themselves.
void add_size_targets(const Program& p, const ScheduleLine& line, SizeTargets& into);

/// Admissible parameter values, cheapest first: ends and neighbours of every range, and the targets; all combinations where
/// these are few, otherwise those along the diagonal and along each axis. `known`: values that are surely admissible (used
/// when no candidate is). Without parameters there is one size, the empty map. At most `limit`.
std::vector<ParameterMap> sample_sizes(const Program& p, const SizeTargets& targets,
                                       const std::optional<ParameterMap>& known, std::size_t limit = 40);

/// The upper ends of the parameters, or the largest admissible values below them for which the program takes at most `work`
/// operations (estimated) and its buffers at most `bytes`; nothing when none of those tried fits.
std::optional<ParameterMap> full_size(const Program& p, double work, std::int64_t bytes);

}  // namespace assay::oracle
