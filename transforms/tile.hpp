// Tiles: the cells of a buffer that a nest of loops touches through one index vector, packed into a small buffer of its own.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/program.hpp"

namespace assay {

struct Tile {
  std::vector<Index> dims{};  // over parameters
  /// Where the cell lies in the tile: over the symbols of the tile loops and of those around them.
  std::vector<Index> at{};
  std::vector<std::size_t> axes{};  // which axis of the cell each axis is of
};

/// The tile of `cell` over `loops`; `around` are all loops that enclose the access. One axis for each axis of the cell that
/// mentions a tile loop, ordered by the first tile loop that it mentions. An axis that one tile loop runs through is packed
/// densely, others keep their gaps. Nothing when an extent has no bound free of loop symbols.
std::optional<Tile> tile_of(const Program& p, const std::vector<Index>& cell, const std::vector<Stmt>& loops,
                            const std::vector<Stmt>& around);

/// How many values there are from 0 to the greatest one of `e` under `around`, over parameters; nothing when that has no
/// bound free of loop symbols.
std::optional<Index> extent_of(const Program& p, const Index& e, const std::vector<Stmt>& around);
/// The least or (`upper`) the greatest value of `e` over all iterations of the loops, which are given from the outside in.
Index extreme(Index e, const std::vector<Stmt>& loops, bool upper);
/// An upper bound of an extent over parameters only; `around` are the loops whose symbols it may use.
std::optional<Index> bounded_extent(const Program& p, const Index& extent, const std::vector<Stmt>& around);

/// Serial loops with fresh symbols, as `loops` (outermost first) around `inner`; `renamed` gives each loop's new symbol.
Block nest_like(const std::vector<Stmt>& loops, const std::map<Symbol, Symbol>& renamed, Block inner);

/// The indices of an access as Index values; nothing when one is dynamic.
std::optional<std::vector<Index>> plain_cell(const std::vector<Expr>& indices);
std::vector<Expr> index_expressions(const std::vector<Index>& cell);
/// The symbols that occur in any of the values.
std::set<Symbol> symbols_of(const std::vector<Index>& values);

}  // namespace assay
