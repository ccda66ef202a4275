// Serial loops in strips: the body statement by statement, each for many iterations at once.
//
// That is the same as iteration by iteration when no cell is touched by a later statement in an earlier iteration than by
// an earlier statement. Cells that are linear in the symbol tell when they are entered: two accesses with one
// stride meet only at one distance, others not at all where their ranges are apart. A strip is kept shorter than the least
// distance that would be out of order.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

constexpr std::uint64_t longest = 256;

struct Line {
  Int128 base = 0, stride = 0;
};

}  // namespace

// How many iterations may run at once, from the first on.
std::uint64_t Machine::strip_length(const Node& n, Frame& f, std::uint64_t trips) {
  std::uint64_t length = std::min(trips, longest);
  for (const Hazard& h : n.strip->hazards) {
    Line line[2];
    const Access* access[] = {h.first, h.second};
    for (int k = 0; k < 2; ++k) {
      const Memory& m = memory(access[k]->buffer);
      for (std::size_t d = 0; d < access[k]->dims.size(); ++d) {
        std::int64_t base = 0, stride = 0;
        if (!linear(access[k]->dims[d].index, f, base, stride)) return 1;
        // Far outside is a fault anyway, and is found where it happens; here it must not overflow.
        constexpr std::int64_t far = std::int64_t{1} << 40;
        if (base > far || base < -far || stride > far || stride < -far || m.size > far) return 1;
        line[k] = {line[k].base * m.dims[d] + base, line[k].stride * m.dims[d] + stride};
        if (line[k].base > Int128{1} << 80 || line[k].base < -(Int128{1} << 80)) return 1;
      }
    }
    const Int128 distance = line[1].base - line[0].base;
    if (line[0].stride == line[1].stride) {
      const Int128 stride = line[0].stride;
      if (stride == 0) {
        if (distance == 0) return 1;
        continue;
      }
      if (distance % stride != 0) continue;
      // The second access touches in iteration k what the first one touches in iteration k + q.
      const Int128 q = distance / stride;
      if (q > 0 && q < static_cast<Int128>(length)) length = static_cast<std::uint64_t>(q);
      continue;
    }
    Int128 lo[2], hi[2];
    for (int k = 0; k < 2; ++k) {
      const Int128 last = line[k].base + line[k].stride * static_cast<Int128>(trips - 1);
      lo[k] = std::min(line[k].base, last);
      hi[k] = std::max(line[k].base, last);
    }
    if (lo[0] <= hi[1] && lo[1] <= hi[0]) return 1;
  }
  return length;
}

// False where the loop has to run iteration by iteration.
bool Machine::strips(const Node& n, Frame& f, std::int64_t lower, std::uint64_t trips, std::uint8_t control) {
  if (trips < shortest_strip) return false;
  const StripLoop& s = *n.strip;
  ArenaScope scope(arena_);
  const auto capacity = static_cast<std::uint32_t>(std::min(trips, longest));
  Frame strip = new_frame(&f, s.layout, capacity);
  strip.strip = true;
  SymbolValue& symbol = strip.symbols[s.symbol];
  const std::int64_t step = n.source->step;
  symbol = {lower, step, false, -1};
  const std::uint64_t length = strip_length(n, strip, trips);
  if (length < shortest_strip) return false;
  ++speculative_;
  for (std::uint64_t k = 0; k < trips; k += length) {
    const auto count = static_cast<std::uint32_t>(std::min(length, trips - k));
    spend(count - (k == 0 ? 1 : 0));
    symbol.base = at_iteration(lower, k, step);
    block(s.body, strip, {nullptr, 0, count}, control);
  }
  --speculative_;
  exceeded();
  frame_ = &f;
  return true;
}

// The terms for all lanes, then the accumulation through the lanes in order.
void Machine::fold(const Node& n, Frame& f, const Active& a) {
  const FoldCode& c = *n.fold;
  ArenaScope scope(arena_);
  if (marks_) for_each(a, [&](std::uint32_t l) { f.seen[l] = 0; });
  operations_ += std::uint64_t{c.cost + n.address_cost} * a.count;
  const auto width = static_cast<std::size_t>(cell_width(c.types.out));
  unsigned char value[16] = {};
  unsigned char* cell = nullptr;
  std::uint8_t* state = nullptr;
  std::uint8_t blanket = 0;
  if (n.kind == StmtKind::store) {
    Address address;
    if (!locate(n.target, f, a, address)) throw Restart{};
    const Memory& m = memory(n.target.buffer);
    const std::int64_t flat = address[a[0]];
    if (m.watched()) {
      watch(m, flat, false);
      watch(m, flat, true);
    }
    cell = m.writable + flat * m.width;
    state = m.states + flat;
    blanket = *m.blanket;
  } else {
    if (watches_) {
      watch_variable(n.source->reference, false);
      watch_variable(n.source->reference, true);
    }
    Frame& outer = frame_at(f, n.variable);
    cell = outer.column(n.variable.slot);
    state = outer.state(n.variable.slot);
  }
  run(n.value, f, a);
  if ((*state & defined) == 0) throw Restart{};
  std::uint8_t seen = *state | blanket | control_;
  std::memcpy(value, cell, width);
  if (fold_value(c, f, a, value)) seen |= marked;
  if (marks_) for_each(a, [&](std::uint32_t l) { seen |= f.seen[l]; });
  std::memcpy(cell, value, width);
  *state = static_cast<std::uint8_t>(defined | (marks_ ? seen & marked : 0));
}

// Whether an operation was inexact, where that is asked.
bool Machine::fold_value(const FoldCode& c, Frame& f, const Active& a, unsigned char* value) {
  const int other = c.operands[c.position == 0 ? 1 : 0];
  if (c.fold != nullptr) return c.fold(c.types, value, f.column(other), a) && c.watched;
  const auto width = static_cast<std::size_t>(cell_width(c.types.operand));
  unsigned char next[16] = {};
  std::uint8_t inexact = 0, any = 0;
  for_each(a, [&](std::uint32_t l) {
    const void* operands[3] = {nullptr, nullptr, nullptr};
    for (int k = 0; k < c.types.arity; ++k) operands[k] = k == c.position ? value : f.column(c.operands[k]) + l * width;
    c.kernel(c.types,
             {next, operands[0], operands[1], operands[2], nullptr, Active::one(0), c.watched ? &inexact : nullptr});
    any |= inexact;
    std::memcpy(value, next, sizeof next);
  });
  return any != 0;
}

}  // namespace assay::interp::compiled
