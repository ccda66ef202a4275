// The threads of a group in lockstep: one frame whose lanes are the threads, statement by statement for all of them.
//
// Lanes are the points of the group's grid, slot 0 fastest, so that they are in the order of the threads. That no two
// threads touch one cell between two barriers is decided when the extents are known. A barrier that not all
// threads reach together is a fault, or needs threads that wait for one another: the run starts again, thread by thread.
// Small groups are taken several at a time, neighbours along one slot of the grid, which is the last axis of the lanes then.
#include <algorithm>
#include <numeric>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

constexpr std::int64_t fewest = 4;                       // threads; fewer cost no more one by one
constexpr std::int64_t enough = 256;                     // threads; with more, groups are not put together
constexpr std::int64_t largest = std::int64_t{1} << 24;  // bytes of a frame

// The coordinates in which two threads with equal indices are equal: they are told by the dimensions one after the other, the
// one with the largest coefficient first, where nothing else in the dimension can make up for a step of it.
std::vector<bool> told_coordinates(const LockstepMeeting& meeting, const std::vector<std::int64_t>& extents) {
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
  return told;
}
bool all(const std::vector<bool>& told) {
  return std::all_of(told.begin(), told.end(), [](bool b) { return b; });
}

}  // namespace

bool Machine::fits_lockstep(const LaunchCode& launch) {
  batch_slot_ = -1;
  batch_ = 1;
  if (mode_.precise || !launch.lockstep) return false;
  std::int64_t threads = 1, axes = 0, copies = 0;
  for (const std::int64_t e : group_extent_) {
    if (__builtin_mul_overflow(threads, e, &threads)) return false;
    axes += e > 1 ? 1 : 0;
  }
  for (const int b : local_) copies += memory(b).copy_bytes();
  const std::int64_t each = (program_.thread.columns() + 4) * std::int64_t{program_.cell_bytes} + copies;
  if (axes > LaneGrid::most || threads > largest / each) return false;
  // In a group all coordinates of the grid are equal.
  std::vector<std::int64_t> extents = group_extent_;
  extents.resize(group_extent_.size() + grid_extent_.size(), 1);
  const auto& meetings = launch.lockstep->meetings;
  if (!std::all_of(meetings.begin(), meetings.end(), [&](const auto& m) { return all(told_coordinates(m, extents)); }))
    return false;
  std::int64_t shared = 1;
  for (const int b : shared_) shared += memory(b).copy_bytes();
  const std::int64_t most = std::min({enough / threads, largest / each / threads, largest / shared});
  if (launch.lockstep->batches && !watches_ && axes < LaneGrid::most && most > 1) choose_batch(*launch.lockstep, most);
  if (threads * batch_ >= fewest) return true;
  batch_ = 1;
  return false;
}

// Groups that run together: neighbours along the first slot of the grid that all accesses of two groups tell.
void Machine::choose_batch(const LockstepPlan& plan, std::int64_t most) {
  for (std::size_t g = 0; g < grid_extent_.size(); ++g) {
    if (grid_extent_[g] < 2) continue;
    std::vector<std::int64_t> extents = group_extent_;
    extents.resize(group_extent_.size() + grid_extent_.size(), 1);
    const std::size_t at = group_extent_.size() + g;
    extents[at] = grid_extent_[g];
    if (!std::all_of(plan.across.begin(), plan.across.end(),
                     [&](const LockstepMeeting& m) { return bool{told_coordinates(m, extents)[at]}; }))
      continue;
    // Batches of one size, as far as that goes.
    const std::int64_t batches = (grid_extent_[g] - 1) / std::min(most, grid_extent_[g]) + 1;
    batch_slot_ = static_cast<int>(g);
    batch_ = (grid_extent_[g] - 1) / batches + 1;
    return;
  }
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
  group_threads_ = static_cast<std::uint32_t>(threads);
  batch_axis_ = -1;
  if (batch_ > 1) {
    batch_axis_ = static_cast<std::int8_t>(group_grid_.axes);
    group_grid_.extent[group_grid_.axes++] = static_cast<std::uint32_t>(batch_);
    threads *= batch_;
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
  group_shared_.clear();
  for (const int b : shared_) {
    if (batch_ == 1) continue;
    Memory& m = memory(b);
    const auto cells = static_cast<std::size_t>(m.size * batch_);
    group_shared_.push_back(
        {ZeroedArray<unsigned char>(cells * static_cast<std::size_t>(m.width)), ZeroedArray<std::uint8_t>(cells), 0});
    m.use(group_shared_.back());
    m.group_pitch = m.size;
  }
}

// One group, or those of a batch that are in the grid.
void Machine::run_lockstep(const LaunchCode& launch) {
  ++speculative_;
  std::uint32_t groups = 1;
  if (batch_ > 1) {
    const auto slot = static_cast<std::size_t>(batch_slot_);
    groups = static_cast<std::uint32_t>(std::min(batch_, grid_extent_[slot] - grid_[slot]));
    group_grid_.extent[batch_axis_] = groups;
  }
  const std::uint32_t lanes = group_threads_ * groups;
  const auto forget_copies = [&](const std::vector<int>& buffers, std::uint32_t copies) {
    for (const int b : buffers) {
      const Memory& m = memory(b);
      spend(static_cast<std::uint64_t>(m.size) / 256 * copies);
      std::memset(m.states, 0, static_cast<std::size_t>(m.size) * copies);
    }
  };
  forget_copies(shared_, groups);
  spend(lanes);
  forget_copies(local_, lanes);
  block(launch.body, group_, {nullptr, 0, lanes}, 0);
  --speculative_;
  exceeded();
}

// Whether the threads of each group are all active, or none of them.
bool Machine::whole_groups(const Active& a) const {
  const std::uint32_t n = group_threads_;
  if (a.list == nullptr) return a.first % n == 0 && a.count % n == 0;
  if (a.count % n != 0) return false;
  for (std::uint32_t k = 0; k < a.count; k += n) {
    if (a.list[k] % n != 0 || a.list[k + n - 1] != a.list[k] + n - 1) return false;
  }
  return true;
}

// Binds the symbol of a hardware loop in the threads that pass its guard (EXEC-14).
void Machine::hardware_lanes(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  const auto slot = static_cast<std::size_t>(n.source->hardware_slot);
  const bool grid = n.source->axis == Axis::grid;
  const std::int64_t step = n.source->step;
  SymbolValue& symbol = f.symbols[n.symbol.slot];
  std::int64_t lower = 0, lower_stride = 0, upper = 0, upper_stride = 0;
  const bool batch = grid && batch_ > 1 && n.source->hardware_slot == batch_slot_;
  const std::int8_t axis = batch ? batch_axis_ : grid ? std::int8_t{-1} : axis_of_slot_[slot];
  const std::uint64_t first = grid ? static_cast<std::uint64_t>(grid_[slot]) : 0;
  const auto coordinate = [&](std::uint32_t l) -> std::uint64_t {
    if (axis < 0) return first;
    return first + (f.grid != nullptr ? f.grid->coordinate[axis][l] : l);
  };
  const bool uniform = linear(n.lo, f, lower, lower_stride) && linear(n.hi, f, upper, upper_stride) &&
                       lower_stride == 0 && upper_stride == 0;
  if (uniform) {
    const std::uint64_t trips = trips_between(lower, upper, step);
    const std::uint64_t most = first + (axis < 0 ? 1 : group_grid_.extent[axis]);
    if (axis < 0) {
      symbol = {at_iteration(lower, first, step), 0, false, -1};
    } else {
      symbol = {at_iteration(lower, first, step), step, false, f.grid != nullptr ? axis : std::int8_t{-1}};
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
