// Groups whose threads wait for one another (EXEC-17 … EXEC-19): each thread has a stack of the blocks it is inside of, down
// to those where it may wait; everything deeper runs in one go.
#include <fmt/format.h>

#include <algorithm>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {

void Machine::run_together(const LaunchCode& launch) {
  for (auto& t : threads_) {
    start(*t);
    t->stack.push_back({&launch.body});
  }
  while (true) {
    bool ended = true;
    for (auto& t : threads_) {
      if (t->wait.at == nullptr && !t->stack.empty()) {
        use(*t);
        begin_thread();
        run_thread(*t);
      }
      ended &= t->stack.empty();
    }
    if (ended) return;
    if (!release_teams()) diverged();
    begin_interval();
  }
}

void Machine::run_thread(Thread& t) {
  while (!t.stack.empty() && t.wait.at == nullptr) {
    Position& top = t.stack.back();
    if (top.next == top.block->size()) {
      finish_block(t);
      continue;
    }
    const Node& n = (*top.block)[top.next++];
    if (n.rendezvous) {
      step(t, n, top.control);
    } else {
      node(n, t.frame, Active::one(0), top.control);
    }
  }
}

// A statement that the thread may wait in.
void Machine::step(Thread& t, const Node& n, std::uint8_t control) {
  spend(1);
  statement_ = n.source;
  control_ = control;
  frame_ = &t.frame;
  lane_ = 0;
  static const NodeBlock nothing;
  Position inside;
  inside.control = control;
  if (n.kind == StmtKind::barrier) return wait(t, n, false);
  if (n.kind == StmtKind::branch) {
    if (marks_) t.seen = 0;
    run(n.value, t.frame, Active::one(0));
    const bool taken = *t.frame.column(n.value.result) != 0;
    if (marks_ && (t.seen & marked) != 0) {
      inside.control |= marked;
      mark_targets(taken ? n.source->other : n.source->body, taken ? n.other : n.body, n, t.frame, 0, true);
    }
    inside.block = taken ? &n.body : &n.other;
    if (!inside.block->empty()) t.stack.push_back(inside);
    return;
  }
  inside.block = &n.body;
  inside.owner = &n;
  switch (n.source->axis) {
    case Axis::grid:
    case Axis::workgroup:
      if (passes(n, t.frame)) t.stack.push_back(inside);
      break;
    case Axis::tile: {  // the first lane runs the nest, all of them wait behind it (EXEC-76)
      if (!passes(n, t.frame)) break;
      const bool first = t.coordinates[static_cast<std::size_t>(n.source->hardware_slot)] == 0;
      if (first && !(n.source->source->hi == Index(1))) begin_thread();  // EXEC-77
      if (!first) inside.block = &nothing;
      t.stack.push_back(inside);
      break;
    }
    case Axis::reduce:
      if (!passes(n, t.frame)) inside.block = &nothing;
      t.stack.push_back(inside);
      wait(t, n, false);
      break;
    default:
      inside.trips = trip_count(n, t.frame, 0, inside.lower);
      if (inside.trips == 0) break;
      set_symbol(t.frame, n.symbol, inside.lower);
      t.stack.push_back(inside);
      break;
  }
}

void Machine::finish_block(Thread& t) {
  Position& top = t.stack.back();
  if (top.owner != nullptr) {
    const BoundStmt& s = *top.owner->source;
    statement_ = &s;
    frame_ = &t.frame;
    lane_ = 0;
    if ((s.axis == Axis::reduce || s.axis == Axis::tile) && !top.left) {
      top.left = true;
      return wait(t, *top.owner, true);
    }
    if (top.iteration + 1 < top.trips) {
      ++top.iteration;
      top.next = 0;
      spend(1);
      set_symbol(t.frame, top.owner->symbol, at_iteration(top.lower, top.iteration, s.step));
      return;
    }
  }
  t.stack.pop_back();
}

void Machine::wait(Thread& t, const Node& n, bool leaving) {
  t.wait.at = &n;
  t.wait.leaving = leaving;
  t.wait.iterations.clear();
  for (const Position& p : t.stack) {
    if (p.owner == nullptr) continue;
    const Axis axis = p.owner->source->axis;
    if (axis == Axis::serial || axis == Axis::unrolled) t.wait.iterations.push_back(p.iteration);
  }
}

// Lets go the threads whose team waits at one instance: at a barrier or a tile loop the group, at a reduce loop those that differ only in
// its slot. Whether there was any.
bool Machine::release_teams() {
  const auto team_of = [&](std::size_t i, std::size_t& first, std::size_t& stride, std::size_t& size) {
    const BoundStmt& s = *threads_[i]->wait.at->source;
    first = 0;
    stride = 1;
    size = threads_.size();
    if (s.kind != StmtKind::loop || s.axis == Axis::tile) return;
    const auto slot = static_cast<std::size_t>(s.hardware_slot);
    for (std::size_t k = 0; k < slot; ++k) stride *= static_cast<std::size_t>(group_extent_[k]);
    size = static_cast<std::size_t>(group_extent_[slot]);
    first = i - static_cast<std::size_t>(threads_[i]->coordinates[slot]) * stride;
  };
  std::vector<std::size_t> released;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i]->wait.at == nullptr) continue;
    std::size_t first = 0, stride = 1, size = 1;
    team_of(i, first, stride, size);
    if (first != i) continue;  // a team is looked at from its first thread
    bool complete = true;
    for (std::size_t k = 0; k < size && complete; ++k)
      complete = threads_[first + k * stride]->wait == threads_[first]->wait;
    if (!complete) continue;
    for (std::size_t k = 0; k < size; ++k) released.push_back(first + k * stride);
  }
  for (std::size_t i : released) threads_[i]->wait.at = nullptr;
  return !released.empty();
}

void Machine::diverged() {
  const auto waiting =
      std::find_if(threads_.begin(), threads_.end(), [](const auto& t) { return t->wait.at != nullptr; });
  const Wait& w = (*waiting)->wait;
  const auto other = std::find_if(threads_.begin(), threads_.end(), [&](const auto& t) { return !(t->wait == w); });
  use(**waiting);
  statement_ = w.at->source;
  frame_ = &thread_->frame;
  lane_ = 0;
  const char* what = w.at->kind == StmtKind::barrier    ? "barrier"
                     : w.at->source->axis == Axis::tile ? "tile product"
                                                        : "reduce loop";
  const Wait& v = (*other)->wait;
  std::string where = "has ended";
  if (v.at == w.at) where = "waits at another iteration of it";
  if (v.at != nullptr && v.at != w.at) where = fmt::format("waits at line {}", v.at->source->source->where.line);
  fault("RUN-8", fmt::format("thread {} waits at a {}, thread {} {}", coordinates((*waiting)->coordinates), what,
                             coordinates((*other)->coordinates), where));
}

}  // namespace assay::interp::compiled
