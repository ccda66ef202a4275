// Where a staged tile is filled, and the nest that fills it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transforms/staged_reads.hpp"

namespace assay {

/// Who has the tile, and how many lanes of their own copy it.
struct TileOwner {
  bool group = false;  // all threads of a group together
  std::optional<std::int64_t> lanes{};

  /// A loop of the tile whose threads copy side by side.
  bool copies(const Stmt& loop) const { return group && loop->axis == Axis::workgroup; }
};

struct TilePlace {
  Stmt anchor{};               // at the start of whose body the tile is filled; null: no loop moves the tile
  Stmt outermost{};            // of the tile's loops
  std::vector<Stmt> around{};  // the loops around the place, where that is not the top
};
/// The anchor is the deepest loop that the index, or a bound of the tile's loops, needs besides these loops (STG-8).
tl::expected<TilePlace, Refusal> tile_place(const Arguments& line, const Program& before, const StagedReads& reads,
                                            const TileOwner& owner);

/// The storage of the tile, and its cell at the reads.
struct TileStorage {
  Symbol name;
  Type type;
  std::vector<Index> at{};
};
/// The nest that copies the cells of `source` into the tile, zero where the cell lies outside (STG-9).
Block tile_filling(const Program& before, const TilePlace& place, const StagedReads& reads, const TileOwner& owner,
                   const Buffer& source, const TileStorage& tile, NameSupply& names);

}  // namespace assay
