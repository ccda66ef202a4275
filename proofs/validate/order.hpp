// The order of executions: by launches, then by their places in the text and the iterations of serial loops.
#pragma once

#include "proofs/validate/threads.hpp"

namespace assay::derive {

/// How two nodes of one program lie to one another: how many loops are around both, and which one the text has first where
/// the paths part (-1: the first of the two; 0: neither, or one path goes on from the other).
struct Meeting {
  std::size_t loops = 0;
  int order = 0;
  bool parts = false;
};
Meeting meet(const Node& p, const Node& q);

/// A serial loop around both executions, by its number in either node, and what their iterations are compared by: its symbols,
/// or iteration counts where the two may have begun at different bounds.
struct SharedLoop {
  std::size_t loop = 0;
  Index of_x, of_y;
};
/// Outermost first. `one_thread`: the symbols of hardware loops are equal, so that equal iterations have equal bounds.
std::vector<SharedLoop> shared_serial_loops(const Instance& x, const Instance& y, bool one_thread);

/// Access of x strictly before access of y in canonical order, as far as it matters to a storage with such copies: in an
/// earlier launch, or both in one thread (in one group, where threads share the copy) and by their keys (PLL-2; in a
/// lockstep instance of a @vectorized loop all loads come before all stores). Where threads share a copy, the program must
/// be free of races: then canonical order and keys agree on every pair that meets.
Formula ordered_before(const Instance& x, bool x_writes, const Instance& y, bool y_writes, Copies of);

/// The key of x comes before that of y, whatever their threads: as alternatives, each a list of conditions. The two are in one launch.
std::vector<std::vector<Formula>> earlier_by_key(const Instance& x, bool x_writes, const Instance& y, bool y_writes);

}  // namespace assay::derive
