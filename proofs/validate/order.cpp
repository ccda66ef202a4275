// A key is the path of a node with the iterations of its serial loops; hardware loops give only their position. Two keys are
// compared step by step: some loop of the common prefix decides, or the first position where the paths part.
#include "proofs/validate/order.hpp"

#include <algorithm>

namespace assay::derive {

Meeting meet(const Node& a, const Node& b) {
  Meeting out;
  const auto& p = a.path;
  const auto& q = b.path;
  for (std::size_t k = 0; k < p.size() && k < q.size(); ++k) {
    if (p[k].loop && q[k].loop &&
        a.loops[static_cast<std::size_t>(p[k].value)] == b.loops[static_cast<std::size_t>(q[k].value)]) {
      ++out.loops;
      continue;
    }
    if (!p[k].loop && p[k] == q[k]) continue;
    out.parts = true;
    out.order = p[k].value < q[k].value ? -1 : p[k].value > q[k].value ? 1 : 0;
    break;
  }
  return out;
}

std::vector<SharedLoop> shared_serial_loops(const Instance& x, const Instance& y, bool one_thread) {
  std::vector<SharedLoop> out;
  bool in_lanes = false;
  std::set<Symbol> free;  // symbols that may differ though the keys so far are equal
  for (std::size_t i = 0, loops = meet(*x.node, *y.node).loops; i < loops; ++i) {
    const StmtNode& loop = *x.node->loops[i];
    if (loop.axis == Axis::vectorized) in_lanes = true;
    if (loop.axis == Axis::vectorized || is_hardware(loop.axis)) {
      if (!one_thread) free.insert(loop.name);
      continue;
    }
    // Inside lanes a serial loop runs in lockstep by iteration count, and threads meet by iteration count too.
    const bool bound_differs =
        std::any_of(free.begin(), free.end(), [&](const Symbol& s) { return loop.lo.mentions(s); });
    const bool by_count = in_lanes || bound_differs;
    if (bound_differs) free.insert(loop.name);
    out.push_back({i, by_count ? counter(x, i) : x.symbol(i), by_count ? counter(y, i) : y.symbol(i)});
  }
  return out;
}

namespace {

using Ways = std::vector<std::vector<Formula>>;

Ways earlier(const Instance& x, bool x_writes, const Instance& y, bool y_writes, bool one_thread,
             std::vector<Formula> equal_so_far) {
  Ways out;
  for (const SharedLoop& l : shared_serial_loops(x, y, one_thread)) {
    out.push_back(equal_so_far);
    out.back().push_back(Formula::lt(l.of_x, l.of_y));
    equal_so_far.push_back(Formula::eq(l.of_x, l.of_y));
  }
  const Meeting at = meet(*x.node, *y.node);
  if (at.parts) {
    if (at.order < 0) out.push_back(std::move(equal_so_far));
    return out;
  }
  // A leaf and the moment just after it, whose path goes on from the leaf's; or one execution.
  const std::size_t p = x.node->path.size(), q = y.node->path.size();
  const bool one_execution = p == q && !x_writes && y_writes;
  if (one_execution && !one_thread) equal_so_far.push_back(same_thread(x, y));
  if (p < q || one_execution) out.push_back(std::move(equal_so_far));
  return out;
}

}  // namespace

Ways earlier_by_key(const Instance& x, bool x_writes, const Instance& y, bool y_writes) {
  return earlier(x, x_writes, y, y_writes, false, {});
}

Formula ordered_before(const Instance& x, bool x_writes, const Instance& y, bool y_writes, Copies of) {
  if (!same_launch(x, y))
    return x.view->launch(*x.node) < y.view->launch(*y.node) ? Formula::truth() : Formula::falsity();
  const bool one_thread = of == Copies::thread || x.view->slots == x.view->grid_slots;
  std::vector<Formula> ways;
  for (auto& way : earlier(x, x_writes, y, y_writes, one_thread, {same_copy(x, y, of)}))
    ways.push_back(Formula::all(std::move(way)));
  return Formula::any(std::move(ways));
}

}  // namespace assay::derive
