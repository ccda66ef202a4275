// Which reads of a buffer a tile takes over: those under all loops of the tile, at one index.
#pragma once

#include <vector>

#include "transforms/define.hpp"

namespace assay {

struct StagedReads {
  std::vector<Index> cell{};       // the index of all of them
  std::vector<Stmt> around{};      // all loops around the first one
  std::vector<Stmt> tile_loops{};  // in the line's order
  Stmt first{};                    // statement of the first one

  bool of_tile(const Stmt& loop) const;
};

/// The reads of `source` under all loops that the line names in `over` (STG-3 to STG-5).
tl::expected<StagedReads, Refusal> staged_reads(const Arguments& line, const Program& before, const Symbol& source);

}  // namespace assay
