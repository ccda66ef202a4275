// In an axis with loops of the tile the index is D·q + t, with t inside the tile of D cells and q the tile's number; in every
// other axis the whole index is a number. The packed buffer holds all numbers from 0 to the greatest, and of each tile all
// cells, whether or not they are read.
#include "transforms/packed_tile.hpp"

#include <algorithm>

#include "ir/analysis/interval.hpp"
#include "ir/plain_constant.hpp"
#include "transforms/affine.hpp"
#include "transforms/names.hpp"

namespace assay {
namespace {

struct PackedAxis {
  Index extent, at;
  Symbol symbol;                 // of the loop that fills it
  std::size_t source = 0;        // axis of the source
  std::int64_t coefficient = 1;  // how far one step goes there
};

}  // namespace

tl::expected<Packed, std::string> packed_tile(const Program& p, const Buffer& source, const StagedReads& reads,
                                              const Symbol& name, Type type, NameSupply& names) {
  const auto refuse = [](std::string why) { return tl::unexpected(std::move(why)); };
  const auto tile = tile_of(p, reads.cell, reads.tile_loops, reads.around);
  if (!tile) return refuse("the number of cells in the tile has no constant bound");
  Ranges ranges = parameter_ranges(p);
  for (const Stmt& l : reads.around) add_loop(ranges, l);

  std::vector<PackedAxis> numbers, inside;
  for (std::size_t d = 0; d < reads.cell.size(); ++d) {
    const auto of_tile = std::find(tile->axes.begin(), tile->axes.end(), d);
    Index number = reads.cell[d];
    std::int64_t coefficient = 1;
    if (of_tile != tile->axes.end()) {
      const auto a = static_cast<std::size_t>(of_tile - tile->axes.begin());
      if (!tile->dims[a].is_constant()) return refuse("the extents of the tile are not constant");
      coefficient = tile->dims[a].constant();
      const Index rest = reads.cell[d] - tile->at[a];
      number = floordiv(rest, coefficient);
      if (!(number * coefficient == rest))
        return refuse(
            fmt::format("the index `{}` is not a multiple of {}, the tile's extent, beside a cell of the tile",
                        reads.cell[d].text(), coefficient));
    }
    for (const Stmt& l : reads.tile_loops) {
      if (number.mentions(l->name)) return refuse("the tile skips cells of the source");
    }
    if (number == Index(0)) continue;
    if (interval(number, ranges).lo < 0) return refuse("the number of a tile may be negative");
    const auto extent = extent_of(p, number, reads.around);
    if (!extent) return refuse("the number of tiles has no constant bound");
    const Symbol* plain = number.as_symbol();
    const bool loop = plain && !p.find_parameter(*plain);
    numbers.push_back({*extent, number, names.fresh(loop ? *plain : "tile"), d, coefficient});
  }
  for (std::size_t a = 0; a < tile->dims.size(); ++a) {
    const auto first = std::find_if(reads.tile_loops.begin(), reads.tile_loops.end(),
                                    [&](const Stmt& l) { return reads.cell[tile->axes[a]].mentions(l->name); });
    inside.push_back({tile->dims[a], tile->at[a], names.fresh((*first)->name), tile->axes[a], 1});
  }

  std::vector<PackedAxis> axes = std::move(numbers);
  axes.insert(axes.end(), inside.begin(), inside.end());
  Packed out;
  std::vector<Index> from(reads.cell.size(), Index(0)), to;
  Ranges filled = parameter_ranges(p);
  for (const PackedAxis& a : axes) {
    out.tile.dims.push_back(a.extent);
    out.tile.at.push_back(a.at);
    from[a.source] = from[a.source] + Index::symbol(a.symbol) * a.coefficient;
    to.push_back(Index::symbol(a.symbol));
    filled[a.symbol] = {0, interval(a.extent, filled).hi - 1};
  }
  std::vector<Expr> conditions;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (interval(source.dims[d] - from[d], filled).lo <= 0)
      conditions.push_back(compare(Op::lt, from[d], source.dims[d]));
  }
  const Location where = reads.first->where;
  Expr value = make_load(source.name, source.type, index_expressions(from), where);
  if (type != source.type) value = make_convert(type, value, where);
  Block inner{make_store(name, index_expressions(to), value, where)};
  if (const Expr condition = conjunction(conditions)) {
    const Expr zero = zero_value(type, where);
    inner = {make_branch(condition, std::move(inner), {make_store(name, index_expressions(to), zero, where)}, where)};
  }
  for (auto a = axes.rbegin(); a != axes.rend(); ++a)
    inner = {make_loop(a->symbol, 0, a->extent, 1, Axis::serial, std::move(inner), where)};
  out.fill = std::move(inner);
  return out;
}

}  // namespace assay
