// Which statements store to a buffer or a variable, found by storage and, where the cell is constant, by cell.
//
// Straight-line programs of thousands of stores are common (unrolled loops): a read of one cell must not look at all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/analysis/access.hpp"

namespace assay::derive {

using Cell = std::vector<std::int64_t>;

/// The cell of an access whose indices are all constant.
std::optional<Cell> constant_cell(const Access& a);

class StoreIndex {
 public:
  explicit StoreIndex(const Extraction& extraction);
  /// Positions (in Extraction::nodes, ascending) of all nodes that store to `storage`.
  const std::vector<std::size_t>& all(const Symbol& storage) const;
  /// Of those that may store to `cell`: the ones that store to it as a constant, and all without a constant cell.
  std::vector<std::size_t> meeting(const Symbol& storage, const Cell& cell) const;
  /// The others alone: stores without a constant cell.
  const std::vector<std::size_t>& varying(const Symbol& storage) const;

 private:
  struct Of {
    std::vector<std::size_t> all{}, varying{};
    std::map<Cell, std::vector<std::size_t>> constant{};
  };
  std::map<Symbol, Of> by_storage_;
};

/// Inclusive ranges, one per dimension.
using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;
/// The same cells in few boxes: neighbours are merged, the last dimension first. Linear-logarithmic in the number of cells.
std::vector<Box> merged(const std::vector<Cell>& cells);

}  // namespace assay::derive
