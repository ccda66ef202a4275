// Comparisons of paths, loop headers and conditions.
#include "proofs/validate/relation.hpp"

#include <algorithm>

#include "ir/analysis/launch.hpp"
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

bool same_hardware(const Program& p, const Program& q) {
  bool any = false;
  const auto hardware = [&](const Program& of) {
    const std::set<const StmtNode*> teams = tiles_among_threads(of);
    std::vector<std::vector<Stmt>> found;  // hardware loops with all loops around them, and launches, in text order
    std::vector<Stmt> around;
    Visitor visitor;
    visitor.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::loop) around.push_back(s);
      const bool mapped = s->kind == StmtKind::loop && (slot_kind(s->axis) || teams.count(&*s) != 0);
      any = any || mapped;
      if (mapped) found.push_back(around);
      if (s->kind == StmtKind::launch) found.push_back({s});
      return true;
    };
    visitor.leave_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::loop) around.pop_back();
    };
    visit(of.body, visitor);
    return found;
  };
  const auto a = hardware(p);
  const auto b = hardware(q);
  const auto same_path = [](const std::vector<Stmt>& x, const std::vector<Stmt>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_header);
  };
  return !any || std::equal(a.begin(), a.end(), b.begin(), b.end(), same_path);
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
