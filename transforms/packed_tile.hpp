// A buffer copied once as a whole, tile by tile, so that the cells of one tile lie together (`stage … hoisted`).
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "transforms/staged_reads.hpp"
#include "transforms/tile.hpp"

namespace assay {

struct Packed {
  Tile tile{};   // which tile, then where in it
  Block fill{};  // for the beginning of the program
};

/// The cell of the reads split in every axis into the number of a tile and a place inside it, and the filling of all tiles
/// of the packed buffer `name` of type `type`; cells outside of `source` hold zero. A text says why there is none (STG-57).
tl::expected<Packed, std::string> packed_tile(const Program& p, const Buffer& source, const StagedReads& reads,
                                              const Symbol& name, Type type, NameSupply& names);

}  // namespace assay
