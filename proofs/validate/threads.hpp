// Hardware threads: the coordinates of executions in the slots of @grid and @workgroup loops, which executions are of one
// thread or of one group, and which copy of a buffer they use (spec/parallel.md).
#pragma once

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// Whom a copy of a storage belongs to.
enum class Copies { device, group, thread };
Copies copies_of(const Program& p, const Access& a);
Copies copies_of(const Program& p, const Symbol& storage, bool variable);

/// Lets the execution count for the thread that makes the access: the cell that a collective @reduce loop accumulates into is
/// read and stored by the first of the threads that contribute, whatever the iteration (PLL-24).
void lead(Instance& x, const Access& a);

/// Where the execution is in a slot; nothing when it is under no loop of the slot and was given no place in it: then it
/// happens everywhere.
std::optional<Index> coordinate(const Instance& x, int slot);
/// Some thread of a launch: fresh coordinates, by slot, and that the launch has them.
struct Place {
  std::vector<Index> at{};
  std::vector<Formula> inside{};
};
Place any_place(const View& view, int launch, const std::string& suffix);
/// Gives the instance a coordinate (a fresh symbol) in every slot without one: one of the threads that execute it. The
/// formula says that these are in the launch.
Formula place(Instance& x, const std::string& suffix);

/// Same launch, and the same coordinates in the @grid slots that both are in.
Formula same_group(const Instance& x, const Instance& y);
/// The same, in @workgroup slots too.
Formula same_thread(const Instance& x, const Instance& y);
/// They may meet in one copy.
Formula same_copy(const Instance& x, const Instance& y, Copies of);

/// Some execution of x and some of y happen in different groups of one launch: their coordinates in a slot differ, or one
/// of them is under no loop of a slot with two groups or more, and so runs in a group that the other does not.
Formula different_groups(const Instance& x, const Instance& y);
/// Some @workgroup coordinate differs. Both have been given places.
Formula different_threads(const Instance& x, const Instance& y);
/// Some execution of the reader happens where the writer does not reach the copy.
Formula out_of_reach(const Instance& writer, const Instance& reader, Copies of);

/// The slot has two places or more in the launch: some loop of it has a second iteration. (The extent is the maximum over
/// its loops.)
Formula several_places(const View& view, int launch, int slot);

}  // namespace assay::derive
