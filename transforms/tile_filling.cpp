// The filling has the tile's loops in the line's order under fresh symbols, apart from those whose threads copy.
#include "transforms/tile_filling.hpp"

#include <algorithm>

#include "ir/analysis/interval.hpp"
#include "ir/plain_constant.hpp"
#include "transforms/affine.hpp"
#include "transforms/shared_tile.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

// A scope holds no stores.
bool outside_scopes(const Program& p, const Stmt& loop) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && s->name == loop->name;
    return true;
  };
  v.enter_expr = [](const Expr&) { return false; };
  visit(p.body, v);
  return found;
}

// A bound in the filling nest may use only the loops before it in the line.
bool order_fits(const StagedReads& r) {
  std::set<Symbol> later;
  for (const Stmt& l : r.tile_loops) later.insert(l->name);
  for (const Stmt& l : r.tile_loops) {
    for (const Symbol& s : symbols_of({l->lo, l->hi})) {
      if (later.count(s) != 0) return false;
    }
    later.erase(l->name);
  }
  return true;
}

}  // namespace

tl::expected<TilePlace, Refusal> tile_place(const Arguments& line, const Program& before, const StagedReads& reads,
                                            const TileOwner& owner) {
  const auto refused = [&](const char* code, const std::string& reason, const Stmt& where) {
    return tl::unexpected(inapplicable(line, code, reason, where->where));
  };
  std::set<Symbol> needed = symbols_of(reads.cell);
  for (const Stmt& l : reads.tile_loops) {
    if (l->axis == Axis::reduce || (is_hardware(l->axis) && !owner.copies(l)))
      return refused("STG-6", fmt::format("`{}` is a `@{}` loop", l->name, name(l->axis)), l);
    if (owner.lanes && owner.copies(l))
      return refused("STG-53", fmt::format("`{}` has threads of its own, which copy without lanes", l->name), l);
    for (const Symbol& s : symbols_of({l->lo, l->hi})) needed.insert(s);
  }
  TilePlace out;
  for (const Stmt& l : reads.around) {
    const bool of_tile = reads.of_tile(l);
    if (of_tile && !out.outermost) out.outermost = l;
    if (of_tile ? owner.copies(l) : needed.count(l->name) != 0) out.anchor = l;
    if (owner.group && !of_tile && l->axis == Axis::workgroup && needed.count(l->name) != 0)
      return refused("STG-23",
                     fmt::format("the threads of `{}` read different cells: name it in `over`, or stage "
                                 "without `shared`",
                                 l->name),
                     l);
  }
  const Stmt& at = out.anchor || !owner.group ? out.anchor : out.outermost;
  if (at && !outside_scopes(before, at))
    return refused("STG-11", fmt::format("`{}`, at which the tile is filled, is in a scope", at->name), at);
  for (const Stmt& l : reads.around) {
    if (!at || (!out.anchor && l == at)) break;
    out.around.push_back(l);
    if (l == at) break;
  }
  const auto thread_loop = [](const Stmt& l) { return l->axis == Axis::workgroup; };
  if (owner.group && !owner.lanes && std::none_of(out.around.begin(), out.around.end(), thread_loop))
    return refused("STG-24", fmt::format("no `@workgroup` loop is around `{}`", at->name), at);
  if (!order_fits(reads))
    return refused("STG-6", "the bounds of a loop of the tile depend on another one after it", reads.tile_loops[0]);
  return out;
}

Block tile_filling(const Program& before, const TilePlace& place, const StagedReads& reads, const TileOwner& owner,
                   const Buffer& source, const TileStorage& tile, NameSupply& names) {
  Ranges ranges = parameter_ranges(before);
  for (const Stmt& l : reads.around) add_loop(ranges, l);
  std::vector<Expr> inside;
  for (std::size_t d = 0; d < reads.cell.size(); ++d) {
    if (interval(reads.cell[d], ranges).lo < 0) inside.push_back(compare(Op::le, 0, reads.cell[d]));
    if (interval(source.dims[d] - reads.cell[d], ranges).lo <= 0)
      inside.push_back(compare(Op::lt, reads.cell[d], source.dims[d]));
  }
  const Location where = reads.first->where;
  const auto fill_with = [&](const Expr& value) {
    return make_store(tile.name, index_expressions(tile.at), value, where);
  };
  Expr value = make_load(source.name, source.type, index_expressions(reads.cell), where);
  if (tile.type != source.type) value = make_convert(tile.type, value, where);
  Block inner{fill_with(value)};
  if (const Expr condition = conjunction(inside)) {
    const Expr fringe = zero_value(tile.type, where);
    inner = {make_branch(condition, std::move(inner), {fill_with(fringe)}, where)};
  }
  std::map<Symbol, Symbol> renamed;
  std::map<Symbol, Index> map;
  std::vector<Stmt> loops;
  for (const Stmt& l : reads.tile_loops) {
    if (owner.copies(l)) continue;
    loops.push_back(l);
    renamed[l->name] = names.fresh(l->name);
    map.emplace(l->name, Index::symbol(renamed[l->name]));
  }
  inner = substitute(inner, map);
  const auto guarded = [&](Block nest) {
    return owner.group ? by_first_threads(place.around, reads.tile_loops, std::move(nest)) : nest;
  };
  if (owner.lanes) return by_lanes(loops, renamed, std::move(inner), *owner.lanes, names, guarded);
  return guarded(nest_like(loops, renamed, std::move(inner)));
}

}  // namespace assay
