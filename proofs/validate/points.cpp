// Moments are derived from the paths of nodes: a leaf's path without its own event, or the part of a path that leads to a
// loop, followed by steps that sort before, or behind, everything inside.
#include "proofs/validate/points.hpp"

#include <algorithm>
#include <limits>

#include "ir/traverse.hpp"

namespace assay::derive {
namespace {
// The position of a leaf's own event, after all else in its statement; a moment after it goes on from there.
constexpr int behind = std::numeric_limits<int>::max();
}  // namespace

Moments::Moments(const View& view) : view_(view) {
  int number = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) loops_.emplace(number, s);
    ++number;
    return true;
  };
  visit(view.program.body, v);
}

int Moments::loop_number(const Symbol& loop) const {
  for (const auto& [number, s] : loops_) {
    if (s->name == loop) return number;
  }
  return -1;
}

const Node* Moments::end() {
  const auto [it, fresh] = made_.emplace(std::make_pair(-1, true), nullptr);
  if (fresh) {
    nodes_.emplace_back();
    const int last = std::max(0, static_cast<int>(view_.program.body.size()) - 1);
    nodes_.back().path = {{false, last}, {false, behind}, {false, behind}};
    it->second = &nodes_.back();
  }
  return it->second;
}

const Node* Moments::at(int statement, bool after) {
  const auto [it, fresh] = made_.emplace(std::make_pair(statement, after), nullptr);
  if (!fresh) return it->second;
  Node out;
  out.statement = statement;
  const auto loop = loops_.find(statement);
  if (loop == loops_.end()) {
    const Node* leaf = view_.extraction.find(statement);
    if (!leaf) return nullptr;
    out = *leaf;
    out.path.pop_back();
  } else {
    // Any node inside knows the way to the loop.
    const auto& nodes = view_.extraction.nodes;
    const auto inside = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) {
      return std::any_of(n.loops.begin(), n.loops.end(), [&](const Stmt& l) { return l->name == loop->second->name; });
    });
    if (inside == nodes.end()) return nullptr;
    std::size_t depth = 0;
    while (inside->loops[depth]->name != loop->second->name) ++depth;
    out.stmt = loop->second;
    out.loops.assign(inside->loops.begin(), inside->loops.begin() + static_cast<std::ptrdiff_t>(depth));
    for (const PathStep& step : inside->path) {
      if (step.loop && step.value == static_cast<int>(depth)) break;
      out.path.push_back(step);
    }
    for (const Guard& g : inside->guards) {
      if (g.loops <= static_cast<int>(depth)) out.guards.push_back(g);
    }
  }
  out.accesses.clear();
  out.divisions.clear();
  if (after) {
    out.path.push_back({false, behind});
    out.path.push_back({false, behind});
  } else {
    out.path.push_back({false, std::numeric_limits<int>::min()});
  }
  nodes_.push_back(std::move(out));
  return it->second = &nodes_.back();
}

std::optional<Spot> cell_of(const Instance& x, const Access& a) {
  Spot cell{a.storage, a.variable, {}};
  if (a.variable) {
    const Variable& v = x.view->extraction.variables.at(a.storage);
    for (const Stmt& loop : v.around) cell.at.push_back(x.symbols.at(loop->name));
    return cell;
  }
  if (a.whole) return std::nullopt;
  for (const Expr& e : a.indices) {
    if (e->op != Op::index) return std::nullopt;
    cell.at.push_back(x.apply(e->index));
  }
  return cell;
}

Formula same_place(const Spot& a, const Spot& b) {
  std::vector<Formula> parts;
  for (std::size_t d = 0; d < a.at.size() && d < b.at.size(); ++d) parts.push_back(Formula::eq(a.at[d], b.at[d]));
  return Formula::all(std::move(parts));
}

std::pair<Spot, Formula> any_cell(const Buffer& b, const std::string& prefix) {
  Spot cell{b.name, false, {}};
  std::vector<Formula> inside;
  for (std::size_t d = 0; d < b.dims.size(); ++d) {
    cell.at.push_back(Index::symbol(prefix + "'" + std::to_string(d)));
    inside.push_back(Formula::le(Index(0), cell.at[d]));
    inside.push_back(Formula::lt(cell.at[d], b.dims[d]));
  }
  return {cell, Formula::all(std::move(inside))};
}

namespace {
std::pair<Symbol, Index> solve_for(const Index& e, const std::vector<Symbol>& open) {
  for (const auto& [atom, coefficient] : e.terms()) {
    if (atom->kind != IndexAtom::Kind::symbol || (coefficient != 1 && coefficient != -1)) continue;
    if (std::find(open.begin(), open.end(), atom->symbol) == open.end()) continue;
    const Index rest = e - Index::symbol(atom->symbol) * coefficient;
    if (rest.mentions(atom->symbol)) continue;
    return {atom->symbol, rest * -coefficient};
  }
  return {};
}
}  // namespace

Formula exists_solved(std::vector<Symbol> open, Formula f) {
  for (bool progress = true; progress && f.kind() == Formula::Kind::conjunction;) {
    progress = false;
    for (const Formula& part : f.parts()) {
      if (part.kind() != Formula::Kind::zero) continue;
      const auto [symbol, value] = solve_for(part.expression(), open);
      if (symbol.empty()) continue;
      open.erase(std::find(open.begin(), open.end(), symbol));
      f = f.substitute({{symbol, value}});
      progress = true;
      break;
    }
  }
  return Formula::exists(open, f);
}

}  // namespace assay::derive
