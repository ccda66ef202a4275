// Loops: entering them and going round, for one lane or several; the lanes of vectorized loops.
#include <fmt/format.h>

#include <algorithm>

#include "interp/machine.hpp"

namespace assay::interp {

std::uint64_t Machine::trip_count(const BoundStmt& s, Lane lane, std::int64_t& lower) {
  lane_ = lane;
  lower = index_or_fault(s.lo, lane, s.source->where);
  const std::int64_t upper = index_or_fault(s.hi, lane, s.source->where);
  if (lower >= upper) return 0;
  return (static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower) - 1) /
             static_cast<std::uint64_t>(s.step) +
         1;
}

void Machine::enter_loop(const BoundStmt& s, LaneSet lanes, std::uint8_t control) {
  switch (s.axis) {
    case Axis::serial:
    case Axis::unrolled: enter_serial(s, lanes, control); break;
    case Axis::vectorized: enter_vectorized(s, lanes, control); break;
    default: enter_hardware(s, lanes, control); break;
  }
}

void Machine::enter_serial(const BoundStmt& s, LaneSet lanes, std::uint8_t control) {
  std::int64_t lower = 0;
  if (lanes.count == 1) {
    const std::uint64_t trips = trip_count(s, lanes[0], lower);
    const std::uint64_t first = iteration_from(s, lower, trips, 0);
    if (first >= trips) return;
    bind(s.slot, lanes[0],
         static_cast<std::int64_t>(static_cast<std::uint64_t>(lower) + first * static_cast<std::uint64_t>(s.step)));
    push(s.body, &s, lanes, control);
    thread_->stack.back().lower = lower;
    thread_->stack.back().iteration = first;
    thread_->stack.back().trips = trips;
    return;
  }
  std::unique_ptr<LaneGroup> g = new_group();
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < lanes.count; ++i) {
    const std::uint64_t trips = trip_count(s, lanes[i], lower);
    if (trips == 0) continue;
    most = std::max(most, trips);
    g->entered.push_back(lanes[i]);
    g->lower.push_back(lower);
    g->trips.push_back(trips);
    bind(s.slot, lanes[i], lower);
  }
  g->lanes = g->entered;
  if (most == 0) {
    spare_.push_back(std::move(g));
    return;
  }
  const LaneSet active{g->lanes.data(), g->lanes.size()};
  push(s.body, &s, active, control, std::move(g));
  thread_->stack.back().trips = most;
}

// Binds the symbol where the thread passes the guard (EXEC-14). At a reduce loop the thread waits first (EXEC-19).
// No hardware loop stands under lanes, so there is one lane, the thread's.
void Machine::enter_hardware(const BoundStmt& s, LaneSet lanes, std::uint8_t control) {
  static const BoundBlock nothing;
  const auto slot = static_cast<std::size_t>(s.hardware_slot);
  const auto t = static_cast<std::uint64_t>(s.axis == Axis::grid ? grid_[slot] : thread_->position[slot]);
  std::int64_t lower = 0;
  const bool passes = t < trip_count(s, lanes[0], lower);
  if (passes)
    bind(s.slot, lanes[0],
         static_cast<std::int64_t>(static_cast<std::uint64_t>(lower) + t * static_cast<std::uint64_t>(s.step)));
  if (s.axis == Axis::tile) {  // the first lane runs the nest, all of them wait behind it (EXEC-76)
    if (!passes) return;
    const auto fit = t == 0 ? instructions_.find(s.source) : instructions_.end();
    const bool instruction = fit != instructions_.end() && fit->second;
    if (instruction) tile_product(s, *fit->second, lanes[0]);
    push(t == 0 && !instruction ? s.body : nothing, &s, lanes, control);
  } else if (s.axis == Axis::reduce) {
    push(passes ? s.body : nothing, &s, lanes, control);
    wait(s, false);
  } else if (passes) {
    push(s.body, &s, lanes, control);
  }
}

// One new lane per lane outside and iteration (EXEC-24): the frames outside, and one of its own.
void Machine::enter_vectorized(const BoundStmt& s, LaneSet lanes, std::uint8_t control) {
  std::unique_ptr<LaneGroup> g = new_group();
  std::size_t total = 0;
  for (std::size_t i = 0; i < lanes.count; ++i) {
    std::int64_t lower = 0;
    const std::uint64_t trips = trip_count(s, lanes[i], lower);
    g->lower.push_back(lower);
    g->trips.push_back(trips);
    spend(trips);
    total += trips;
  }
  if (total == 0) {
    spare_.push_back(std::move(g));
    return;
  }
  const auto own = static_cast<std::size_t>(s.slot.level);
  const auto values = static_cast<std::size_t>(s.frame_size);
  if (total > static_cast<std::size_t>(memory_limit / lane_bytes(s.frame_size, s.slot.level))) {
    throw Exhausted{fmt::format("{} lanes of loop `{}` need more memory than a run may take", total, s.source->name)};
  }
  g->values.resize(total * values);
  g->frames.resize(total * (own + 1));
  for (std::size_t i = 0, lane = 0; i < lanes.count; ++i) {
    for (std::uint64_t t = 0; t < g->trips[i]; ++t, ++lane) {
      Value** frames = g->frames.data() + lane * (own + 1);
      std::copy_n(lanes[i], own, frames);
      frames[own] = g->values.data() + lane * values;
      g->lanes.push_back(frames);
      bind(s.slot, frames,
           static_cast<std::int64_t>(static_cast<std::uint64_t>(g->lower[i]) + t * static_cast<std::uint64_t>(s.step)));
    }
  }
  const LaneSet active{g->lanes.data(), g->lanes.size()};
  push(s.body, &s, active, control, std::move(g));
}

bool Machine::next_iteration(Frame& f) {
  const BoundStmt& s = *f.owner;
  const bool whole = part() == nullptr || f.group;
  const std::uint64_t next = whole ? f.iteration + 1 : iteration_from(s, f.lower, f.trips, f.iteration + 1);
  if (next >= f.trips) return false;
  f.iteration = next;
  f.next = 0;
  const auto step = static_cast<std::uint64_t>(s.step);
  if (!f.group) {
    spend(1);
    bind(s.slot, f.lanes[0], static_cast<std::int64_t>(static_cast<std::uint64_t>(f.lower) + f.iteration * step));
    return true;
  }
  LaneGroup& g = *f.group;
  g.lanes.clear();
  for (std::size_t i = 0; i < g.entered.size(); ++i) {
    if (f.iteration >= g.trips[i]) continue;
    g.lanes.push_back(g.entered[i]);
    bind(s.slot, g.entered[i], static_cast<std::int64_t>(static_cast<std::uint64_t>(g.lower[i]) + f.iteration * step));
  }
  f.lanes = {g.lanes.data(), g.lanes.size()};
  spend(g.lanes.size());
  return true;
}

std::unique_ptr<LaneGroup> Machine::new_group() {
  if (spare_.empty()) return std::make_unique<LaneGroup>();
  std::unique_ptr<LaneGroup> g = std::move(spare_.back());
  spare_.pop_back();
  g->lanes.clear();
  g->entered.clear();
  g->lower.clear();
  g->trips.clear();
  return g;
}

}  // namespace assay::interp
