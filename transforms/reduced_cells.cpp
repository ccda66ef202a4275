// The loops that move the cell are told from those that come back to it; bounds and conditions may depend on the former alone.
#include "transforms/reduced_cells.hpp"

#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

// Each dimension is moved by one loop, or by loops that are digits of one number; no loop moves two. The moving loops' symbols.
std::optional<std::set<Symbol>> moving_symbols(const Program& p, const std::vector<Stmt>& loops, ReducedCells& out) {
  std::set<Symbol> moving;
  for (const Index& e : out.cell) {
    std::vector<Stmt> of_this;
    for (const Stmt& l : loops) {
      if (e.mentions(l->name)) of_this.push_back(l);
    }
    for (const Stmt& l : of_this) {
      if (!moving.insert(l->name).second) return std::nullopt;
    }
    out.joined.emplace_back();
    if (of_this.size() == 1) {
      const auto linear = linear_in(e, of_this[0]->name);
      if (!linear || linear->coefficient == 0) return std::nullopt;
    } else if (of_this.size() > 1) {
      out.joined.back() = mixed_radix(p, e, of_this);
      if (!out.joined.back()) return std::nullopt;
    }
  }
  return moving;
}

}  // namespace

std::size_t ReducedCells::dimension_of(const Stmt& loop) const {
  const auto at = std::find_if(cell.begin(), cell.end(), [&](const Index& e) { return e.mentions(loop->name); });
  return static_cast<std::size_t>(at - cell.begin());
}

std::optional<ReducedCells> reduced_cells(const Program& p, const Reduction& reduction, const Stmt& loop) {
  const Node& first = *reduction.updates.front();
  const std::size_t depth = depth_of(first, loop->name);
  const auto cell = plain_cell(first.stmt->indices);
  if (!cell) return std::nullopt;
  std::vector<Guard> shared = first.guards;
  for (const Node* n : reduction.updates) {
    const auto other = plain_cell(n->stmt->indices);
    if (!other || !(*other == *cell)) return std::nullopt;
    shared = common_guards(std::move(shared), n->guards);
  }
  ReducedCells out;
  out.cell = *cell;
  const auto moving = moving_symbols(p, first.loops, out);
  if (!moving) return std::nullopt;
  std::set<Symbol> hidden;
  for (std::size_t k = 0; k < first.loops.size(); ++k) {
    const Stmt& l = first.loops[k];
    if (moving->count(l->name) == 0) {
      if (k < depth) out.repeated.push_back(l);
      hidden.insert(l->name);
      continue;
    }
    if (k == depth || (k > depth && l->axis != Axis::serial && l->axis != Axis::unrolled)) return std::nullopt;
    for (const Symbol& s : symbols_of({l->lo, l->hi})) {
      if (hidden.count(s) != 0) return std::nullopt;
    }
    out.moving.push_back(l);
    if (k > depth) out.tile.push_back(l);
  }
  for (const Guard& g : first.guards) {
    if (g.loops > static_cast<int>(depth) || g.statement < 0) continue;
    if (is_known(g, hidden))
      out.outside.push_back(g);
    else
      out.exact = false;
  }
  for (const Guard& g : shared) {
    if (g.loops > static_cast<int>(depth) && g.statement >= 0 && is_known(g, hidden)) out.inside.push_back(g);
  }
  return out;
}

}  // namespace assay
