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
    found |= s->kind == StmtKind::barrier ||
             (s->kind == StmtKind::loop && (s->axis == Axis::workgroup || s->axis == Axis::reduce));
    return true;
  };
  visit(p.body, v);
  return found;
}

namespace derive {
namespace {

// Every @grid loop of a launch as the last of the loops around and including it. Also those that hold nothing: they count
// for the extent.
std::vector<Node> grid_loops(const View& view, int launch) {
  std::vector<Node> out;
  std::vector<Stmt> around;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind != StmtKind::loop) return true;
    around.push_back(s);
    if (s->axis != Axis::grid) return true;
    out.emplace_back();
    out.back().loops = around;
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
  };
  for (std::size_t k = 0; k < view.program.body.size(); ++k) {
    if (view.launch_of[k] == launch) visit(view.program.body[k], v);
  }
  return out;
}

// The slot has two groups or more in the launch: some loop of it has a second iteration. (The extent is the maximum over its loops.)
Formula several_groups(const View& view, int launch, int slot) {
  std::vector<Formula> ways;
  for (const Node& n : grid_loops(view, launch)) {
    const StmtNode& loop = *n.loops.back();
    if (view.grid_slot.at(&loop) != slot) continue;
    const Instance h = instantiate(view, n, "g" + std::to_string(slot));
    std::vector<Formula> around;
    for (std::size_t k = 0; k + 1 < n.loops.size(); ++k) around.push_back(h.apply(loop_domain(n.loops[k])));
    around.push_back(Formula::lt(h.apply(loop.lo) + loop.step, h.apply(loop.hi)));
    const std::vector<Symbol> outer(h.fresh.begin(), h.fresh.end() - 1);
    ways.push_back(Formula::exists(outer, Formula::all(std::move(around))));
  }
  return Formula::any(std::move(ways));
}

std::optional<std::size_t> loop_of_slot(const Instance& x, int slot) {
  for (std::size_t i = 0; i < x.node->loops.size(); ++i) {
    const StmtNode* loop = &*x.node->loops[i];
    if (loop->axis == Axis::grid && x.view->grid_slot.at(loop) == slot) return i;
  }
  return std::nullopt;
}

}  // namespace

Formula different_groups(const Instance& x, const Instance& y) {
  if (!same_launch(x, y)) return Formula::falsity();  // one after the other, whatever the groups
  std::vector<Formula> ways;
  for (int slot = 0; slot < x.view->grid_slots; ++slot) {
    const auto i = loop_of_slot(x, slot);
    const auto j = loop_of_slot(y, slot);
    if (i && j) {
      ways.push_back(Formula::ne(counter(x, *i), counter(y, *j)));
    } else if (i || j) {  // neither: launch-coverage is about that
      ways.push_back(several_groups(*x.view, x.view->launch(*x.node), slot));
    }
  }
  return Formula::any(std::move(ways));
}

Formula out_of_reach(const Instance& writer, const Instance& reader) {
  if (!same_launch(writer, reader)) return Formula::truth();  // copies do not outlive a launch
  std::vector<Formula> ways;
  for (int slot = 0; slot < writer.view->grid_slots; ++slot) {
    const auto i = loop_of_slot(writer, slot);
    const auto j = loop_of_slot(reader, slot);
    if (!i) continue;  // written in every group
    ways.push_back(j ? Formula::ne(counter(writer, *i), counter(reader, *j)) : several_groups(*writer.view, writer.view->launch(*writer.node), slot));
  }
  return Formula::any(std::move(ways));
}

Obligation launch_coverage(const View& view, Query& query) {
  std::vector<Case> cases;
  for (const Node& n : view.extraction.nodes) {
    const Access* store = n.store();
    if (!store || store->variable) continue;
    const Buffer* buffer = view.program.find_buffer(store->storage);
    if (!buffer || is_private(buffer->kind)) continue;
    const Instance x = instantiate(view, n, "1");
    for (int slot = 0; slot < view.grid_slots; ++slot) {
      if (loop_of_slot(x, slot)) continue;
      cases.push_back({domain(x) & decided_guards(x) & several_groups(view, view.launch(n), slot),
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
