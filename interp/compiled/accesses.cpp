// Accesses to buffers: cells, loads, and the watch for races.
//
// Where every index is linear in the lane, the two ends of the active lanes decide for all of them whether they are inside.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

template <typename T>
void gather(void* to, const unsigned char* elements, const Address& from, const Active& a) {
  T* const out = static_cast<T*>(to);
  const T* const cells = reinterpret_cast<const T*>(elements);
  if (from.linear && from.stride == 0) {
    std::fill(out + a[0], out + a.end(), cells[from.base]);
    return;
  }
  const bool together = for_each_run(from, a, [&](std::uint32_t lane, std::int64_t cell, std::uint32_t count) {
    copy_run(out + lane, cells + cell, count);
  });
  if (!together) for_each_cell(from, a, [&](std::uint32_t l, std::int64_t cell) { out[l] = cells[cell]; });
}
struct Wide {
  std::uint64_t part[2];
};

// The bits that all states have, eight at a time.
inline std::uint8_t all_states(const std::uint8_t* states, std::uint32_t count) {
  if (count == 4) return states[0] & states[1] & states[2] & states[3];
  std::uint64_t all = ~std::uint64_t{0};
  std::uint32_t l = 0;
  for (; l + 8 <= count; l += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, states + l, 8);
    all &= eight;
  }
  for (; l < count; ++l) all &= states[l] * 0x0101010101010101U;
  all &= all >> 32;
  all &= all >> 16;
  all &= all >> 8;
  return static_cast<std::uint8_t>(all);
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // beyond every dimension

template <typename T>
std::int64_t coordinate_of(T value) {
  if constexpr (sizeof(T) == 8 && !std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value > std::uint64_t{largest} ? std::uint64_t{largest} : value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

// Calls f with the values of an index that was computed into a column.
template <typename F>
auto with_coordinates(Type type, const void* column, F f) {
  switch (type) {
    case Type::i8: return f(static_cast<const std::int8_t*>(column));
    case Type::i16: return f(static_cast<const std::int16_t*>(column));
    case Type::i32: return f(static_cast<const std::int32_t*>(column));
    case Type::boolean:
    case Type::u8: return f(static_cast<const std::uint8_t*>(column));
    case Type::u16: return f(static_cast<const std::uint16_t*>(column));
    case Type::u32: return f(static_cast<const std::uint32_t*>(column));
    case Type::u64: return f(static_cast<const std::uint64_t*>(column));
    default: return f(static_cast<const std::int64_t*>(column));
  }
}

}  // namespace

// The cells of lanes on a line, without a look at overflows: symbols are below 2^31 and go on by less than 2^15, coefficients
// are at most 2^12 and sixteen, lanes fewer than 2^26. False where that is not so.
bool Machine::locate_small(const Access& access, Frame& f, const Active& a, Address& address, bool& inside) {
  const Memory& m = memory(access.buffer);
  if (m.group_pitch != 0 || (m.lane_pitch != 0 && f.outer != nullptr)) return false;
  const std::uint64_t lo = a.list != nullptr ? a.list[0] : a.first;
  const std::uint64_t hi = a.list != nullptr ? a.list[a.count - 1] : a.first + a.count - 1;
  std::uint64_t flat = 0, step = 0, beyond = 0;
  bool within = true;
  const Dimension* d = access.dims.data();
  for (const std::int64_t size : m.dims) {
    const IndexCode& e = (d++)->index;
    auto base = static_cast<std::uint64_t>(e.constant);
    std::uint64_t stride = 0;
    for (const SymbolTerm& t : e.symbols) {
      const auto coefficient = static_cast<std::uint64_t>(t.coefficient);
      const Frame& at = frame_at(f, t.symbol);
      const SymbolValue& s = at.symbols[t.symbol.slot];
      if (s.column || s.axis >= 0) return false;
      beyond |= (static_cast<std::uint64_t>(s.base) + (std::uint64_t{1} << 31)) >> 32;
      base += static_cast<std::uint64_t>(s.base) * coefficient;
      if (s.stride == 0) continue;
      if (t.symbol.depth == 0) {
        beyond |= (static_cast<std::uint64_t>(s.stride) + (std::uint64_t{1} << 15)) >> 16;
        stride += static_cast<std::uint64_t>(s.stride) * coefficient;
      } else if (at.total != 1) {
        return false;
      }
    }
    const auto cells = static_cast<std::uint64_t>(size);
    within &= (base + stride * lo < cells) & (base + stride * hi < cells);
    flat = flat * cells + base;
    step = step * cells + stride;
  }
  if (beyond != 0) return false;
  step += static_cast<std::uint64_t>(m.lane_pitch);
  inside = within;
  address.linear = true;
  address.base = static_cast<std::int64_t>(flat);
  address.stride = static_cast<std::int64_t>(step);
  if (a.count == 1) {
    address.base = static_cast<std::int64_t>(flat + step * lo);
    address.stride = 0;
  }
  return true;
}

// The cells of all lanes of a grid, where the indices are sums of its coordinates and every point of it is inside; false
// where that is not so.
bool Machine::locate_grid(const Access& access, Frame& f, const Active& a, Address& address) {
  const LaneGrid& grid = *f.grid;
  const Memory& m = memory(access.buffer);
  std::int64_t base = 0, stride[LaneGrid::most] = {0, 0, 0};
  const Dimension* d = access.dims.data();
  for (const std::int64_t size : m.dims) {
    const IndexCode& e = (d++)->index;
    if (!e.atoms.empty() || e.overflowed) return false;
    std::int64_t at = e.constant, along[LaneGrid::most] = {0, 0, 0};
    for (const SymbolTerm& t : e.symbols) {
      if (t.symbol.depth != 0) return false;
      const SymbolValue& s = f.symbols[t.symbol.slot];
      if (s.column || !add_product(at, s.base, t.coefficient)) return false;
      if (s.stride == 0) continue;
      if (s.axis < 0 || !add_product(along[s.axis], s.stride, t.coefficient)) return false;
    }
    std::int64_t least = at, greatest = at;
    for (int k = 0; k < LaneGrid::most && k < grid.axes; ++k) {
      if (!add_product(along[k] < 0 ? least : greatest, along[k], std::int64_t{grid.extent[k]} - 1)) return false;
      stride[k] = stride[k] * size + along[k];
    }
    if (least < 0 || greatest >= size) return false;
    base = base * size + at;
  }
  // A line where going one step along an axis is going over the whole axis before it.
  std::int64_t lanes = 1;
  bool linear = true;
  for (int k = 0; k < LaneGrid::most && k < grid.axes; ++k) {
    stride[k] += m.lane_pitch * lanes;
    if (k == batch_axis_) stride[k] += m.group_pitch;
    linear &= stride[k] == stride[0] * lanes;
    lanes *= grid.extent[k];
  }
  address.linear = linear;
  address.base = base;
  address.stride = stride[0];
  if (linear) return true;
  const bool rows = a.list == nullptr && a.count == f.total;
  std::int64_t* out = address.flats = arena_.array<std::int64_t>(rows ? f.total / grid.extent[0] : f.total);
  if (!rows) {
    for_each(a, [&](std::uint32_t l) {
      out[l] = base;
      for (int k = 0; k < grid.axes; ++k) out[l] += stride[k] * grid.coordinate[k][l];
    });
    return true;
  }
  address.row = grid.extent[0];
  for (std::uint32_t z = 0; z < grid.extent[2]; ++z) {
    for (std::uint32_t y = 0; y < grid.extent[1]; ++y) *out++ = base + stride[1] * y + stride[2] * z;
  }
  return true;
}

// The cells of the active lanes; false where one is outside, and then the address is of no use.
bool Machine::locate(const Access& access, Frame& f, const Active& a, Address& address) {
  if (access.computed) return locate_columns(access, f, a, address);
  const Memory& m = memory(access.buffer);
  if (m.lane_pitch != 0 && f.outer != nullptr) return locate_columns(access, f, a, address);
  if (f.grid != nullptr && locate_grid(access, f, a, address)) return true;
  if (m.group_pitch != 0) return locate_columns(access, f, a, address);
  bool inside = true;
  if (access.small && f.grid == nullptr && locate_small(access, f, a, address, inside)) return inside;
  const std::size_t rank = access.dims.size();
  std::int64_t flat = 0, step = 0;
  const std::int64_t lo = a[0], hi = a.last();
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t base = 0, stride = 0, first = 0, last = 0;
    const bool is_linear = linear(access.dims[d].index, f, base, stride) &&
                           !__builtin_mul_overflow(stride, lo, &first) &&
                           !__builtin_add_overflow(first, base, &first) && !__builtin_mul_overflow(stride, hi, &last) &&
                           !__builtin_add_overflow(last, base, &last);
    if (!is_linear) return locate_columns(access, f, a, address);
    const std::int64_t size = m.dims[d];
    inside &= first >= 0 && first < size && last >= 0 && last < size;
    // Lane 0 need not be inside, so base and stride are unsigned sums that are right where lanes are active.
    flat = static_cast<std::int64_t>(static_cast<std::uint64_t>(flat) * static_cast<std::uint64_t>(size) +
                                     static_cast<std::uint64_t>(base));
    step = static_cast<std::int64_t>(static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(size) +
                                     static_cast<std::uint64_t>(stride));
  }
  step = static_cast<std::int64_t>(static_cast<std::uint64_t>(step) + static_cast<std::uint64_t>(m.lane_pitch));
  address.linear = true;
  address.base = flat;
  address.stride = step;
  if (a.count == 1) {  // no products of large strides and lanes
    address.base = static_cast<std::int64_t>(static_cast<std::uint64_t>(flat) +
                                             static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(lo));
    address.stride = 0;
  }
  return inside;
}

// Lane by lane, dimension by dimension.
bool Machine::locate_columns(const Access& access, Frame& f, const Active& a, Address& address) {
  const Memory& m = memory(access.buffer);
  const std::size_t rank = access.dims.size();
  address.linear = false;
  std::int64_t* const flats = address.flats = arena_.array<std::int64_t>(f.total);
  std::int64_t* scratch = nullptr;
  std::uint64_t worst = 0;  // not 0 where a lane is outside
  for (std::size_t d = 0; d < rank; ++d) {
    const Dimension& dimension = access.dims[d];
    const std::int64_t size = m.dims[d];
    const auto take = [&](const auto* values) {
      const auto add = [&](std::uint32_t l, std::uint64_t so_far) {
        const std::int64_t c = coordinate_of(values[l]);
        worst |= static_cast<std::uint64_t>(c) >= static_cast<std::uint64_t>(size) ? 1 : 0;
        flats[l] = static_cast<std::int64_t>(so_far * static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(c));
      };
      if (d == 0) {
        for_each(a, [&](std::uint32_t l) { add(l, 0); });
      } else {
        for_each(a, [&](std::uint32_t l) { add(l, static_cast<std::uint64_t>(flats[l])); });
      }
    };
    if (dimension.column >= 0) {
      with_coordinates(dimension.type, f.column(dimension.column), take);
      continue;
    }
    if (scratch == nullptr) scratch = arena_.array<std::int64_t>(f.total);
    if (!values(dimension.index, f, a, scratch)) {
      if (!access.computed) operations_ -= rank - 1 - d;  // the indices behind it are not evaluated
      fault("RUN-4", "an index value leaves int64", dimension.where);
    }
    take(scratch);
  }
  if (rank == 0) for_each(a, [&](std::uint32_t l) { flats[l] = 0; });
  if (m.lane_pitch != 0 || m.group_pitch != 0) {
    int depth = 0;  // of the frame of threads
    for (const Frame* at = &f; at->outer != nullptr; at = at->outer) ++depth;
    for_each(a, [&](std::uint32_t l) {
      const std::uint32_t thread = lane_at(f, depth, l);
      flats[l] += m.lane_pitch * thread + m.group_pitch * (thread / group_threads_);
    });
  }
  return worst == 0;
}

std::int64_t Machine::coordinate(const Dimension& d, Frame& f, std::uint32_t lane) {
  if (d.column < 0) return exact(d.index, f, lane).value_or(0);
  return with_coordinates(d.type, f.column(d.column), [&](const auto* values) { return coordinate_of(values[lane]); });
}

// The common case of one lane; false where anything is not common.
bool Machine::load_one(const Instruction& i, Frame& f, std::uint32_t lane) {
  const Access& access = *i.access;
  const Memory& m = memory(access.buffer);
  Address address;
  bool inside = false;
  if (!access.small || m.watched() || m.ranged || !locate_small(access, f, Active::one(lane), address, inside) ||
      !inside)
    return false;
  const std::int64_t flat = address.base;
  if (m.states != nullptr) {
    const std::uint8_t state = m.states[flat];
    if ((state & defined) == 0) return false;
    if (marks_) f.seen[lane] = static_cast<std::uint8_t>(f.seen[lane] | state | *m.blanket);
  }
  unsigned char* const out = f.column(i.out);
  switch (m.width) {
    case 1: out[lane] = m.elements[flat]; break;
    case 2: std::memcpy(out + std::size_t{lane} * 2, m.elements + flat * 2, 2); break;
    case 4: std::memcpy(out + std::size_t{lane} * 4, m.elements + flat * 4, 4); break;
    case 8: std::memcpy(out + std::size_t{lane} * 8, m.elements + flat * 8, 8); break;
    default: std::memcpy(out + std::size_t{lane} * 16, m.elements + flat * 16, 16); break;
  }
  return true;
}

void Machine::load(const Instruction& i, Frame& f, const Active& a) {
  const Access& access = *i.access;
  if (a.count == 1 && load_one(i, f, a.first)) return;
  ArenaScope scope(arena_);
  Address address;
  const bool inside = locate(access, f, a, address);
  const Memory& m = memory(access.buffer);
  if (!inside) outside(access, f, a[0], false);
  if (m.watched()) watch_cells(m, false, address, a);
  if (m.states != nullptr) {
    std::uint8_t all = defined;
    const std::uint8_t* const states = m.states;
    const bool one = address.linear && address.stride == 0;
    if (one) all &= states[address.base];
    const bool together = one || for_each_run(address, a, [&](std::uint32_t, std::int64_t cell, std::uint32_t count) {
                            all &= all_states(states + cell, count);
                          });
    if (!together) for_each_cell(address, a, [&](std::uint32_t, std::int64_t cell) { all &= states[cell]; });
    if (all == 0) {
      fault("RUN-2", fmt::format("`{}` is read where it is undefined", m.buffer->name), access.where, m.buffer->name,
            unflatten(address[a[0]], m.dims));
    }
    if (marks_)
      for_each_cell(address, a, [&](std::uint32_t l, std::int64_t cell) {
        f.seen[l] = static_cast<std::uint8_t>(f.seen[l] | states[cell] | *m.blanket);
      });
  }
  unsigned char* const out = f.column(i.out);
  switch (m.width) {
    case 1: gather<std::uint8_t>(out, m.elements, address, a); break;
    case 2: gather<std::uint16_t>(out, m.elements, address, a); break;
    case 4: gather<std::uint32_t>(out, m.elements, address, a); break;
    case 8: gather<std::uint64_t>(out, m.elements, address, a); break;
    default: gather<Wide>(out, m.elements, address, a); break;
  }
  if (m.ranged) {
    const Int128 lo = m.buffer->range->first, hi = m.buffer->range->second;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool within = true;
    if (lo >= -most && hi < most && m.width <= 8) {
      const auto low = static_cast<std::int64_t>(lo), high = static_cast<std::int64_t>(hi);
      with_coordinates(m.buffer->type, out, [&](const auto* values) {
        for_each(a, [&](std::uint32_t l) {
          const std::int64_t v = coordinate_of(values[l]);
          within &= v >= low && v < high;
        });
      });
    } else {
      for_each(a, [&](std::uint32_t l) {
        const Int128 v = int_value(read_value(m.buffer->type, out + l * static_cast<std::size_t>(m.width)));
        within &= v >= lo && v < hi;
      });
    }
    if (!within) {
      fault("RUN-5", fmt::format("an element of `{}` is outside its declared range", m.buffer->name), access.where,
            m.buffer->name, unflatten(address[a[0]], m.dims));
    }
  }
}

void Machine::watch_cells(const Memory& m, bool store, const Address& address, const Active& a) {
  for_each_cell(address, a, [&](std::uint32_t, std::int64_t flat) { watch(m, flat, store); });
}

void Machine::watch(const Memory& m, std::int64_t flat, bool store) {
  watch(m.shadow == nullptr ? nullptr : &m.shadow[flat], m.recent == nullptr ? nullptr : &m.recent[flat], store,
        m.buffer->name, &m, flat);
}

// A shadow holds the first load and the first store of a launch, or of a barrier interval: as the number of the group (the
// thread) in the fast mode, as that of the access in the precise one. Groups run one after the other, and so do the threads
// in an interval: what is older than the first access of one is of another.
void Machine::watch(Shadow* launch, Shadow* interval, bool store, const Symbol& name, const Memory* m,
                    std::int64_t flat) {
  if (!mode_.precise) {
    const auto look = [&](Shadow* s, std::uint64_t from, std::uint64_t own) {
      if (s == nullptr) return;
      if ((s->store >= from && s->store < own) || (store && s->load >= from && s->load < own)) throw Restart{};
      std::uint64_t& first = store ? s->store : s->load;
      if (first < from) first = own;
    };
    look(launch, launch_first_, group_first_);
    look(interval, interval_first_, thread_first_);
    return;
  }
  const std::uint64_t ordinal = ++access_;
  if (ordinal == mode_.locate) throw Found{instance()};
  if (race_) return;
  std::uint64_t earliest = 0;
  bool writes = false;
  const auto look = [&](Shadow* s, std::uint64_t from, std::uint64_t own) {
    if (s == nullptr) return;
    for (const bool by_store : {true, false}) {
      const std::uint64_t o = by_store ? s->store : s->load;
      if ((!store && !by_store) || o < from || o >= own || (earliest != 0 && o > earliest)) continue;
      earliest = o;
      writes = by_store;
    }
    std::uint64_t& first = store ? s->store : s->load;
    if (first < from) first = ordinal;
  };
  look(launch, launch_first_, group_first_);
  look(interval, interval_first_, thread_first_);
  if (earliest == 0) return;
  race_.emplace();
  race_->buffer = name;
  if (m != nullptr) race_->cell = unflatten(flat, m->dims);
  race_->second = instance();
  race_->first_writes = writes;
  race_->second_writes = store;
  race_first_ = earliest;
}

void Machine::watch_variable(int variable, bool store) {
  const auto k = static_cast<std::size_t>(variable);
  const BoundVariable& v = program_.source->variables[k];
  if (v.set_in_grid) watch(&variable_shadows_[k], nullptr, store, *v.name, nullptr, 0);
}

void Machine::begin_interval() {
  if (mode_.precise) {
    interval_first_ = thread_first_ = access_ + 1;
  } else {
    interval_first_ = ++thread_first_;
  }
}

void Machine::begin_thread() { thread_first_ = mode_.precise ? access_ + 1 : thread_first_ + 1; }

}  // namespace assay::interp::compiled
