// An `if` whose arms both hold a barrier that is under no further loop and no further condition: all threads of a group take one
// arm, by the uniformity of its barriers, and meet at the barrier there. Which place inside the `if` that is cannot be told, so that
// it separates only executions that both stand outside.
#include "proofs/validate/either_arm.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

bool stands_at(const Node& n, const std::vector<PathStep>& place) {
  return n.path.size() > place.size() && std::equal(place.begin(), place.end(), n.path.begin());
}

}  // namespace

bool EitherArm::holds(const Node& n) const { return stands_at(n, place); }

EitherArms either_arms(const View& view, const std::vector<const Node*>& barriers, const std::set<int>& branches) {
  EitherArms out;
  const auto& nodes = view.extraction.nodes;
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
    if (n->stmt->kind != StmtKind::branch || branches.count(n->statement) == 0) continue;
    const std::vector<PathStep> place(n->path.begin(), n->path.end() - 1);
    // Under the conditions around the `if` and those of the arm alone.
    const auto in_arm = [&](const Node& b, int arm) {
      const auto own =
          std::count_if(b.guards.begin(), b.guards.end(), [&](const Guard& g) { return g.statement == n->statement; });
      return stands_at(b, place) && b.path[place.size()].value == arm && b.loops.size() == n->loops.size() &&
             b.guards.size() == n->guards.size() + static_cast<std::size_t>(own);
    };
    const auto first_in = [&](int arm) -> std::pair<const Node*, std::set<const Node*>> {
      for (const Node* b : barriers) {
        if (in_arm(*b, arm)) return {b, {b}};
      }
      for (const auto& e : out) {
        if (in_arm(e->node, arm)) return {&e->node, e->parts};
      }
      return {};
    };
    auto [then, parts] = first_in(0);
    const auto other = first_in(1);
    if (then == nullptr || other.first == nullptr) continue;
    EitherArm e{*then, place, std::move(parts)};
    e.node.statement = n->statement;
    e.node.guards = n->guards;
    e.parts.insert(other.second.begin(), other.second.end());
    out.push_back(std::make_shared<const EitherArm>(std::move(e)));
  }
  return out;
}

const EitherArm* either_arm_of(const EitherArms& all, const Node* barrier) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& e) { return &e->node == barrier; });
  return found == all.end() ? nullptr : &**found;
}

}  // namespace assay::derive
