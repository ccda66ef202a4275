// Lazy case splitting: the conjunction first, and a disjunction only when the point found breaks it.
#include "proofs/native/search.hpp"

#include <algorithm>

namespace assay::native {

namespace {
constexpr int most_leaves = 100'000;
}

void Search::assume(Store& store, NodeId n, std::vector<NodeId>& pending) const {
  const TreeNode& here = tree_.node(n);
  switch (here.kind) {
    case TreeNode::Kind::truth: return;
    case TreeNode::Kind::falsity: store.assume({{{}, -1}, false}); return;
    case TreeNode::Kind::row: store.assume(here.row); return;
    case TreeNode::Kind::any: pending.push_back(n); return;
    case TreeNode::Kind::all: break;
  }
  // Equalities first: they shorten everything else.
  for (const bool equalities : {true, false}) {
    for (const NodeId p : here.parts) {
      const TreeNode& part = tree_.node(p);
      if ((part.kind == TreeNode::Kind::row && part.row.equality) == equalities && !store.closed())
        assume(store, p, pending);
    }
  }
}

// Propagates bounds and disjunctions with one open alternative until nothing changes. False when the branch is closed.
bool Search::simplify(Store& store, std::vector<NodeId>& pending) const {
  for (bool changed = true; changed;) {
    changed = false;
    store.propagate();
    if (store.closed()) return false;
    for (std::size_t i = 0; i < pending.size();) {
      NodeId only = Tree::falsity;
      int open = 0;
      bool holds = false;
      for (const NodeId p : tree_.node(pending[i]).parts) {
        const Truth t = store.status(tree_, p);
        if (t == Truth::yes) holds = true;
        if (t != Truth::open) continue;
        if (++open == 1 || store.context().planted(Fault::last_alternative_assumed)) only = p;
      }
      if (!holds && open == 0) return false;
      if (!holds && open > (store.context().planted(Fault::last_alternative_assumed) ? 2 : 1)) {
        ++i;
        continue;
      }
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
      if (holds) continue;
      assume(store, only, pending);
      if (store.closed()) return false;
      changed = true;
    }
  }
  return true;
}

bool Search::holds(NodeId n, const Model& at) const {
  const TreeNode& here = tree_.node(n);
  const auto part = [&](NodeId p) { return holds(p, at); };
  switch (here.kind) {
    case TreeNode::Kind::truth: return true;
    case TreeNode::Kind::falsity: return false;
    case TreeNode::Kind::all: return std::all_of(here.parts.begin(), here.parts.end(), part);
    case TreeNode::Kind::any: return std::any_of(here.parts.begin(), here.parts.end(), part);
    case TreeNode::Kind::row: break;
  }
  std::int64_t sum = here.row.e.constant;
  for (const Term& t : here.row.e.terms)
    sum = checked_add(sum, checked_mul(t.coefficient, at[static_cast<std::size_t>(t.var)]));
  return here.row.equality ? sum == 0 : sum >= 0;
}

std::optional<Model> Search::solve(Store store, const std::vector<NodeId>& pending) {
  if (++leaves_ > most_leaves) throw Exhausted{"too many cases"};
  std::vector<NodeId> fresh;
  for (const NodeId n : pending) assume(store, n, fresh);
  if (store.closed() || !simplify(store, fresh)) return std::nullopt;
  const Point point = integer_point(store);
  if (point.kind == Point::Kind::none) return std::nullopt;

  std::optional<std::size_t> broken;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (point.kind == Point::Kind::found && holds(fresh[i], point.at)) continue;
    if (!broken || tree_.node(fresh[i]).parts.size() < tree_.node(fresh[*broken]).parts.size()) broken = i;
  }
  if (!broken) {
    if (point.kind == Point::Kind::found) return point.at;
    throw Exhausted{"a shadow has a point that does not lift"};  // cannot happen: nothing was eliminated before
  }
  const std::vector<NodeId> parts = tree_.node(fresh[*broken]).parts;
  fresh.erase(fresh.begin() + static_cast<std::ptrdiff_t>(*broken));
  std::size_t count = parts.size();
  if (store.context().planted(Fault::disjunct_dropped) && count > 1) --count;
  for (std::size_t k = 0; k < count; ++k) {
    if (store.status(tree_, parts[k]) == Truth::no) continue;
    store.context().spend(store.rows().size() + fresh.size() + 1);
    std::vector<NodeId> branch = fresh;
    branch.push_back(parts[k]);
    if (auto model = solve(store, branch)) return model;
  }
  return std::nullopt;
}

}  // namespace assay::native
