// Filling a tile that the threads of a group share: who copies, and the barriers around what reads it.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ir/program.hpp"

namespace assay {

/// `fill`, done by the first iteration alone of each @workgroup loop among `around` that is none of the tile's: its other
/// threads would copy the same cells.
Block by_first_threads(const std::vector<Stmt>& around, const std::vector<Stmt>& tile_loops, Block fill);

/// The body, run by the first lane alone of a team as large as that of `tile`, a tile product: `for lane in 0..32 @workgroup
/// { if lane == 0 { … } }`.
Stmt by_first_lane(const StmtNode& tile, Block body, NameSupply& names);

/// The loops `renamed` (outermost first, as for nest_like) around `inner`, dealt out to `width` lanes: the iterations of the
/// innermost one go to the lanes of a new @workgroup loop around all, each to one of them. `guarded` wraps the nest inside.
Block by_lanes(const std::vector<Stmt>& loops, const std::map<Symbol, Symbol>& renamed, Block inner, std::int64_t width,
               NameSupply& names, const std::function<Block(Block)>& guarded);

/// The filling, a barrier, what reads the tile, a barrier. Where `body` begins with the filling of other shared tiles, their
/// barriers serve for this one too.
Block in_phase(const Program& p, const Symbol& tile, const Block& fill, Block body);

/// A loop that fills the tile one iteration ahead, in the other of two copies (the tile's first axis): the filling of the
/// first iteration, the loop with a barrier at the start of each iteration, a barrier. `fill` stores to the copy of its
/// own iteration; `body` reads from that one.
Block pipelined(const Stmt& loop, const Block& fill, Block body, NameSupply& names);

}  // namespace assay
