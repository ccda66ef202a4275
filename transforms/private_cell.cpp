// One walk over the accesses finds the cell; a second look at the loops around it tells which of them move it.
#include "transforms/private_cell.hpp"

#include <algorithm>

#include "transforms/reduction.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

class Search {
 public:
  Search(const Arguments& line, const Stmt& loop, bool for_group) : line_(line), loop_(loop), for_group_(for_group) {}

  tl::expected<PrivateCell, Refusal> run(const Program& before, const Symbol& target) const {
    const Extraction extraction = extract(before);
    PrivateCell out;
    bool any = false, stored = false;
    for (const Node& n : extraction.nodes) {
      const std::size_t depth = depth_of(n, loop_->name);
      if (depth == n.loops.size()) continue;
      for (const Access& a : n.accesses) {
        if (a.variable || a.storage != target) continue;
        const auto cell = a.whole ? std::nullopt : plain_cell(a.indices);
        if (!cell)
          return refused("PVT-3", fmt::format("`{}` is used at a dynamic index or as a whole", target), n.stmt);
        std::vector<Guard> inside;
        for (const Guard& g : n.guards) {
          if (g.loops > static_cast<int>(depth) && g.statement >= 0) inside.push_back(g);
        }
        if (any && !(*cell == out.cell))
          return refused("PVT-3", fmt::format("the loop uses several cells of `{}`", target), n.stmt);
        if (!any) {
          out.cell = *cell;
          out.around = n.loops;
          out.shared = inside;
        } else {
          out.shared = common_guards(std::move(out.shared), inside);
        }
        any = true;
        stored |= a.writes;
        if (a.writes && accumulation(n.stmt)) out.accumulations.insert(n.statement);
      }
    }
    if (!stored) return refused("PVT-2", fmt::format("the loop does not store to `{}`", target), loop_);
    const std::size_t depth = depth_of(out.around, loop_->name);
    return classified(std::move(out), depth);
  }

 private:
  tl::unexpected<Refusal> refused(std::string code, const std::string& reason, const Stmt& where) const {
    return tl::unexpected(inapplicable(line_, std::move(code), reason, where->where));
  }

  tl::expected<PrivateCell, Refusal> classified(PrivateCell u, std::size_t depth) const {
    const std::set<Symbol> in_cell = symbols_of(u.cell);
    if (in_cell.count(loop_->name) != 0)
      return refused("PVT-4", fmt::format("each iteration of `{}` uses another cell", loop_->name), loop_);
    for (std::size_t k = 0; for_group_ && k < depth; ++k) {
      const Stmt& l = u.around[k];
      if (l->axis == Axis::workgroup && in_cell.count(l->name) != 0) u.tile_loops.push_back(l);
    }
    std::set<Symbol> hidden{loop_->name};  // bound inside, and not known where the copies stand
    for (std::size_t k = depth + 1; k < u.around.size(); ++k) {
      const Stmt& l = u.around[k];
      const bool moves = in_cell.count(l->name) != 0;
      const bool of_group = for_group_ && moves && l->axis == Axis::workgroup;
      if ((is_hardware(l->axis) && !of_group) || l->axis == Axis::reduce)
        return refused("PVT-5", fmt::format("`{}` inside the loop is a `@{}` loop", l->name, name(l->axis)), l);
      if (l->axis == Axis::tile && !(l->hi == Index(1))) u.team = l;
      if (!moves) {
        hidden.insert(l->name);
        continue;
      }
      for (const Symbol& s : symbols_of({l->lo, l->hi})) {
        if (hidden.count(s) != 0)
          return refused("PVT-5", fmt::format("the bounds of `{}` depend on `{}`", l->name, s), l);
      }
      u.tile_loops.push_back(l);
    }
    u.shared.erase(
        std::remove_if(u.shared.begin(), u.shared.end(), [&](const Guard& g) { return !is_known(g, hidden); }),
        u.shared.end());
    return u;
  }

  const Arguments& line_;
  const Stmt& loop_;
  bool for_group_;
};

}  // namespace

bool PrivateCell::outside(const Stmt& loop, const Symbol& over) const {
  return depth_of(around, loop->name) < depth_of(around, over);
}

tl::expected<PrivateCell, Refusal> find_private_cell(const Arguments& line, const Program& before, const Symbol& target,
                                                     const Stmt& loop, bool for_group) {
  return Search(line, loop, for_group).run(before, target);
}

}  // namespace assay
