// Launch coverage.
#include "proofs/validate/launch.hpp"

namespace assay::derive {

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

}  // namespace assay::derive
