// Uniformity is asked of each barrier for itself: of two threads of a group one reaches an instance and the other does not.
// The other's execution is given, not searched for: its hardware symbols follow from its coordinates and its serial loops
// stand at the same iteration, so that the question has no quantifier. Given uniformity, an instance is reached by the
// thread of either access, and only the iterations of the serial loops around the barrier that the accesses leave open
// are quantified.
#include "proofs/validate/barriers.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::derive {
namespace {

bool by_data(const Guard& g, const Instance& z) {
  return !affine_condition(g.condition) && !decided_condition(z, g.condition, true);
}

// Symbols in whose value threads may differ in one instance of the barrier: @workgroup symbols, and those of serial loops
// that begin at a bound with such.
std::set<Symbol> of_threads(const Node& n) {
  std::set<Symbol> out;
  for (const Stmt& l : n.loops) {
    std::set<Symbol> in_bound;
    l->lo.collect_symbols(in_bound);
    const bool differs =
        std::any_of(in_bound.begin(), in_bound.end(), [&](const Symbol& s) { return out.count(s) != 0; });
    if (l->axis == Axis::workgroup || differs) out.insert(l->name);
  }
  return out;
}

// The condition reads only what nothing changes, at indices that all threads of the group have in common.
bool is_uniform(const View& view, const Node& n, const Expr& condition) {
  if (!is_immutable(view.program, condition)) return false;
  const std::set<Symbol> own = of_threads(n);
  bool common = true;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    if (e->op != Op::index) return true;
    std::set<Symbol> used;
    e->index.collect_symbols(used);
    common &= std::none_of(used.begin(), used.end(), [&](const Symbol& s) { return own.count(s) != 0; });
    return true;
  };
  visit(condition, v);
  return common;
}

// The guard holds because the other instance stands under a condition of the same text.
std::optional<Formula> same_condition(const Instance& z, const Guard& g, const Instance& x) {
  std::vector<Formula> ways;
  for (const Guard& h : x.node->guards) {
    if (h.positive != g.positive) continue;
    if (auto f = agreement(z, g.condition, x, h.condition)) ways.push_back(*std::move(f));
  }
  if (ways.empty()) return std::nullopt;
  return Formula::any(std::move(ways));
}

// The two nodes stand in one arm of the `if` of a guard, whose execution the two instances share.
std::optional<Formula> same_evaluation(const Instance& z, const Guard& g, const Instance& x) {
  const auto& theirs = x.node->guards;
  const bool shared = std::any_of(theirs.begin(), theirs.end(), [&](const Guard& h) { return same_outcome(h, g); });
  if (!shared || g.statement < 0) return std::nullopt;
  std::vector<Formula> equal;
  for (std::size_t k = 0; k < static_cast<std::size_t>(g.loops); ++k) {
    const Axis axis = z.node->loops[k]->axis;
    if (axis != Axis::workgroup) equal.push_back(Formula::eq(counter(z, k), counter(x, k)));
  }
  return Formula::all(std::move(equal));
}

// Barriers that keep all pairs of executions apart by their places; one made of both arms of an `if` none of whom it holds.
std::vector<const Node*> separators(const Phases& phases, const EitherArms& either, const Node& p, const Node& q,
                                    const Iterations& way) {
  auto out = phases.separators(p, q, way);
  out.erase(std::remove_if(out.begin(), out.end(),
                           [&](const Node* b) {
                             const EitherArm* e = either_arm_of(either, b);
                             return e != nullptr && (e->holds(p) || e->holds(q));
                           }),
            out.end());
  return out;
}

}  // namespace

Barriers::Barriers(const View& view, bool by_text) : view_(view), moments_(view) {
  for (const auto& [loop, slot] : view.slot) {
    if (loop->axis == Axis::reduce) collectives_.push_back(moments_.before(moments_.loop_number(loop->name)));
  }
  for (const Node& n : view.extraction.nodes) {
    if (n.stmt->kind != StmtKind::barrier) continue;
    barriers_.push_back(&n);
    const Instance z = instantiate(view, n, "z");
    const bool same_for_all = std::all_of(n.guards.begin(), n.guards.end(), [&](const Guard& g) {
      return !by_data(g, z) || is_uniform(view, n, g.condition);
    });
    if (std::any_of(n.guards.begin(), n.guards.end(), [&](const Guard& g) { return by_data(g, z); }))
      open_.push_back(&n);
    if (same_for_all)
      ordering_.push_back(&n);
    else
      unknown_.insert(&n);
  }
  std::set<int> on_data;  // the `if` statements with such a condition
  for (const Node* n : open_) {
    const Instance z = instantiate(view, *n, "z");
    for (const Guard& g : n->guards) {
      if (g.statement >= 0 && by_data(g, z)) on_data.insert(g.statement);
    }
  }
  either_ = either_arms(view, ordering_, on_data);
  for (const auto& e : either_) ordering_.push_back(&e->node);
  std::stable_sort(ordering_.begin(), ordering_.end(),
                   [](const Node* a, const Node* b) { return a->statement < b->statement; });
  if (by_text) phases_.emplace(view, ordering_, either_);
}

Instance Barriers::in_thread(const Node& n, const std::vector<Index>& coordinates, const std::string& suffix) const {
  Instance z{&view_, &n, {}, {}, {}};
  for (const Stmt& loop : n.loops) {
    const auto slot = view_.slot.find(&*loop);
    if (slot == view_.slot.end()) {
      z.fresh.push_back(loop->name + "'" + suffix);
      z.symbols.emplace(loop->name, Index::symbol(z.fresh.back()));
    } else {
      z.symbols.emplace(loop->name,
                        z.apply(loop->lo) + coordinates[static_cast<std::size_t>(slot->second)] * loop->step);
    }
  }
  return z;
}

// PLL-4
Obligation Barriers::uniformity(Query& query) const {
  std::vector<Case> cases;
  for (const Node* n : barriers_) {
    const Instance z = instantiate(view_, *n, "1");
    const Formula reached = domain(z) & decided_guards(z);
    if (unknown_.count(n) != 0) {
      cases.push_back({reached, z, {}, nullptr, nullptr, true, {}});
      continue;
    }
    // The same instance in another thread of the group.
    const Place thread = any_place(view_, view_.launch(*n), "2");
    Instance other{&view_, n, {}, {}, {}};
    for (std::size_t k = 0; k < n->loops.size(); ++k) {
      const StmtNode& loop = *n->loops[k];
      const auto slot = view_.slot.find(&loop);
      const bool own = slot != view_.slot.end() && slot->second >= view_.grid_slots;
      const Index at = own ? thread.at[static_cast<std::size_t>(slot->second)] : counter(z, k);
      other.symbols.emplace(loop.name, other.apply(loop.lo) + at * loop.step);
    }
    const Formula missed = !(domain(other) & decided_guards(other));
    cases.push_back({Formula::all({reached, Formula::all(thread.inside), missed}),
                     z,
                     other,
                     nullptr,
                     nullptr,
                     has_data_guard(z),
                     {},
                     {z, other}});
  }
  // Threads that differ only in the loop's slot are under the same loops around it: only data tell them apart.
  for (const Node* n : collectives_) {
    const Instance z = instantiate(view_, *n, "1");
    const bool same_for_all = std::all_of(n->guards.begin(), n->guards.end(), [&](const Guard& g) {
      return !by_data(g, z) || is_immutable(view_.program, g.condition);
    });
    if (!same_for_all) cases.push_back({domain(z) & decided_guards(z), z, {}, nullptr, nullptr, true, {}});
  }
  return discharge({"barrier-uniformity", "all threads of a group reach the same barriers", "BAR-1", "BAR-2",
                    "move the barrier out of the condition, or let every thread run the loop around it"},
                   view_.parameters, view_.program, cases, query);
}

bool Barriers::open(const Node& p, const Node& q, const Iterations& way, const Node* without) const {
  const auto found = separators(*phases_, either_, p, q, way);
  return std::all_of(found.begin(), found.end(), [&](const Node* b) { return is_gone(b, without); });
}

bool Barriers::is_gone(const Node* barrier, const Node* without) const {
  const EitherArm* e = either_arm_of(either_, barrier);
  return barrier == without || (e != nullptr && e->parts.count(without) != 0);
}

bool Barriers::ordered_by_text(const Node& p, const Node& q) const {
  if (!phases_ || ordering_.empty()) return false;
  const auto ways = Phases::ways(p, q);
  return std::none_of(ways.begin(), ways.end(), [&](const Iterations& w) { return open(p, q, w, nullptr); });
}

std::set<const Node*> Barriers::needed(const Node& p, const Node& q) const {
  std::set<const Node*> out;
  for (const Iterations& way : Phases::ways(p, q)) {
    auto found = separators(*phases_, either_, p, q, way);
    const auto made = [&](const Node* b) { return either_arm_of(either_, b) != nullptr; };
    if (found.size() > 1 && std::none_of(found.begin(), found.end(), made)) continue;
    if (found.empty()) found = phases_->between(p, q, way);
    for (const Node* b : found) {
      if (const EitherArm* e = either_arm_of(either_, b))
        out.insert(e->parts.begin(), e->parts.end());
      else
        out.insert(b);
    }
  }
  return out;
}

Formula Barriers::unordered(const Instance& x, bool x_writes, const Instance& y, bool y_writes,
                            const Node* without) const {
  const auto rest = [&](std::vector<const Node*> list) {
    const auto gone = [&](const Node* b) { return is_gone(b, without); };
    list.erase(std::remove_if(list.begin(), list.end(), gone), list.end());
    return list;
  };
  if (!phases_) {
    const auto all = rest(ordering_);
    return !(separate(all, x, x_writes, y, y_writes) | separate(all, y, y_writes, x, x_writes));
  }
  const Node& p = *x.node;
  const Node& q = *y.node;
  std::vector<Iterations> ways = Phases::ways(p, q);
  const std::size_t all = ways.size();
  ways.erase(std::remove_if(ways.begin(), ways.end(), [&](const auto& w) { return !open(p, q, w, without); }),
             ways.end());
  if (ways.size() == all && all > 1) {  // the text decides nothing: one formula is smaller than one for each way
    std::vector<const Node*> barriers;
    for (const Iterations& way : ways) {
      for (const Node* b : phases_->between(p, q, way)) {
        if (std::find(barriers.begin(), barriers.end(), b) == barriers.end()) barriers.push_back(b);
      }
    }
    barriers = rest(std::move(barriers));
    return !(separate(barriers, x, x_writes, y, y_writes) | separate(barriers, y, y_writes, x, x_writes));
  }
  const std::vector<SharedLoop> loops = shared_serial_loops(x, y, false);
  std::vector<Formula> out;
  for (const Iterations& way : ways) {
    std::vector<Formula> parts;
    for (const SharedLoop& l : loops) {
      const bool last = way.apart && l.loop == *way.apart;
      parts.push_back(!last         ? Formula::eq(l.of_x, l.of_y)
                      : way.p_first ? Formula::lt(l.of_x, l.of_y)
                                    : Formula::lt(l.of_y, l.of_x));
      if (last) break;
    }
    const auto barriers = rest(phases_->between(p, q, way));
    parts.push_back(way.p_first ? !separate(barriers, x, x_writes, y, y_writes)
                                : !separate(barriers, y, y_writes, x, x_writes));
    out.push_back(Formula::all(std::move(parts)));
  }
  return Formula::any(std::move(out));
}

// PLL-18
Formula Barriers::may_separate(const Instance& x, bool x_writes, const Instance& y, bool y_writes) const {
  if (open_.empty()) return Formula::falsity();
  return separate(open_, x, x_writes, y, y_writes, Data::taken_to_hold) |
         separate(open_, y, y_writes, x, x_writes, Data::taken_to_hold);
}

// PLL-5, PLL-6
Formula Barriers::separate(const std::vector<const Node*>& barriers, const Instance& x, bool x_writes,
                           const Instance& y, bool y_writes, Data conditions) const {
  std::vector<Formula> ways;
  std::vector<Index> coordinates;
  for (int slot = 0; slot < view_.slots; ++slot) coordinates.push_back(*coordinate(x, slot));
  for (const Node* n : barriers) {
    if (view_.launch(*n) != view_.launch(*x.node)) continue;
    if (const EitherArm* e = either_arm_of(either_, n); e != nullptr && (e->holds(*x.node) || e->holds(*y.node)))
      continue;
    const Instance z = in_thread(*n, coordinates, "z");
    std::vector<Formula> here{domain(z), decided_guards(z)};
    for (const Guard& g : n->guards) {
      if (conditions == Data::taken_to_hold || !by_data(g, z)) continue;
      std::vector<Formula> known;
      for (const Instance* i : {&x, &y}) {
        if (auto f = same_evaluation(z, g, *i)) known.push_back(*std::move(f));
        if (auto f = same_condition(z, g, *i)) known.push_back(*std::move(f));
      }
      if (auto f = immutable_condition(z, g, "z")) known.push_back(*std::move(f));
      here.push_back(Formula::any(std::move(known)));
    }
    const auto after = earlier_by_key(z, true, y, y_writes);
    for (const auto& before : earlier_by_key(x, x_writes, z, true)) {
      for (const auto& behind : after) {
        std::vector<Formula> parts = before;
        parts.insert(parts.end(), behind.begin(), behind.end());
        parts.insert(parts.end(), here.begin(), here.end());
        ways.push_back(exists_solved(z.fresh, Formula::all(std::move(parts))));
      }
    }
  }
  return Formula::any(std::move(ways));
}

}  // namespace assay::derive
