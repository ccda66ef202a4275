// Launch coverage: with @grid loops, a statement outside them is executed by every group.
#pragma once

#include "proofs/validate/cases.hpp"

namespace assay::derive {

/// Some execution of x and some of y happen in different groups of one launch: their coordinates in a slot differ, or one of them is under
/// no loop of a slot with two groups or more, and so runs in a group that the other does not.
Formula different_groups(const Instance& x, const Instance& y);
/// Some execution of the reader happens in a group whose private copies the writer does not reach.
Formula out_of_reach(const Instance& writer, const Instance& reader);

/// Every store to device memory is under a loop of every grid slot whose extent can exceed one.
Obligation launch_coverage(const View& view, Query& query);

}  // namespace assay::derive
