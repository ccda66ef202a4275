// Races: accesses to one cell of one copy, at least one a store, that nothing orders (PLL-3, PLL-8).
#pragma once

#include <vector>

#include "proofs/validate/threads.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// Both executions happen, and the two accesses are to one cell.
Formula meeting(const Instance& x, const Access& a, const Instance& y, const Access& b);

/// No two groups use one cell of a device buffer with a store (PRF-24).
std::vector<Obligation> group_races(const View& view, Query& query);
/// What is asked about threads, and how.
struct ThreadQuestions {
  bool until_open = false;  // the last obligation is the first that is not proved
  bool by_text = true;      // places in the text decide what they can; without, everything is a formula (PLL-17)
};
/// The threads of a group: barriers are uniform, and two accesses of different threads to one cell, at least one a store, have
/// a barrier between them. Nothing when the program has no @workgroup loop.
std::vector<Obligation> thread_obligations(const View& view, Query& query, const ThreadQuestions& how = {});
/// Of a program whose threads are ordered: the statement numbers of the barriers without which, one at a time, they still are.
std::vector<int> unneeded_barriers(const View& view, Query& query);

}  // namespace assay::derive
