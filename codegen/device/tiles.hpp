// Tile products by matrix instructions in CUDA text (spec/tiles.md): the statements of one product, and the functions that
// stand for these instructions, and for asynchronous copies, at the head of a unit.
#pragma once

#include <set>
#include <string>

#include "codegen/c.hpp"
#include "ir/tile_instruction.hpp"

namespace assay::codegen {

class Emitter;

/// The statements that compute `product` in each lane of the warp; `lane` is the text of the lane's number. The functions
/// that they call are added to `functions`, by name.
void emit_tile_product(Emitter& emit, const Program& p, const TileInstruction& product, const std::string& lane,
                       std::set<std::string>& functions);

/// The definitions of these functions: inline PTX for nvcc; on the CPU calls of the worker, which computes by the model of
/// `unit`.
std::string tile_head(Dialect dialect, TileUnit unit, const std::set<std::string>& functions);

}  // namespace assay::codegen
