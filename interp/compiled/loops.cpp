// Loops: of one lane, of several with trip counts of their own, and the lanes of vectorized loops.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
std::uint64_t Machine::trip_count(const Node& n, Frame& f, std::uint32_t lane, std::int64_t& lower) {
  lane_ = lane;
  std::int64_t bounds[2];
  const IndexCode* codes[] = {&n.lo, &n.hi};
  for (int k = 0; k < 2; ++k) {
    std::int64_t stride = 0;
    if (linear(*codes[k], f, bounds[k], stride) && stride == 0) continue;
    const auto v = exact(*codes[k], f, lane);
    if (!v) fault("RUN-4", "an index value leaves int64", n.source->source->where);
    bounds[k] = *v;
  }
  lower = bounds[0];
  return trips_between(bounds[0], bounds[1], n.source->step);
}

void Machine::loop(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  switch (n.source->axis) {
    case Axis::serial:
    case Axis::unrolled:
      if (a.count == 1) {
        serial(n, f, a, control);
      } else {
        serial_lanes(n, f, a, control);
      }
      break;
    case Axis::vectorized: vectorized(n, f, a, control); break;
    default:
      if (lockstep_) {
        hardware_lanes(n, f, a, control);
      } else if (passes(n, f)) {
        block(n.body, f, a, control);
      }
      break;
  }
}

// Of a hardware loop: binds the symbol where the thread passes the guard (EXEC-14).
bool Machine::passes(const Node& n, Frame& f) {
  const auto slot = static_cast<std::size_t>(n.source->hardware_slot);
  const auto t = static_cast<std::uint64_t>(n.source->axis == Axis::grid ? grid_[slot] : thread_->coordinates[slot]);
  std::int64_t lower = 0;
  if (t >= trip_count(n, f, 0, lower)) return false;
  set_symbol(f, n.symbol, at_iteration(lower, t, n.source->step));
  return true;
}

void Machine::serial(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  std::int64_t lower = 0;
  const std::uint64_t trips = trip_count(n, f, a[0], lower);
  if (trips == 0) return;
  if (n.strip && f.total == 1 && !mode_.precise && strips(n, f, lower, trips, control)) return;
  if (n.nest && f.total == 1 && !mode_.precise && nest(n, f, lower, trips)) return;
  SymbolValue& symbol = frame_at(f, n.symbol).symbols[n.symbol.slot];
  for (std::uint64_t k = 0; k < trips; ++k) {
    if (k > 0) spend(1);
    symbol = {at_iteration(lower, k, n.source->step), 0, false, -1};
    block(n.body, f, a, control);
  }
}

// By iteration number, with the lanes that have that many (EXEC-23).
void Machine::serial_lanes(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  SymbolValue& symbol = f.symbols[n.symbol.slot];
  const std::int64_t step = n.source->step;
  std::int64_t lower = 0, lower_stride = 0, upper = 0, upper_stride = 0;
  if (linear(n.lo, f, lower, lower_stride) && linear(n.hi, f, upper, upper_stride) && lower_stride == 0 &&
      upper_stride == 0) {
    const std::uint64_t trips = trips_between(lower, upper, step);
    for (std::uint64_t k = 0; k < trips; ++k) {
      if (k > 0) spend(a.count);
      symbol = {at_iteration(lower, k, step), 0, false, -1};
      block(n.body, f, a, control);
    }
    return;
  }
  ArenaScope scope(arena_);
  auto* lowers = arena_.array<std::int64_t>(f.total);
  auto* trips = arena_.array<std::uint64_t>(f.total);
  auto* list = arena_.array<std::uint32_t>(a.count);
  auto* symbols = reinterpret_cast<std::int64_t*>(f.column(n.symbol.slot));
  std::uint64_t most = 0;
  if (!mode_.precise) ++speculative_;
  for_each(a, [&](std::uint32_t l) {
    trips[l] = trip_count(n, f, l, lowers[l]);
    most = std::max(most, trips[l]);
  });
  if (!mode_.precise) --speculative_;
  for (std::uint64_t k = 0; k < most; ++k) {
    std::uint32_t count = 0;
    for_each(a, [&](std::uint32_t l) {
      if (trips[l] <= k) return;
      list[count++] = l;
      symbols[l] = at_iteration(lowers[l], k, step);
    });
    if (k > 0) spend(count);
    symbol = {0, 0, true, -1};
    block(n.body, f, Active::of(list, count), control);
  }
}

Frame Machine::new_frame(Frame* outer, const Layout& layout, std::uint32_t total) {
  const auto rounded = [](std::size_t bytes) { return (bytes + 15) & ~std::size_t{15}; };
  const auto slots = static_cast<std::size_t>(layout.slots);
  Frame f;
  f.outer = outer;
  f.total = total;
  f.pitch = rounded(static_cast<std::size_t>(total) * static_cast<std::size_t>(program_.cell_bytes));
  const std::size_t columns = f.pitch * static_cast<std::size_t>(layout.columns());
  const std::size_t symbols = rounded(slots * sizeof(SymbolValue));
  const std::size_t states = rounded(slots * total);
  const std::size_t lanes = marks_ ? rounded(total) : 0;
  f.columns = static_cast<unsigned char*>(arena_.take(columns + symbols + states + 2 * lanes));
  unsigned char* at = f.columns + columns;
  f.symbols = reinterpret_cast<SymbolValue*>(at);
  std::fill_n(f.symbols, slots, SymbolValue{});
  f.states = at + symbols;
  std::memset(f.states, 0, states + lanes);
  f.seen = f.states + states;
  f.inexact = f.seen + lanes;
  return f;
}

// One new lane per lane outside and iteration; those of an outer one stand together (EXEC-24).
void Machine::vectorized(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  ArenaScope scope(arena_);
  std::int64_t lower_of_one = 0;
  std::uint64_t trips_of_one = 0;
  const bool one = f.total == 1;
  auto* lowers = one ? &lower_of_one : arena_.array<std::int64_t>(f.total);
  auto* trips = one ? &trips_of_one : arena_.array<std::uint64_t>(f.total);
  std::uint64_t total = 0;
  if (!mode_.precise && a.count > 1) ++speculative_;
  for_each(a, [&](std::uint32_t l) {
    trips[l] = trip_count(n, f, l, lowers[l]);
    spend(trips[l]);
    total += trips[l];
  });
  if (!mode_.precise && a.count > 1) --speculative_;
  if (total == 0) return;
  if (total > static_cast<std::uint64_t>(memory_limit / lane_bytes(n.source->frame_size, n.source->slot.level))) {
    sure();
    throw Exhausted{
        fmt::format("{} lanes of loop `{}` need more memory than a run may take", total, n.source->source->name)};
  }
  // Columns for all lanes at once are this machine's own affair: where they are too large the tree walk runs (EXEC-37).
  constexpr std::uint64_t largest = std::uint64_t{1} << 26;
  const auto columns =
      static_cast<std::uint64_t>(n.lanes.columns() + 4) * static_cast<std::uint64_t>(program_.cell_bytes);
  if (total > largest / columns) throw std::bad_alloc();
  Frame lanes = new_frame(&f, n.lanes, static_cast<std::uint32_t>(total));
  SymbolValue& symbol = lanes.symbols[n.symbol.slot];
  const std::int64_t step = n.source->step;
  if (one) {
    symbol = {lowers[0], step, false, -1};
    if (total == 1) symbol.stride = 0;
  } else {
    auto* parent = arena_.array<std::uint32_t>(total);
    auto* symbols = reinterpret_cast<std::int64_t*>(lanes.column(n.symbol.slot));
    std::uint64_t lane = 0;
    for_each(a, [&](std::uint32_t l) {
      for (std::uint64_t k = 0; k < trips[l]; ++k, ++lane) {
        parent[lane] = l;
        symbols[lane] = at_iteration(lowers[l], k, step);
      }
    });
    lanes.parent = parent;
    symbol = {0, 0, true, -1};
  }
  block(n.body, lanes, {nullptr, 0, static_cast<std::uint32_t>(total)}, control);
}

}  // namespace assay::interp::compiled
