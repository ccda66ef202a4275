// Two programs run on the same inputs, for properties of steps.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "interp/interpreter.hpp"
#include "proofs/obligation/query.hpp"

namespace assay::fuzz {

/// Every admissible value of the program's one parameter; one empty map without parameters.
std::vector<ParameterMap> all_sizes(const Program& p);
/// The smallest, the middle and the largest of them.
std::vector<ParameterMap> chosen_sizes(const Program& p);

/// Every obligation of the program by itself is proved.
bool is_right(const Program& p, Query& query);

/// Runs both on exact, adversarial and special inputs at the chosen sizes, and calls `f` for each run that the first program
/// ends without a fault; the string says which input and size. The sets are the reordered accumulations of either program.
void run_both(const Program& before, const Program& after, const std::set<int>& reordered_before,
              const std::set<int>& reordered_after,
              const std::function<void(const interp::Outcome&, const interp::Outcome&, const std::string&)>& f);

/// Some run of `after` faults, races, or leaves other bits than `before` in a cell that the reordered accumulations leave
/// comparable.
bool runs_differ(const Program& before, const Program& after, const std::set<int>& reordered_before = {},
                 const std::set<int>& reordered_after = {});

}  // namespace assay::fuzz
