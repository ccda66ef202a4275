// What `privatize` keeps apart: the one cell of a buffer that a loop uses, and the loops and conditions around it.
#pragma once

#include <set>
#include <vector>

#include "ir/analysis/access.hpp"
#include "transforms/define.hpp"

namespace assay {

struct PrivateCell {
  std::vector<Index> cell{};
  std::vector<Stmt> tile_loops{};  // that move the cell, outermost first
  std::vector<Stmt> around{};      // all loops around the access
  std::set<int> accumulations{};   // statements X = X ⊕ e
  std::vector<Guard> shared{};     // conditions inside the loop that all uses stand under and that the copies share
  Stmt team{};                     // a tile product of several lanes between the loop and the access

  /// The loop stands around `over`, so the copies of the cell do too.
  bool outside(const Stmt& loop, const Symbol& over) const;
};

/// The cell of `target` that `loop` uses (PVT-2 to PVT-5, PVT-8). `for_group`: it is kept where all threads of a group see
/// it, so `@workgroup` loops, around the loop or inside, move it as other loops do (PVT-15).
tl::expected<PrivateCell, Refusal> find_private_cell(const Arguments& line, const Program& before, const Symbol& target,
                                                     const Stmt& loop, bool for_group);

}  // namespace assay
