// Accesses to buffers: cells, loads, and the watch for races.
//
// Where every index is linear in the lane, the two ends of the active lanes decide for all of them whether they are inside.
#include <fmt/format.h>

#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

template <typename T>
void gather(void* to, const unsigned char* elements, const Address& from, const Active& a) {
  T* const out = static_cast<T*>(to);
  const T* const cells = reinterpret_cast<const T*>(elements);
  if (!from.linear) {
    for_each(a, [&](std::uint32_t l) { out[l] = cells[from.flats[l]]; });
  } else if (a.list == nullptr && from.stride == 1) {
    std::memcpy(out + a.first, cells + (from.base + a.first), a.count * sizeof(T));
  } else {
    const std::int64_t base = from.base, stride = from.stride;
    for_each(a, [&](std::uint32_t l) { out[l] = cells[base + stride * static_cast<std::int64_t>(l)]; });
  }
}
struct Wide {
  std::uint64_t part[2];
};

template <typename T>
void coordinates_of(const void* column, const Active& a, std::int64_t* out) {
  const T* const values = static_cast<const T*>(column);
  for_each(a, [&](std::uint32_t l) {
    if constexpr (sizeof(T) == 8 && !std::is_signed_v<T>) {
      constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();  // beyond every dimension
      out[l] = static_cast<std::int64_t>(values[l] > largest ? largest : values[l]);
    } else {
      out[l] = static_cast<std::int64_t>(values[l]);
    }
  });
}

// An index computed into a column.
void read_coordinates(Type type, const void* column, const Active& a, std::int64_t* out) {
  switch (type) {
    case Type::i8: return coordinates_of<std::int8_t>(column, a, out);
    case Type::i16: return coordinates_of<std::int16_t>(column, a, out);
    case Type::i32: return coordinates_of<std::int32_t>(column, a, out);
    case Type::boolean:
    case Type::u8: return coordinates_of<std::uint8_t>(column, a, out);
    case Type::u16: return coordinates_of<std::uint16_t>(column, a, out);
    case Type::u32: return coordinates_of<std::uint32_t>(column, a, out);
    case Type::u64: return coordinates_of<std::uint64_t>(column, a, out);
    default: return coordinates_of<std::int64_t>(column, a, out);
  }
}

}  // namespace

// The cells of the active lanes; false where one is outside, and then the address is of no use.
bool Machine::locate(const Access& access, Frame& f, const Active& a, Address& address) {
  const Memory& m = memory(access.buffer);
  const std::size_t rank = access.dims.size();
  if (!access.computed) {
    bool is_linear = true, inside = true;
    std::int64_t flat = 0, step = 0;
    const std::int64_t lo = a[0], hi = a.last();
    for (std::size_t d = 0; d < rank && is_linear; ++d) {
      std::int64_t base = 0, stride = 0, first = 0, last = 0;
      is_linear = linear(access.dims[d].index, f, base, stride) && !__builtin_mul_overflow(stride, lo, &first) &&
                  !__builtin_add_overflow(first, base, &first) && !__builtin_mul_overflow(stride, hi, &last) &&
                  !__builtin_add_overflow(last, base, &last);
      if (!is_linear) break;
      const std::int64_t size = m.dims[d];
      inside &= first >= 0 && first < size && last >= 0 && last < size;
      // Lane 0 need not be inside, so base and stride are unsigned sums that are right where lanes are active.
      flat = static_cast<std::int64_t>(static_cast<std::uint64_t>(flat) * static_cast<std::uint64_t>(size) +
                                       static_cast<std::uint64_t>(base));
      step = static_cast<std::int64_t>(static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(size) +
                                       static_cast<std::uint64_t>(stride));
    }
    if (is_linear) {
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
  }
  address.linear = false;
  address.flats = arena_.array<std::int64_t>(f.total);
  bool inside = true;
  ArenaScope scope(arena_);
  auto* coordinate = arena_.array<std::int64_t>(f.total);
  for_each(a, [&](std::uint32_t l) { address.flats[l] = 0; });
  for (std::size_t d = 0; d < rank; ++d) {
    const Dimension& dimension = access.dims[d];
    if (access.computed) {
      read_coordinates(dimension.type, f.column(dimension.column), a, coordinate);
    } else if (!values(dimension.index, f, a, coordinate)) {
      operations_ -= rank - 1 - d;  // the indices behind it are not evaluated
      fault("RUN-4", "an index value leaves int64", dimension.where);
    }
    const std::int64_t size = m.dims[d];
    for_each(a, [&](std::uint32_t l) {
      const std::int64_t c = coordinate[l];
      const bool in = c >= 0 && c < size;
      inside &= in;
      address.flats[l] = in && inside ? address.flats[l] * size + c : 0;
    });
  }
  return inside;
}

std::int64_t Machine::coordinate(const Dimension& d, Frame& f, std::uint32_t lane) {
  if (d.column < 0) return exact(d.index, f, lane).value_or(0);
  ArenaScope scope(arena_);
  auto* out = arena_.array<std::int64_t>(f.total);
  read_coordinates(d.type, f.column(d.column), Active::one(lane), out);
  return out[lane];
}

void Machine::load(const Instruction& i, Frame& f, const Active& a) {
  const Access& access = *i.access;
  ArenaScope scope(arena_);
  Address address;
  const bool inside = locate(access, f, a, address);
  const Memory& m = memory(access.buffer);
  if (!inside) outside(access, f, a[0], false);
  if (m.shadow != nullptr) watch_cells(m, false, address, a);
  if (m.states != nullptr) {
    std::uint8_t all = defined;
    if (address.linear && address.stride == 1 && a.list == nullptr) {
      const std::uint8_t* const states = m.states + (address.base + a.first);
      for (std::uint32_t l = 0; l < a.count; ++l) all &= states[l];
    } else {
      for_each(a, [&](std::uint32_t l) { all &= m.states[address[l]]; });
    }
    if (all == 0) {
      fault("RUN-2", fmt::format("`{}` is read where it is undefined", m.buffer->name), access.where, m.buffer->name,
            unflatten(address[a[0]], m.dims));
    }
    if (marks_)
      for_each(a, [&](std::uint32_t l) {
        f.seen[l] = static_cast<std::uint8_t>(f.seen[l] | m.states[address[l]] | *m.blanket);
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
    bool within = true;
    for_each(a, [&](std::uint32_t l) {
      const Int128 v = int_value(read_value(m.buffer->type, out + l * static_cast<std::size_t>(m.width)));
      within &= v >= m.buffer->range->first && v < m.buffer->range->second;
    });
    if (!within) {
      fault("RUN-5", fmt::format("an element of `{}` is outside its declared range", m.buffer->name), access.where,
            m.buffer->name, unflatten(address[a[0]], m.dims));
    }
  }
}

void Machine::watch_cells(const Memory& m, bool store, const Address& address, const Active& a) {
  for_each(a, [&](std::uint32_t l) {
    const std::int64_t flat = address[l];
    watch(m.shadow[flat], store, m.buffer->name, &m, flat);
  });
}

// A shadow holds the first load and the first store of a launch: as the number of the group in the fast mode, as that of
// the access in the precise one. Groups run one after the other, so what is older than the group's first is of another.
void Machine::watch(Shadow& s, bool store, const Symbol& name, const Memory* m, std::int64_t flat) {
  if (!mode_.precise) {
    const bool raced = (s.store >= launch_first_ && s.store < group_first_) ||
                       (store && s.load >= launch_first_ && s.load < group_first_);
    if (raced) throw Restart{};
    std::uint64_t& first = store ? s.store : s.load;
    if (first < launch_first_) first = group_first_;
    return;
  }
  const std::uint64_t ordinal = ++access_;
  if (ordinal == mode_.locate) throw Found{instance()};
  if (race_) return;
  std::uint64_t other = 0;
  if (s.store >= launch_first_ && s.store < group_first_) other = s.store;
  if (store && s.load >= launch_first_ && s.load < group_first_ && (other == 0 || s.load < other)) other = s.load;
  if (other != 0) {
    race_.emplace();
    race_->buffer = name;
    if (m != nullptr) race_->cell = unflatten(flat, m->dims);
    race_->second = instance();
    race_->first_writes = other == s.store;
    race_->second_writes = store;
    race_first_ = other;
  }
  std::uint64_t& first = store ? s.store : s.load;
  if (first < launch_first_) first = ordinal;
}

void Machine::watch_variable(int variable, bool store) {
  const BoundVariable& v = program_.source->variables[static_cast<std::size_t>(variable)];
  if (v.set_in_grid) watch(variable_shadows_[static_cast<std::size_t>(variable)], store, *v.name, nullptr, 0);
}

}  // namespace assay::interp::compiled
