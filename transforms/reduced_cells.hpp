// Which cells of its target an accumulation updates, as a nest of loops over them.
#pragma once

#include <optional>
#include <vector>

#include "transforms/mixed_radix.hpp"
#include "transforms/reduction.hpp"

namespace assay {

struct ReducedCells {
  std::vector<Index> cell{};                        // the one index of all updates
  std::vector<Stmt> moving{};                       // the loops that move it, outermost first
  std::vector<Stmt> tile{};                         // those of them inside the loop
  std::vector<std::optional<MixedRadix>> joined{};  // a dimension that several loops move
  std::vector<Guard> outside{};                     // conditions on the cell around the loop
  std::vector<Guard> inside{};                      // and inside, where all updates share them
  std::vector<Stmt> repeated{};                     // loops around it that come back to the cells
  bool exact = true;                                // no condition outside was left out

  /// Each of the cells belongs to one run of the loop.
  bool once() const { return repeated.empty() && exact; }
  /// The dimension of the cell that the loop moves.
  std::size_t dimension_of(const Stmt& loop) const;
};

/// Nothing where no nest of loops with known bounds runs through each cell once (SRD-7).
std::optional<ReducedCells> reduced_cells(const Program& p, const Reduction& reduction, const Stmt& loop);

}  // namespace assay
