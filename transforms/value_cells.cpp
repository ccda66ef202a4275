// The scopes are compared with the base: the values that its loop symbols take at each say which cells are needed.
#include "transforms/value_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "transforms/affine.hpp"
#include "transforms/alpha.hpp"
#include "transforms/pattern.hpp"
#include "transforms/reduction.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

Misfit misfit(std::string code, std::string reason, Location where = {}) {
  return {std::move(code), std::move(reason), where};
}

// What a scope computes, for messages.
bool holds_a_value(const Expr& e) {
  return e->body.size() == 1 && e->body[0]->kind == StmtKind::assign && e->body[0]->name == e->name;
}
std::string shown(const Expr& e) { return holds_a_value(e) ? print(e->body[0]->value) : e->name; }

void collect(const Expr& e, const Node& n, const std::vector<Guard>& guards, const std::vector<Symbol>& wanted,
             std::vector<ValueUse>& into) {
  if (e->op == Op::scope) {
    if (std::find(wanted.begin(), wanted.end(), e->name) != wanted.end()) into.push_back({e, &n, guards, {}});
    return;  // what is inside has nodes of its own
  }
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    std::vector<Guard> here = guards;
    if (i > 0 && (e->op == Op::choice || e->op == Op::land || e->op == Op::lor))
      here.push_back({e->args[0], e->op == Op::choice ? i == 1 : e->op == Op::land, -1, 0});
    collect(e->args[i], n, here, wanted, into);
  }
}

tl::expected<ValueCells, Misfit> extents(const Program& p, ValueCells out) {
  const ValueUse& first = out.uses.front();
  std::set<Symbol> symbols;
  for (const Stmt& l : out.over) symbols.insert(l->name);
  const std::set<Symbol> used = free_symbols({make_assign(first.e->name, first.e)});
  for (ValueUse& o : out.uses) {
    if (out.anchor && std::find(o.node->loops.begin(), o.node->loops.end(), out.anchor) == o.node->loops.end())
      return tl::unexpected(misfit("MAT-5", fmt::format("a use lies outside of `{}`", out.anchor->name), o.e->where));
    for (const Stmt& l : out.over) {
      // A loop that the expression does not use has a cell for each iteration all the same.
      if (used.count(l->name) == 0) o.at.emplace(l->name, Index::symbol(l->name));
    }
    std::set<Symbol> open = symbols;
    for (const auto& [s, at] : o.at) open.erase(s);
    auto at = instance_of(first.e, o.e, open);
    const bool around = std::all_of(o.at.begin(), o.at.end(), [&](const auto& known) {
      return std::any_of(o.node->loops.begin(), o.node->loops.end(),
                         [&](const Stmt& l) { return l->name == known.first; });
    });
    if (!at || !around)
      return tl::unexpected(misfit("MAT-3",
                                   fmt::format("`{}` is not `{}` at other values of {}", shown(o.e), shown(first.e),
                                               symbols.empty() ? "no loops" : "its loops"),
                                   o.e->where));
    o.at.insert(at->begin(), at->end());
  }
  for (const Stmt& l : out.over) {
    std::vector<Index> low, high;
    for (const ValueUse& o : out.uses) {
      std::vector<Stmt> inner;  // loops below the anchor
      const auto& loops = o.node->loops;
      const auto from = out.anchor ? std::find(loops.begin(), loops.end(), out.anchor) + 1 : loops.begin();
      inner.assign(from, loops.end());
      low.push_back(extreme(o.at.at(l->name), inner, false));
      high.push_back(extreme(o.at.at(l->name), inner, true) + 1);
    }
    out.low.push_back(min(low));
    out.high.push_back(max(high));
    std::vector<Stmt> around;
    if (out.anchor)
      around.assign(first.node->loops.begin(),
                    std::find(first.node->loops.begin(), first.node->loops.end(), out.anchor) + 1);
    const auto extent = bounded_extent(p, out.high.back() - out.low.back(), around);
    if (!extent)
      return tl::unexpected(
          misfit("MAT-6", fmt::format("the cells that `{}` needs have no extent", l->name), l->where));
    out.dims.push_back(*extent);
  }
  return out;
}

}  // namespace

tl::expected<ValueCells, Misfit> value_cells(const Program& p, const Extraction& x, const std::vector<Symbol>& names,
                                             const std::optional<std::vector<Symbol>>& loops) {
  ValueCells out;
  for (const Node& n : x.nodes) {
    for (const Expr& e : n.stmt->indices) collect(e, n, {}, names, out.uses);
    if (n.stmt->value) collect(n.stmt->value, n, {}, names, out.uses);
  }
  const auto base =
      std::find_if(out.uses.begin(), out.uses.end(), [&](const ValueUse& u) { return u.e->name == names.front(); });
  std::rotate(out.uses.begin(), base, base + 1);
  const ValueUse& first = out.uses.front();
  const std::vector<Stmt>& around = first.node->loops;
  std::set<Symbol> used = free_symbols({make_assign(first.e->name, first.e)});
  for (const Parameter& known : p.parameters) used.erase(known.name);
  for (const Symbol& s : used) {
    if (x.variables.count(s) != 0)
      return tl::unexpected(misfit("MAT-4", fmt::format("the expression reads `{}`", s), first.e->where));
  }
  for (const Stmt& l : around) {
    const bool named = loops && std::find(loops->begin(), loops->end(), l->name) != loops->end();
    if (named || (!loops && used.count(l->name) != 0)) {
      out.over.push_back(l);
    } else if (used.count(l->name) != 0) {
      if (!out.over.empty())
        return tl::unexpected(
            misfit("MAT-5", fmt::format("the value needs `{}`, which lies inside", l->name), l->where));
      out.anchor = l;
    }
  }
  if (loops && loops->size() != out.over.size())
    return tl::unexpected(misfit("MAT-5", "one of the loops is not around the first use", first.e->where));
  return extents(p, std::move(out));
}

std::vector<Index> cell_of(const ValueCells& cells, const Places& at) {
  std::vector<Index> out;
  for (std::size_t d = 0; d < cells.over.size(); ++d) out.push_back(at.at(cells.over[d]->name) - cells.low[d]);
  return out;
}

Block value_stores(const ValueCells& cells, const Symbol& buffer, NameSupply& names) {
  const ValueUse& first = cells.uses.front();
  const bool alone = cells.uses.size() == 1;
  Places own;
  for (const Stmt& l : first.node->loops) {
    if (std::find(cells.over.begin(), cells.over.end(), l) == cells.over.end()) continue;
    own.emplace(l->name, Index::symbol(l->name));
  }
  Block out{make_store(buffer, index_expressions(cell_of(cells, own)),
                       holds_a_value(first.e) ? first.e->body[0]->value : first.e, first.e->where)};
  std::set<Symbol> hidden;  // symbols of the use that the place does not have
  bool below = !cells.anchor;
  for (const Stmt& l : first.node->loops) {
    if (below && own.count(l->name) == 0) hidden.insert(l->name);
    below = below || l == cells.anchor;
  }
  const auto fits = [&](const Index& e) {
    return std::none_of(hidden.begin(), hidden.end(), [&](const Symbol& s) { return e.mentions(s); });
  };
  if (alone) {
    // Where it is computed under conditions on its cell alone, so it is here.
    std::vector<Guard> guards;
    for (const auto* all : {&first.node->guards, &first.guards})
      std::copy_if(all->begin(), all->end(), std::back_inserter(guards),
                   [&](const Guard& g) { return is_known(g, hidden) && affine_condition(g.condition).has_value(); });
    out = guarded(guards, std::move(out), {}, first.e->where);
  }
  for (std::size_t k = cells.over.size(); k-- > 0;) {
    const Stmt& l = cells.over[k];
    const bool exact = alone && fits(l->lo) && fits(l->hi);
    out = {make_loop(l->name, exact ? l->lo : cells.low[k], exact ? l->hi : cells.high[k], exact ? l->step : 1,
                     Axis::serial, std::move(out), l->where)};
  }
  return refresh_binders(out, names);
}

NamedPlaces name_places(const Program& p, const Expr& e, const std::set<Symbol>& open) {
  NamedPlaces out{p, {}};
  NameSupply names(p.bound_names());
  bool written = false;
  out.program.body = rewrite(p.body, [&](const Expr& place) {
    if (place->op != e->op || place->type != e->type || !instance_of(e, place, open)) return place;
    const Symbol name = names.fresh("value");
    const bool first_as_written = !written && alpha_equal(e, place);
    written = written || first_as_written;
    out.names.insert(first_as_written ? out.names.begin() : out.names.end(), name);
    return make_scope(name, place->type, {make_assign(name, place, place->where)}, place->where);
  });
  return out;
}

}  // namespace assay
