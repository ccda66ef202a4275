// Every execution of a node reaches the instances, at its own iterations, of the barriers that serve the node. Such an instance
// lies behind it or before it as the text says, so that comparing places in the text is enough. The two nearest barriers on
// either side are noted once for every node; a pair then costs a few comparisons of paths.
#include "proofs/validate/phases.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

// Its iterations are part of keys (PLL-2).
bool repeats(Axis axis) { return !is_hardware(axis) && axis != Axis::vectorized; }

// PLL-13
bool serves(const Node& barrier, const Node& n) {
  if (meet(barrier, n).loops != barrier.loops.size()) return false;
  const auto threads_or_serial = [](const Stmt& l) {
    return l->axis == Axis::serial || l->axis == Axis::unrolled || is_hardware(l->axis);
  };
  return std::all_of(barrier.loops.begin(), barrier.loops.end(), threads_or_serial) &&
         std::all_of(barrier.guards.begin(), barrier.guards.end(), [&](const Guard& g) {
           return g.statement >= 0 &&
                  std::any_of(n.guards.begin(), n.guards.end(), [&](const Guard& h) { return same_outcome(g, h); });
         });
}

}  // namespace

Phases::Phases(const View& view, std::vector<const Node*> barriers, const EitherArms& either)
    : barriers_(std::move(barriers)) {
  for (const Node& n : view.extraction.nodes) {
    if (!n.accesses.empty()) near_.emplace(&n, neighbours(n, either));
  }
}

Phases::Neighbours Phases::neighbours(const Node& n, const EitherArms& either) const {
  Neighbours out;
  const auto note = [&](std::array<const Node*, 2>& list, const Node* b, int order) {
    const EitherArm* e = either_arm_of(either, b);
    if (meet(n, *b).order == order && serves(*b, n) && (e == nullptr || !e->holds(n)))
      *std::find(list.begin(), list.end(), nullptr) = b;
    return list[1] != nullptr;
  };
  // Numbers of statements grow with the text, as far as barriers are concerned: none stands in an expression.
  const auto next =
      std::find_if(barriers_.begin(), barriers_.end(), [&](const Node* b) { return b->statement > n.statement; });
  for (auto b = next; b != barriers_.end() && !note(out.behind, *b, -1); ++b) {}
  for (auto b = std::make_reverse_iterator(next); b != barriers_.rend() && !note(out.before, *b, 1); ++b) {}
  return out;
}

std::vector<Iterations> Phases::ways(const Node& p, const Node& q) {
  const Meeting at = meet(p, q);
  std::vector<Iterations> out{{std::nullopt, at.order <= 0}};
  for (std::size_t l = 0; l < at.loops; ++l) {
    if (!repeats(p.loops[l]->axis)) continue;
    out.push_back({l, true});
    out.push_back({l, false});
  }
  return out;
}

// PLL-14, PLL-15
std::vector<const Node*> Phases::separators(const Node& p, const Node& q, const Iterations& way) const {
  std::vector<const Node*> out;
  const Node& first = way.p_first ? p : q;
  const Node& second = way.p_first ? q : p;
  if (!way.apart && meet(first, second).order >= 0) return out;  // the same place
  const auto add = [&](const std::array<const Node*, 2>& list, const auto& lies) {
    for (const Node* b : list) {
      if (b && out.size() < 2 && lies(*b) && std::find(out.begin(), out.end(), b) == out.end()) out.push_back(b);
    }
  };
  const auto inside = [&](const Node& b) { return b.loops.size() > *way.apart; };  // it serves one of them
  add(near_.at(&first).behind, [&](const Node& b) { return way.apart ? inside(b) : meet(b, second).order < 0; });
  add(near_.at(&second).before, [&](const Node& b) { return way.apart ? inside(b) : meet(first, b).order < 0; });
  return out;
}

// PLL-16
std::vector<const Node*> Phases::between(const Node& p, const Node& q, const Iterations& way) const {
  const Node& first = way.p_first ? p : q;
  const Node& second = way.p_first ? q : p;
  const Meeting both = meet(first, second);
  std::vector<const Node*> out;
  if (!way.apart && both.order >= 0) return out;
  for (const Node* b : barriers_) {
    const Meeting from = meet(first, *b), to = meet(*b, second);
    const bool may = way.apart ? from.loops > *way.apart
                               : from.loops > both.loops || to.loops > both.loops || (from.order < 0 && to.order < 0);
    if (may) out.push_back(b);
  }
  return out;
}

}  // namespace assay::derive
