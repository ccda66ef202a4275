// An instance of a tile product is one execution of its loop: its team and the iterations of the serial loops around it.
#include "proofs/validate/teams.hpp"

#include <algorithm>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/threads.hpp"

namespace assay::derive {

Teams::Teams(const Program& p) : spelled_(p) {
  const std::set<const StmtNode*> teams = tiles_among_threads(p);
  for (const StmtNode* t : teams) lanes_.insert(t->name);
  if (teams.empty()) return;
  spelled_.body = rewrite(p.body, {}, [&](const Stmt& s) -> Block {
    if (s->kind != StmtKind::loop || s->axis != Axis::tile || lanes_.count(s->name) == 0) return {s};
    return {with(s, [](StmtNode& n) {
      n.axis = Axis::workgroup;
      n.body.push_back(make_barrier(n.where));
    })};
  });
  std::map<const StmtNode*, int> tile;  // the number of the loop that a barrier was added to
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const auto of = tile.find(&*s);
    origin_.push_back(of == tile.end() ? next++ : of->second);
    if (s->kind == StmtKind::loop && lanes_.count(s->name) != 0) tile[&*s->body.back()] = origin_.back();
    return true;
  };
  visit(spelled_.body, v);
}

Obligation Teams::in_given_numbers(Obligation o) const {
  if (!any()) return o;
  const auto give = [&](Witness& w) {
    for_each_point(w, [&](Witness::Point& p, bool) {
      if (p.statement >= 0) p.statement = origin_.at(static_cast<std::size_t>(p.statement));
    });
  };
  if (o.witness) give(*o.witness);
  for (Witness& w : o.further) give(w);
  return o;
}

Formula Teams::same_instance(const Instance& x, const Instance& y) const {
  std::vector<Formula> equal;
  for (std::size_t k = 0; k < x.node->loops.size() && k < y.node->loops.size(); ++k) {
    const Stmt& loop = x.node->loops[k];
    if (&*loop != &*y.node->loops[k]) return Formula::falsity();
    if (lanes_.count(loop->name) == 0) {
      equal.push_back(Formula::eq(x.symbol(k), y.symbol(k)));
      continue;
    }
    // One team: in slots that no loop around the product is of, too.
    const int lane = x.view->slot.at(&*loop);
    for (int slot = x.view->grid_slots; slot < x.view->slots; ++slot) {
      if (slot != lane) equal.push_back(Formula::eq(*coordinate(x, slot), *coordinate(y, slot)));
    }
    return Formula::all(std::move(equal));
  }
  return Formula::falsity();
}

}  // namespace assay::derive
