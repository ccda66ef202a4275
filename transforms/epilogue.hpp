// The two ends of a fused epilogue: the last store to a buffer with the loops around it, the nest that reads the buffer behind
// it, and the place on the way to the store where the cells that the nest reads are final (spec/fuse_epilogue.md).
#pragma once

#include <tl/expected.hpp>

#include "transforms/define.hpp"

namespace assay::epilogue {

/// The loops and conditions from a top-level statement down to one inside, outermost first.
using Way = std::vector<Stmt>;

/// The last store to the target.
struct Producer {
  std::size_t position = 0;  // in the program's body
  Way way{};                 // from there to the store
  std::vector<Index> cell{};
  std::set<const StmtNode*> team{};  // tile products of several threads
};
/// The nest that reads the target first behind it.
struct Tail {
  std::size_t position = 0;
  Way nest{};  // loops and conditions
  Block body{};
  std::map<Symbol, Index> given{};  // its loop symbols, over symbols of the producer
  std::set<Symbol> used{};          // those symbols
};

/// Or FUS-1.
tl::expected<Producer, Misfit> find_producer(const Program& p, const Symbol& target);
/// Or FUS-2 to FUS-4.
tl::expected<Tail, Misfit> find_tail(const Program& p, const Symbol& target, const Producer& producer);

/// The position on the way of the outermost statement that the tail has to wait for (FUS-5).
std::size_t site_of(const Program& before, const Way& way, const Tail& tail, Query& query);
/// Whether one of several threads runs what goes to the site (FUS-20, FUS-21).
bool in_one_lane(const Producer& producer, const Tail& tail, std::size_t site);
/// Gives the tail's own thread loops the value of the one thread that its conditions leave (FUS-22).
void leave_to_that_lane(Tail& tail);

}  // namespace assay::epilogue
