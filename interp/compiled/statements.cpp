// Statements for a set of lanes: all of them evaluate, then all store (EXEC-20).
#include <fmt/format.h>

#include <algorithm>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

template <typename T>
void scatter(unsigned char* elements, const void* from, const Address& to, const Active& a) {
  const T* const values = static_cast<const T*>(from);
  T* const cells = reinterpret_cast<T*>(elements);
  const bool together = for_each_run(to, a, [&](std::uint32_t lane, std::int64_t cell, std::uint32_t count) {
    copy_run(cells + cell, values + lane, count);
  });
  if (!together) for_each_cell(to, a, [&](std::uint32_t l, std::int64_t cell) { cells[cell] = values[l]; });
}
struct Wide {
  std::uint64_t part[2];
};

}  // namespace

void Machine::block(const NodeBlock& b, Frame& f, const Active& a, std::uint8_t control) {
  for (const Node& n : b) node(n, f, a, control);
}

void Machine::node(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  spend(a.count);
  statement_ = n.source;
  control_ = control;
  frame_ = &f;
  lane_ = a[0];
  switch (n.kind) {
    case StmtKind::store:
    case StmtKind::assign:
    case StmtKind::declare:
      if (n.fold) {
        fold(n, f, a);
      } else {
        leaf(n, f, a);
      }
      break;
    case StmtKind::zero: zero(n, f, a); break;
    case StmtKind::branch: branch(n, f, a, control); break;
    case StmtKind::loop: loop(n, f, a, control); break;
    case StmtKind::barrier:  // where nothing waits for anything, or all lanes are there
      if (lockstep_ && !whole_groups(a)) throw Restart{};
      break;
    case StmtKind::launch: break;
  }
}

// A leaf of one lane whose store is the common case; false before anything has happened where it is not.
bool Machine::leaf_one(const Node& n, Frame& f, const Active& a) {
  if (marks_ || n.value.code.empty()) return false;
  const std::uint32_t lane = a.first;
  if (n.kind != StmtKind::store) {
    if (n.variable.depth != 0 || watches_) return false;
    run(n.value, f, a);
    unsigned char* const out = f.column(n.variable.slot);
    const unsigned char* const value = f.column(n.value.result);
    const auto width = static_cast<std::size_t>(cell_width(n.source->value[0].type));
    std::memmove(out + lane * width, value + lane * width, width);
    f.state(n.variable.slot)[lane] = defined;
    return true;
  }
  Memory& m = memory(n.target.buffer);
  Address address;
  bool inside = false;
  if (!n.target.small || m.watched() || !locate_small(n.target, f, Active::one(lane), address, inside) || !inside)
    return false;
  const std::int64_t flat = address.base;
  operations_ += n.address_cost;
  run(n.value, f, a);
  const unsigned char* const value = f.column(n.value.result);
  switch (m.width) {
    case 1: m.writable[flat] = value[lane]; break;
    case 2: std::memcpy(m.writable + flat * 2, value + std::size_t{lane} * 2, 2); break;
    case 4: std::memcpy(m.writable + flat * 4, value + std::size_t{lane} * 4, 4); break;
    case 8: std::memcpy(m.writable + flat * 8, value + std::size_t{lane} * 8, 8); break;
    default: std::memcpy(m.writable + flat * 16, value + std::size_t{lane} * 16, 16); break;
  }
  m.states[flat] = defined;
  return true;
}

void Machine::leaf(const Node& n, Frame& f, const Active& a) {
  if (a.count == 1 && leaf_one(n, f, a)) return;
  ArenaScope scope(arena_);
  Address address;
  const bool one_by_one = a.count > 1 && (mode_.precise || n.ordered);
  if (one_by_one) {
    auto* flats = n.kind == StmtKind::store ? arena_.array<std::int64_t>(f.total) : nullptr;
    for_each(a, [&](std::uint32_t l) {
      ArenaScope of_lane(arena_);
      Address one;
      lane_ = l;
      evaluate_leaf(n, f, Active::one(l), one);
      if (flats != nullptr) flats[l] = one[l];
    });
    address = {false, 0, 0, flats, 0};
  } else {
    if (a.count > 1) ++speculative_;
    evaluate_leaf(n, f, a, address);
    if (a.count > 1) {
      --speculative_;
      exceeded();
    }
  }
  frame_ = &f;
  if (a.count > 1 && !f.strip) check_lanes(n, f, a, address);
  if (n.kind == StmtKind::store) {
    commit_store(n, f, a, address);
  } else {
    commit_variable(n, f, a);
  }
}

void Machine::evaluate_leaf(const Node& n, Frame& f, const Active& a, Address& address) {
  if (marks_) for_each(a, [&](std::uint32_t l) { f.seen[l] = 0; });
  bool inside = true, marked_index = false;
  if (n.kind == StmtKind::store) {
    operations_ += std::uint64_t{n.address_cost} * a.count;
    if (n.target.computed) run(n.address, f, a);
    inside = locate(n.target, f, a, address);
    if (marks_) for_each(a, [&](std::uint32_t l) { marked_index |= (f.seen[l] & marked) != 0; });
  }
  if (!n.value.code.empty()) run(n.value, f, a);
  if (!inside) outside(n.target, f, a[0], true);
  if (marked_index) {
    sure();
    *memory(n.target.buffer).blanket |= marked;
  }
}

void Machine::commit_store(const Node& n, Frame& f, const Active& a, const Address& address) {
  Memory& m = memory(n.target.buffer);
  const void* values = f.column(n.value.result);
  if (m.watched()) {
    if (mode_.precise && a.count > 1) {
      // One lane after the other: an access that is found is told with its lane.
      for_each(a, [&](std::uint32_t l) {
        lane_ = l;
        watch_cells(m, true, address, Active::one(l));
      });
    } else {
      watch_cells(m, true, address, a);
    }
  }
  switch (m.width) {
    case 1: scatter<std::uint8_t>(m.writable, values, address, a); break;
    case 2: scatter<std::uint16_t>(m.writable, values, address, a); break;
    case 4: scatter<std::uint32_t>(m.writable, values, address, a); break;
    case 8: scatter<std::uint64_t>(m.writable, values, address, a); break;
    default: scatter<Wide>(m.writable, values, address, a); break;
  }
  if (marks_) {
    for_each_cell(address, a, [&](std::uint32_t l, std::int64_t cell) {
      m.states[cell] = static_cast<std::uint8_t>(defined | ((f.seen[l] | control_) & marked));
    });
    return;
  }
  const bool together = for_each_run(address, a, [&](std::uint32_t, std::int64_t cell, std::uint32_t count) {
    if (count == 4) {
      std::memset(m.states + cell, defined, 4);
    } else {
      std::memset(m.states + cell, defined, count);
    }
  });
  if (!together) for_each_cell(address, a, [&](std::uint32_t, std::int64_t cell) { m.states[cell] = defined; });
}

void Machine::commit_variable(const Node& n, Frame& f, const Active& a) {
  const Reference r = n.variable;
  const std::uint8_t given = n.value.code.empty() ? 0 : defined;
  if (n.kind == StmtKind::assign && watches_) {
    for_each(a, [&](std::uint32_t l) {
      lane_ = l;
      watch_variable(n.source->reference, true);
    });
  }
  Frame& to = frame_at(f, r);
  std::uint8_t* const state = to.state(r.slot);
  const auto new_state = [&](std::uint32_t l) {
    return static_cast<std::uint8_t>(given | (marks_ ? (f.seen[l] | control_) & marked : 0));
  };
  if (given != 0) {
    const int width = cell_width(n.source->value[0].type);
    const unsigned char* const values = f.column(n.value.result);
    unsigned char* const out = to.column(r.slot);
    if (r.depth == 0) {
      if (out != values) copy_active(out, values, width, a);
    } else {
      const auto bytes = static_cast<std::size_t>(width);
      for_each(a,
               [&](std::uint32_t l) { std::memcpy(out + lane_at(f, r.depth, l) * bytes, values + l * bytes, bytes); });
    }
  }
  for_each(a, [&](std::uint32_t l) { state[lane_at(f, r.depth, l)] = new_state(l); });
}

// Two lanes with one target are a fault (RUN-7); the second of the first pair in the order of lanes is told.
void Machine::check_lanes(const Node& n, Frame& f, const Active& a, const Address& address) {
  const bool store = n.kind == StmtKind::store;
  if (store ? address.linear && address.stride != 0 : n.variable.depth == 0) return;
  ArenaScope scope(arena_);
  struct Target {
    std::int64_t at;
    std::uint32_t lane;
  };
  auto* targets = arena_.array<Target>(a.count);
  std::uint32_t count = 0;
  bool ascending = true;
  for_each(a, [&](std::uint32_t l) {
    const std::int64_t at = store ? address[l] : lane_at(f, n.variable.depth, l);
    ascending &= count == 0 || targets[count - 1].at < at;
    targets[count++] = {at, l};
  });
  if (ascending) return;
  std::sort(targets, targets + count,
            [](const Target& x, const Target& y) { return x.at != y.at ? x.at < y.at : x.lane < y.lane; });
  const Target* second = nullptr;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (targets[i].at == targets[i - 1].at && (second == nullptr || targets[i].lane < second->lane))
      second = targets + i;
  }
  if (second == nullptr) return;
  lane_ = second->lane;
  if (store) {
    const Memory& m = memory(n.target.buffer);
    fault("RUN-7", fmt::format("two lanes store one cell of `{}`", m.buffer->name), {}, m.buffer->name,
          unflatten(second->at, m.dims));
  }
  fault("RUN-7", fmt::format("two lanes assign variable `{}`", n.source->source->name), {}, n.source->source->name);
}

void Machine::zero(const Node& n, Frame&, const Active& a) {
  Memory& m = memory(n.target.buffer);
  if (m.size == 0) return;
  if (a.count > 1) {
    lane_ = a[1];
    fault("RUN-7", fmt::format("two lanes store one cell of `{}`", m.buffer->name), {}, m.buffer->name,
          unflatten(0, m.dims));
  }
  spend(static_cast<std::uint64_t>(m.size));
  if (m.watched()) {
    for (std::int64_t i = 0; i < m.size; ++i) watch(m, i, true);
  }
  std::memset(m.writable, 0, static_cast<std::size_t>(m.size * m.width));
  std::memset(m.states, defined | (control_ & marked), static_cast<std::size_t>(m.size));
}

void Machine::branch(const Node& n, Frame& f, const Active& a, std::uint8_t control) {
  const bool one_by_one = mode_.precise || n.ordered || a.count == 1;
  std::uint8_t inner = control;
  const unsigned char* const condition = f.column(n.value.result);
  const auto evaluate = [&](const Active& lanes) {
    if (marks_) for_each(lanes, [&](std::uint32_t l) { f.seen[l] = 0; });
    run(n.value, f, lanes);
    if (!marks_) return;
    for_each(lanes, [&](std::uint32_t l) {
      if ((f.seen[l] & marked) == 0) return;
      sure();
      inner |= marked;
      const bool taken = condition[l] != 0;
      mark_targets(taken ? n.source->other : n.source->body, taken ? n.other : n.body, n, f, l, true);
    });
  };
  if (one_by_one) {
    for_each(a, [&](std::uint32_t l) {
      lane_ = l;
      evaluate(Active::one(l));
    });
  } else {
    ++speculative_;
    evaluate(a);
    --speculative_;
    exceeded();
  }
  if (a.count == 1) {
    block(condition[a[0]] != 0 ? n.body : n.other, f, a, inner);
    return;
  }
  ArenaScope scope(arena_);
  auto* first = arena_.array<std::uint32_t>(a.count);
  auto* second = arena_.array<std::uint32_t>(a.count);
  std::uint32_t firsts = 0, seconds = 0;
  for_each(a, [&](std::uint32_t l) {
    if (condition[l] != 0) {
      first[firsts++] = l;
    } else {
      second[seconds++] = l;
    }
  });
  if (firsts > 0) block(n.body, f, seconds == 0 ? a : Active::of(first, firsts), inner);
  if (seconds > 0) block(n.other, f, firsts == 0 ? a : Active::of(second, seconds), inner);
}

// What an arm might have stored is not order-exact (EXEC-32): the cell where it is known without running the arm, else
// the whole buffer.
void Machine::mark_targets(const BoundBlock& arm, const NodeBlock& nodes, const Node& at, Frame& f, std::uint32_t lane,
                           bool same_symbols) {
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const BoundStmt& s = *arm[k];
    const Node& n = nodes[k];
    switch (s.kind) {
      case StmtKind::assign:
        // A deeper variable belongs to lanes inside the arm, and ends with it.
        if (s.slot.level <= at.source->level) {
          Reference r = n.variable;
          r.depth -= s.level - at.source->level;  // counted from the branch's frame
          frame_at(f, r).state(r.slot)[lane_at(f, r.depth, lane)] |= marked;
        }
        break;
      case StmtKind::zero: *memory(s.reference).blanket |= marked; break;
      case StmtKind::store: {
        Memory& m = memory(s.reference);
        bool known = same_symbols && !n.target.computed, inside = true;
        std::int64_t flat = 0;
        for (std::size_t d = 0; d < n.target.dims.size() && known; ++d) {
          const auto i = exact(n.target.dims[d].index, f, lane);
          known = i.has_value();
          inside = inside && known && *i >= 0 && *i < m.dims[d];
          flat = inside ? flat * m.dims[d] + *i : 0;
        }
        if (!known) {
          *m.blanket |= marked;
        } else if (inside) {
          m.states[flat] |= marked;
        }
        break;
      }
      default:
        mark_targets(s.body, n.body, at, f, lane, same_symbols && s.kind != StmtKind::loop);
        mark_targets(s.other, n.other, at, f, lane, same_symbols);
        break;
    }
  }
}

}  // namespace assay::interp::compiled
