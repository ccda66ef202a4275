// A key is the path of a node with the iterations of its serial loops; hardware loops give only their position. Two keys are
// compared step by step: some loop of the common prefix decides, or the first position where the paths part.
#include "proofs/validate/order.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

using Ways = std::vector<std::vector<Formula>>;

// `one_thread`: the symbols of hardware loops are equal, so that equal prefixes have equal bounds.
Ways earlier(const Instance& x, bool x_writes, const Instance& y, bool y_writes, bool one_thread,
             std::vector<Formula> equal_so_far) {
  Ways out;
  bool in_lanes = false;
  std::set<Symbol> free;  // symbols that may differ though the keys so far are equal
  const auto& p = x.node->path;
  const auto& q = y.node->path;
  for (std::size_t k = 0; k < p.size() && k < q.size(); ++k) {
    if (p[k].loop && q[k].loop && x.node->loops[p[k].value] == y.node->loops[q[k].value]) {
      const auto i = static_cast<std::size_t>(p[k].value);
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
      const Index a = by_count ? counter(x, i) : x.symbol(i);
      const Index b = by_count ? counter(y, i) : y.symbol(i);
      out.push_back(equal_so_far);
      out.back().push_back(Formula::lt(a, b));
      equal_so_far.push_back(Formula::eq(a, b));
      continue;
    }
    if (!p[k].loop && p[k] == q[k]) continue;
    if (p[k].value < q[k].value) out.push_back(std::move(equal_so_far));
    return out;
  }
  // A leaf and the moment just after it, whose path goes on from the leaf's; or one execution.
  const bool one_execution = p.size() == q.size() && !x_writes && y_writes;
  if (one_execution && !one_thread) equal_so_far.push_back(same_thread(x, y));
  if (p.size() < q.size() || one_execution) out.push_back(std::move(equal_so_far));
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
