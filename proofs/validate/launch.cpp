// Launch coverage and the question whether a program needs the meaning of threads and barriers.
#include "proofs/validate/launch.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay {

bool needs_parallel_meaning(const Program& p) {
  bool found =
      std::any_of(p.buffers.begin(), p.buffers.end(), [](const Buffer& b) { return b.kind == BufferKind::shared; });
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::barrier || (s->kind == StmtKind::loop && s->axis == Axis::workgroup);
    return true;
  };
  visit(p.body, v);
  return found;
}

bool has_reduce_loop(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && s->axis == Axis::reduce;
    return !found;
  };
  visit(p.body, v);
  return found;
}

namespace derive {

Obligation launch_coverage(const View& view, Query& query) {
  std::vector<Case> cases;
  for (const Node& n : view.extraction.nodes) {
    const Access* store = n.store();
    if (!store || store->variable) continue;
    if (copies_of(view.program, *store) != Copies::device) continue;
    const Instance x = instantiate(view, n, "1");
    for (int slot = 0; slot < view.grid_slots; ++slot) {
      if (coordinate(x, slot)) continue;
      cases.push_back({domain(x) & decided_guards(x) & several_places(view, view.launch(n), slot),
                       x,
                       {},
                       store,
                       nullptr,
                       has_data_guard(x),
                       {}});
    }
  }
  return discharge({"launch-coverage", "every store to device memory runs once, under a loop of every grid slot",
                    "COV-1", "COV-1", "put the statement under the grid loop, or make its own loop @grid as well"},
                   view.parameters, view.program, cases, query);
}

}  // namespace derive
}  // namespace assay
