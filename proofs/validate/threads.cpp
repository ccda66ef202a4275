// Coordinates are iteration counts, not symbols: loops of one slot may begin at different bounds.
#include "proofs/validate/threads.hpp"

#include "ir/traverse.hpp"

namespace assay::derive {
namespace {

std::optional<std::size_t> loop_of_slot(const Instance& x, int slot) {
  for (std::size_t i = 0; i < x.node->loops.size(); ++i) {
    const auto of = x.view->slot.find(&*x.node->loops[i]);
    if (of != x.view->slot.end() && of->second == slot) return i;
  }
  return std::nullopt;
}

// Every hardware loop of a launch as the last of the loops around and including it. Also those that hold nothing: they count
// for the extent.
std::vector<Node> hardware_loops(const View& view, int launch) {
  std::vector<Node> out;
  std::vector<Stmt> around;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind != StmtKind::loop) return true;
    around.push_back(s);
    if (view.slot.count(&*s) == 0 && view.widens.count(&*s) == 0) return true;
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

// `at` is below the trip count of some loop of the slot.
Formula below_extent(const View& view, int launch, int slot, const Index& at) {
  std::vector<Formula> ways;
  for (const Node& n : hardware_loops(view, launch)) {
    const StmtNode& loop = *n.loops.back();
    const auto of = view.slot.find(&loop);
    if ((of != view.slot.end() ? of->second : view.widens.at(&loop)) != slot) continue;
    const Instance h = instantiate(view, n, "g" + std::to_string(slot));
    std::vector<Formula> around;
    for (std::size_t k = 0; k + 1 < n.loops.size(); ++k) around.push_back(h.apply(loop_domain(n.loops[k])));
    around.push_back(Formula::lt(h.apply(loop.lo) + at * loop.step, h.apply(loop.hi)));
    const std::vector<Symbol> outer(h.fresh.begin(), h.fresh.end() - 1);
    ways.push_back(Formula::exists(outer, Formula::all(std::move(around))));
  }
  return Formula::any(std::move(ways));
}

Index place_symbol(int slot, const std::string& suffix) {
  return Index::symbol("place" + std::to_string(slot) + "'" + suffix);
}
// A slot has at least one place.
Formula in_extent(const View& view, int launch, int slot, const Index& at) {
  return Formula::zero(at) | (Formula::lt(Index(0), at) & below_extent(view, launch, slot, at));
}

Formula same_places(const Instance& x, const Instance& y, int slots) {
  if (!same_launch(x, y)) return Formula::falsity();
  std::vector<Formula> parts;
  for (int slot = 0; slot < slots; ++slot) {
    const auto a = coordinate(x, slot), b = coordinate(y, slot);
    if (a && b) parts.push_back(Formula::eq(*a, *b));
  }
  return Formula::all(std::move(parts));
}

}  // namespace

Copies copies_of(const Program& p, const Symbol& storage, bool variable) {
  if (variable) return Copies::thread;
  const Buffer* b = p.find_buffer(storage);
  if (b && b->kind == BufferKind::shared) return Copies::group;
  return b && is_private(b->kind) ? Copies::thread : Copies::device;
}
Copies copies_of(const Program& p, const Access& a) { return copies_of(p, a.storage, a.variable); }

std::optional<Index> coordinate(const Instance& x, int slot) {
  const auto given = x.places.find(slot);
  if (given != x.places.end()) return given->second;
  if (const auto i = loop_of_slot(x, slot)) return counter(x, *i);
  return std::nullopt;
}

void lead(Instance& x, const Access& a) {
  const Access* store = x.node->store();
  if (!store || store->storage != a.storage) return;
  for (const Stmt& loop : x.node->loops) {
    const auto slot = x.view->slot.find(&*loop);
    if (loop->axis == Axis::reduce && slot != x.view->slot.end()) x.places.emplace(slot->second, Index(0));
  }
}

Place any_place(const View& view, int launch, const std::string& suffix) {
  Place out;
  for (int slot = 0; slot < view.slots; ++slot) {
    const Index at = place_symbol(slot, suffix);
    out.at.push_back(at);
    out.inside.push_back(in_extent(view, launch, slot, at));
  }
  return out;
}

Formula place(Instance& x, const std::string& suffix) {
  std::vector<Formula> inside;
  const int launch = x.view->launch(*x.node);
  for (int slot = 0; slot < x.view->slots; ++slot) {
    if (coordinate(x, slot)) continue;
    const Index at = place_symbol(slot, suffix);
    x.places.emplace(slot, at);
    x.fresh.push_back(*at.as_symbol());
    inside.push_back(in_extent(*x.view, launch, slot, at));  // grows with the launch, so only where it is asked for
  }
  return Formula::all(std::move(inside));
}

Formula same_group(const Instance& x, const Instance& y) { return same_places(x, y, x.view->grid_slots); }
Formula same_thread(const Instance& x, const Instance& y) { return same_places(x, y, x.view->slots); }
Formula same_copy(const Instance& x, const Instance& y, Copies of) {
  return of == Copies::thread ? same_thread(x, y) : same_group(x, y);
}

Formula several_places(const View& view, int launch, int slot) { return below_extent(view, launch, slot, Index(1)); }

Formula different_groups(const Instance& x, const Instance& y) {
  if (!same_launch(x, y)) return Formula::falsity();  // one after the other, whatever the groups
  std::vector<Formula> ways;
  for (int slot = 0; slot < x.view->grid_slots; ++slot) {
    const auto a = coordinate(x, slot), b = coordinate(y, slot);
    if (a && b) {
      ways.push_back(Formula::ne(*a, *b));
    } else if (a || b) {  // neither: launch-coverage is about that
      ways.push_back(several_places(*x.view, x.view->launch(*x.node), slot));
    }
  }
  return Formula::any(std::move(ways));
}

Formula different_threads(const Instance& x, const Instance& y) {
  std::vector<Formula> ways;
  for (int slot = x.view->grid_slots; slot < x.view->slots; ++slot)
    ways.push_back(Formula::ne(*coordinate(x, slot), *coordinate(y, slot)));
  return Formula::any(std::move(ways));
}

Formula out_of_reach(const Instance& writer, const Instance& reader, Copies of) {
  if (!same_launch(writer, reader)) return Formula::truth();  // copies do not outlive a launch
  std::vector<Formula> ways;
  const int slots = of == Copies::thread ? writer.view->slots : writer.view->grid_slots;
  for (int slot = 0; slot < slots; ++slot) {
    const auto a = coordinate(writer, slot), b = coordinate(reader, slot);
    if (!a) continue;  // written everywhere
    ways.push_back(b ? Formula::ne(*a, *b) : several_places(*writer.view, writer.view->launch(*writer.node), slot));
  }
  return Formula::any(std::move(ways));
}

}  // namespace assay::derive
