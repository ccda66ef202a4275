// Extents by eliminating the tile loops from an index, innermost first.
#include "transforms/tile.hpp"

#include <algorithm>

#include "ir/analysis/interval.hpp"
#include "ir/traverse.hpp"
#include "transforms/affine.hpp"

namespace assay {
constexpr std::int64_t largest_extent = std::int64_t{1} << 31;

Index extreme(Index e, const std::vector<Stmt>& loops, bool upper) {
  for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
    const StmtNode& l = **it;
    e = upper ? greatest(e, l.name, l.lo, l.hi - 1) : least(e, l.name, l.lo, l.hi - 1);
  }
  return e;
}

// At least 1 where it is no longer exact.
std::optional<Index> bounded_extent(const Program& p, const Index& extent, const std::vector<Stmt>& around) {
  Ranges ranges = parameter_ranges(p);
  for (const Stmt& l : around) add_loop(ranges, l);
  const Interval range = interval(extent, ranges);
  std::set<Symbol> used;
  extent.collect_symbols(used);
  const bool parameters = std::all_of(used.begin(), used.end(), [&](const Symbol& s) { return p.find_parameter(s); });
  if (parameters && !has_extremum(extent) && range.lo >= 0) return extent;
  if (range.hi > largest_extent) return std::nullopt;
  return Index(std::max<std::int64_t>(1, static_cast<std::int64_t>(range.hi)));
}

std::optional<Tile> tile_of(const Program& p, const std::vector<Index>& cell, const std::vector<Stmt>& loops,
                            const std::vector<Stmt>& around) {
  struct TileAxis {
    std::size_t first;  // tile loop
    std::size_t of;     // axis of the cell
    Index extent, at;
  };
  std::vector<TileAxis> axes;
  for (std::size_t d = 0; d < cell.size(); ++d) {
    const Index& e = cell[d];
    std::vector<std::size_t> mentioned;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (e.mentions(loops[k]->name)) mentioned.push_back(k);
    }
    if (mentioned.empty()) continue;
    const Stmt& only = loops[mentioned[0]];
    const bool dense = mentioned.size() == 1 && linear_in(e, only->name);
    const Index value = dense ? Index::symbol(only->name) : e;
    // Tile loops are in the caller's order; bounds are eliminated from the inside of the nest out.
    std::vector<Stmt> nested;
    for (const Stmt& l : around) {
      if (std::any_of(loops.begin(), loops.end(), [&](const Stmt& t) { return t->name == l->name; }))
        nested.push_back(l);
    }
    const Index low = extreme(value, nested, false);
    const auto extent = bounded_extent(p, extreme(value, nested, true) - low + 1, around);
    if (!extent) return std::nullopt;
    axes.push_back({mentioned[0], d, *extent, value - low});
  }
  std::stable_sort(axes.begin(), axes.end(), [](const TileAxis& a, const TileAxis& b) { return a.first < b.first; });
  Tile out;
  for (TileAxis& a : axes) {
    out.dims.push_back(std::move(a.extent));
    out.at.push_back(std::move(a.at));
    out.axes.push_back(a.of);
  }
  return out;
}

std::optional<Index> extent_of(const Program& p, const Index& e, const std::vector<Stmt>& around) {
  return bounded_extent(p, extreme(e, around, true) + 1, around);
}

Block nest_like(const std::vector<Stmt>& loops, const std::map<Symbol, Symbol>& renamed, Block inner) {
  std::map<Symbol, Index> map;
  for (const auto& [old, fresh] : renamed) map.emplace(old, Index::symbol(fresh));
  for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
    const StmtNode& l = **it;
    inner = {make_loop(renamed.at(l.name), l.lo.substitute(map), l.hi.substitute(map), l.step, Axis::serial,
                       std::move(inner), l.where)};
  }
  return inner;
}

std::optional<std::vector<Index>> plain_cell(const std::vector<Expr>& indices) {
  std::vector<Index> out;
  for (const Expr& e : indices) {
    if (e->op != Op::index) return std::nullopt;
    out.push_back(e->index);
  }
  return out;
}

std::vector<Expr> index_expressions(const std::vector<Index>& cell) {
  std::vector<Expr> out;
  for (const Index& i : cell) out.push_back(make_index(i));
  return out;
}

std::set<Symbol> symbols_of(const std::vector<Index>& values) {
  std::set<Symbol> out;
  for (const Index& v : values) v.collect_symbols(out);
  return out;
}

}  // namespace assay
