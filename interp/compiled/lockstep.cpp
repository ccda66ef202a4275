// The threads of a group in lockstep: one frame whose lanes are the threads, statement by statement for all of them.
//
// Lanes are the points of the group's grid, slot 0 fastest, so that they are in the order of the threads. That no two
// threads touch one cell between two barriers is decided when the extents are known. A barrier that not all
// threads reach together is a fault, or needs threads that wait for one another: the run starts again, thread by thread.
#include <algorithm>
#include <numeric>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

constexpr std::int64_t fewest = 4;                       // threads; fewer cost no more one by one
constexpr std::int64_t largest = std::int64_t{1} << 24;  // bytes of a frame

// Whether two threads with equal indices are one thread: coordinates are told by the dimensions one after the other, the one
// with the largest coefficient first, where nothing else in the dimension can make up for a step of it.
bool tells_threads(const LockstepMeeting& meeting, const std::vector<std::int64_t>& extents) {
  std::vector<bool> told;
  for (const std::int64_t e : extents) told.push_back(e == 1);
  const auto told_by = [&](const LockstepMeeting::Dim& d) {
    const auto size = [&](std::size_t s) {
      const Int128 c = d.coefficients[s];
      return c < 0 ? -c : c;
    };
    std::vector<std::size_t> slots;
    Int128 rest = d.rest;
    for (std::size_t s = 0; s < extents.size(); ++s) {
      if (told[s] || d.coefficients[s] == 0) continue;
      slots.push_back(s);
      rest += size(s) * (extents[s] - 1);
    }
    std::sort(slots.begin(), slots.end(), [&](std::size_t x, std::size_t y) { return size(x) > size(y); });
    bool any = false;
    for (const std::size_t s : slots) {
      rest -= size(s) * (extents[s] - 1);
      if (size(s) <= rest) break;
      told[s] = any = true;
    }
    return any;
  };
  while (std::any_of(meeting.dims.begin(), meeting.dims.end(), told_by)) {}
  return std::all_of(told.begin(), told.end(), [](bool b) { return b; });
}

}  // namespace

bool Machine::fits_lockstep(const LaunchCode& launch) const {
  if (mode_.precise || !launch.lockstep) return false;
  std::int64_t threads = 1, axes = 0, copies = 0;
  for (const std::int64_t e : group_extent_) {
    if (__builtin_mul_overflow(threads, e, &threads)) return false;
    axes += e > 1 ? 1 : 0;
  }
  for (const int b : local_) copies += memory(b).copy_bytes();
  const std::int64_t each = (program_.thread.columns() + 4) * std::int64_t{program_.cell_bytes} + copies;
  if (threads < fewest || axes > LaneGrid::most || threads > largest / each) return false;
  return std::all_of(launch.lockstep->meetings.begin(), launch.lockstep->meetings.end(),
                     [&](const LockstepMeeting& m) { return tells_threads(m, group_extent_); });
}

// The frame of all threads and their copies of local buffers, one behind the other.
void Machine::prepare_lockstep() {
  std::int64_t threads = 1;
  group_grid_ = {};
  group_grid_.axes = 0;
  axis_of_slot_.clear();
  for (const std::int64_t e : group_extent_) {
    axis_of_slot_.push_back(static_cast<std::int8_t>(e > 1 ? group_grid_.axes : -1));
    if (e > 1) group_grid_.extent[group_grid_.axes++] = static_cast<std::uint32_t>(e);
    threads *= e;
  }
  const auto total = static_cast<std::uint32_t>(threads);
  group_ = new_frame(nullptr, program_.thread, total);
  group_.strip = true;
  for (std::size_t i = 0; i < parameters_.size(); ++i) group_.symbols[i].base = parameters_[i];
  if (group_grid_.axes > 1) {
    group_.grid = &group_grid_;
    std::uint32_t radix = 1;
    for (int k = 0; k < group_grid_.axes; ++k) {
      auto* at = arena_.array<std::uint32_t>(total);
      for (std::uint32_t l = 0; l < total; ++l) at[l] = l / radix % group_grid_.extent[k];
      group_grid_.coordinate[k] = at;
      radix *= group_grid_.extent[k];
    }
  }
  group_locals_.clear();
  for (const int b : local_) {
    Memory& m = memory(b);
    const auto cells = static_cast<std::size_t>(m.size * threads);
    group_locals_.push_back(
        {ZeroedArray<unsigned char>(cells * static_cast<std::size_t>(m.width)), ZeroedArray<std::uint8_t>(cells), 0});
    m.use(group_locals_.back());
    m.lane_pitch = m.size;
  }
}

void Machine::run_lockstep(const LaunchCode& launch) {
  ++speculative_;
  spend(group_.total);
  for (const int b : local_) {
    const Memory& m = memory(b);
    spend(static_cast<std::uint64_t>(m.size) / 256 * group_.total);
    std::memset(m.states, 0, static_cast<std::size_t>(m.size) * group_.total);
  }
  block(launch.body, group_, {nullptr, 0, group_.total}, 0);
  --speculative_;
  exceeded();
}

// Binds the symbol of a hardware loop in the threads that pass its guard (EXEC-14).
void Machine::hardware_lanes(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  const auto slot = static_cast<std::size_t>(n.source->hardware_slot);
  const bool grid = n.source->axis == Axis::grid;
  const std::int64_t step = n.source->step;
  SymbolValue& symbol = f.symbols[n.symbol.slot];
  std::int64_t lower = 0, lower_stride = 0, upper = 0, upper_stride = 0;
  const std::int8_t axis = grid ? std::int8_t{-1} : axis_of_slot_[slot];
  const auto coordinate = [&](std::uint32_t l) -> std::uint64_t {
    if (axis < 0) return grid ? static_cast<std::uint64_t>(grid_[slot]) : 0;
    return f.grid != nullptr ? f.grid->coordinate[axis][l] : l;
  };
  const bool uniform = linear(n.lo, f, lower, lower_stride) && linear(n.hi, f, upper, upper_stride) &&
                       lower_stride == 0 && upper_stride == 0;
  if (uniform) {
    const std::uint64_t trips = trips_between(lower, upper, step);
    const std::uint64_t most = axis < 0 ? coordinate(0) + 1 : group_grid_.extent[axis];
    if (axis < 0) {
      symbol = {at_iteration(lower, coordinate(0), step), 0, false, -1};
    } else {
      symbol = {lower, step, false, f.grid != nullptr ? axis : std::int8_t{-1}};
    }
    if (trips >= most) return block(n.body, f, a, control);
    if (axis < 0 || trips == 0) return;
    ArenaScope scope(arena_);
    auto* list = arena_.array<std::uint32_t>(a.count);
    std::uint32_t count = 0;
    for_each(a, [&](std::uint32_t l) {
      if (coordinate(l) < trips) list[count++] = l;
    });
    if (count > 0) block(n.body, f, Active::of(list, count), control);
    return;
  }
  ArenaScope scope(arena_);
  auto* list = arena_.array<std::uint32_t>(a.count);
  auto* symbols = reinterpret_cast<std::int64_t*>(f.column(n.symbol.slot));
  std::uint32_t count = 0;
  for_each(a, [&](std::uint32_t l) {
    const std::uint64_t trips = trip_count(n, f, l, lower);
    if (coordinate(l) >= trips) return;
    symbols[l] = at_iteration(lower, coordinate(l), step);
    list[count++] = l;
  });
  symbol = {0, 0, true, -1};
  if (count > 0) block(n.body, f, Active::of(list, count), control);
}

}  // namespace assay::interp::compiled
