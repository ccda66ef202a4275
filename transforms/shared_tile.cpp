// Barriers are siblings of the filling, never under its conditions: every thread of the group reaches them.
#include "transforms/shared_tile.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "transforms/affine.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

bool is_barrier(const Stmt& s) { return s->kind == StmtKind::barrier; }

// Stores to shared buffers and nothing else, and does not read the tile.
bool only_fills(const Program& p, const Stmt& s, const Symbol& tile) {
  bool fills = true;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    if (t->kind == StmtKind::loop || t->kind == StmtKind::branch) return true;
    const Buffer* b = t->kind == StmtKind::store ? p.find_buffer(t->name) : nullptr;
    fills = fills && b && b->kind == BufferKind::shared;
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    fills = fills && !(e->op == Op::load && e->name == tile);
    return true;
  };
  visit(s, v);
  return fills;
}

}  // namespace

Block by_first_threads(const std::vector<Stmt>& around, const std::vector<Stmt>& tile_loops, Block fill) {
  std::vector<Expr> first;
  for (const Stmt& l : around) {
    const bool of_tile =
        std::any_of(tile_loops.begin(), tile_loops.end(), [&](const Stmt& t) { return t->name == l->name; });
    if (l->axis == Axis::workgroup && !of_tile) first.push_back(compare(Op::eq, Index::symbol(l->name), l->lo));
  }
  const Expr condition = conjunction(first);
  return condition ? Block{make_branch(condition, std::move(fill))} : fill;
}

Stmt by_first_lane(const StmtNode& tile, Block body, NameSupply& names) {
  const Symbol lane = names.fresh(tile.name);
  const Expr first = compare(Op::eq, Index::symbol(lane), Index(0));
  return make_loop(lane, 0, tile.hi, 1, Axis::workgroup, {make_branch(first, std::move(body), {}, tile.where)},
                   tile.where);
}

Block by_lanes(const std::vector<Stmt>& loops, const std::map<Symbol, Symbol>& renamed, Block inner, std::int64_t width,
               NameSupply& names, const std::function<Block(Block)>& guarded) {
  const Stmt& innermost = loops.back();
  std::map<Symbol, Index> map;
  for (const auto& [old, fresh] : renamed) map.emplace(old, Index::symbol(fresh));
  const Index count = trip_count(innermost).substitute(map), lo = innermost->lo.substitute(map);
  const Symbol lane = names.fresh("lane");
  const Symbol& round = renamed.at(innermost->name);
  const bool constant = count.is_constant();
  const bool once = constant && count.constant() <= width;
  // Iteration number k of the innermost loop is lane k mod width's in round k / width.
  const Index k = once ? Index::symbol(lane) : Index::symbol(round) * width + Index::symbol(lane);
  inner = substitute(inner, {{round, lo + k * innermost->step}});
  if (!constant || count.constant() % width != 0) inner = {make_branch(compare(Op::lt, k, count), std::move(inner))};
  if (!once) {
    inner = {make_loop(round, 0, ceildiv(count, width), 1, Axis::serial, std::move(inner), innermost->where)};
  }
  inner = nest_like({loops.begin(), loops.end() - 1}, renamed, std::move(inner));
  return {make_loop(lane, 0, Index(width), 1, Axis::workgroup, guarded(std::move(inner)), innermost->where)};
}

Block in_phase(const Program& p, const Symbol& tile, const Block& fill, Block body) {
  Block out = fill;
  const auto barrier = std::find_if(body.begin(), body.end(), is_barrier);
  const bool begins_with_fills =
      barrier != body.begin() && barrier != body.end() && barrier + 1 != body.end() && is_barrier(body.back()) &&
      barrier + 1 != body.end() - 1 &&
      std::all_of(body.begin(), barrier, [&](const Stmt& s) { return only_fills(p, s, tile); });
  if (!begins_with_fills) {
    out.push_back(make_barrier());
    body.push_back(make_barrier());
  }
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

Block pipelined(const Stmt& loop, const Block& fill, Block body, NameSupply& names) {
  const Index k = Index::symbol(loop->name);
  Stmt ahead = make_branch(compare(Op::lt, k + 1, loop->hi), substitute(fill, {{loop->name, k + 1}}));
  // Where another tile is filled ahead in the same loop, its barrier serves for both.
  const bool has_barrier = !body.empty() && is_barrier(body.front());
  body.insert(body.begin() + (has_barrier ? 1 : 0), std::move(ahead));
  if (!has_barrier) body.insert(body.begin(), make_barrier());
  Block first = refresh_binders(substitute(fill, {{loop->name, loop->lo}}), names);
  return {make_branch(compare(Op::lt, loop->lo, loop->hi), std::move(first)),
          with(loop, [&](StmtNode& n) { n.body = std::move(body); }), make_barrier()};
}

}  // namespace assay
