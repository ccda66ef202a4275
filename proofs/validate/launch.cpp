// Launch coverage and the question whether a program needs the meaning of threads and barriers.
#include "proofs/validate/launch.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay {

bool needs_parallel_meaning(const Program& p) {
  bool found = std::any_of(p.buffers.begin(), p.buffers.end(), [](const Buffer& b) { return b.kind == BufferKind::shared; });
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::barrier || s->kind == StmtKind::launch ||
             (s->kind == StmtKind::loop && (s->axis == Axis::workgroup || s->axis == Axis::reduce));
    return true;
  };
  visit(p.body, v);
  return found;
}

namespace derive {

Obligation launch_coverage(const View& view, Query& query) {
  // The grid loops of each slot with the loops and guards around them, as found on the paths of the nodes below.
  struct Header {
    const StmtNode* loop;
    const Node* below;
    std::size_t depth;
  };
  std::vector<Header> headers;
  std::set<const StmtNode*> seen;
  for (const Node& n : view.extraction.nodes) {
    for (std::size_t i = 0; i < n.loops.size(); ++i) {
      if (n.loops[i]->axis == Axis::grid && seen.insert(&*n.loops[i]).second) headers.push_back({&*n.loops[i], &n, i});
    }
  }
  std::vector<Case> cases;
  for (const Node& n : view.extraction.nodes) {
    const Access* store = n.store();
    if (!store || store->variable) continue;
    const Buffer* buffer = view.program.find_buffer(store->storage);
    if (!buffer || is_private(buffer->kind)) continue;
    for (int slot = 0; slot < view.grid_slots; ++slot) {
      const bool covered = std::any_of(n.loops.begin(), n.loops.end(), [&](const Stmt& l) {
        return l->axis == Axis::grid && view.grid_slot.at(&*l) == slot;
      });
      if (covered) continue;
      const Instance x = instantiate(view, n, "1");
      for (const auto& [loop, below, depth] : headers) {
        if (view.grid_slot.at(loop) != slot) continue;
        // The slot has two groups or more when this loop has: its second iteration exists.
        const Instance h = instantiate(view, *below, "2");
        std::vector<Formula> around;
        for (std::size_t i = 0; i < depth; ++i) around.push_back(h.apply(loop_domain(h.node->loops[i])));
        around.push_back(Formula::lt(h.apply(loop->lo) + loop->step, h.apply(loop->hi)));
        cases.push_back({domain(x) & Formula::all(std::move(around)), x, {}, store, nullptr, has_data_guard(n), {}});
      }
    }
  }
  return discharge({"launch-coverage", "every store to device memory runs once, under a loop of every grid slot", "COV-1", "COV-1",
                    "put the statement under the grid loop, or make its own loop @grid as well"},
                   view.parameters, view.program, cases, query);
}

}  // namespace derive
}  // namespace assay
