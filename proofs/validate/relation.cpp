// Comparisons of paths, loop headers and conditions.
#include "proofs/validate/relation.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::derive {

Relation relation(const View& view, const Node& a, const Node& b) {
  Relation r;
  r.one_launch = view.launch(a) == view.launch(b);
  for (std::size_t k = 0; k < a.path.size() && k < b.path.size(); ++k) {
    if (a.path[k] == b.path[k]) {
      if (a.path[k].loop) r.shared.push_back(a.loops[static_cast<std::size_t>(a.path[k].value)]->name);
      continue;
    }
    r.order = a.path[k].value < b.path[k].value ? -1 : 1;
    break;
  }
  return r;
}

bool same_header(const Stmt& a, const Stmt& b) {
  return a->name == b->name && a->lo == b->lo && a->hi == b->hi && a->step == b->step && a->axis == b->axis;
}

bool same_grid(const Program& p, const Program& q) {
  bool any = false;
  const auto grids = [&](const Program& of) {
    std::vector<Stmt> loops;
    Visitor visitor;
    visitor.enter_stmt = [&](const Stmt& s) {
      const bool grid = s->kind == StmtKind::loop && s->axis == Axis::grid;
      any = any || grid;
      if (grid || s->kind == StmtKind::launch) loops.push_back(s);
      return true;
    };
    visit(of.body, visitor);
    return loops;
  };
  const auto a = grids(p);
  const auto b = grids(q);
  return !any || std::equal(a.begin(), a.end(), b.begin(), b.end(), same_header);
}

bool same_guards(const Node& a, const Node& b) {
  return std::equal(
      a.guards.begin(), a.guards.end(), b.guards.begin(), b.guards.end(),
      [](const Guard& g, const Guard& h) { return g.positive == h.positive && g.condition == h.condition; });
}

bool unmoved(const Node& now, const Node& source, const std::map<Symbol, Index>& to_source) {
  if (!std::equal(now.loops.begin(), now.loops.end(), source.loops.begin(), source.loops.end(), same_header))
    return false;
  return std::all_of(source.loops.begin(), source.loops.end(), [&](const Stmt& l) {
    const Symbol* s = to_source.at(l->name).as_symbol();
    return s && *s == l->name;
  });
}

}  // namespace assay::derive
