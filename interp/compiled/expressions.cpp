// Expressions: instruction after instruction, each for all active lanes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

template <typename T>
void copy_lanes(void* to, const void* from, const Active& a) {
  for_each(a,
           [&](std::uint32_t l) { std::memcpy(static_cast<T*>(to) + l, static_cast<const T*>(from) + l, sizeof(T)); });
}
struct Wide {
  std::uint64_t part[2];
};

}  // namespace

void copy_active(void* to, const void* from, int width, const Active& a) {
  switch (width) {
    case 1: copy_lanes<std::uint8_t>(to, from, a); break;
    case 2: copy_lanes<std::uint16_t>(to, from, a); break;
    case 4: copy_lanes<std::uint32_t>(to, from, a); break;
    case 8: copy_lanes<std::uint64_t>(to, from, a); break;
    default: copy_lanes<Wide>(to, from, a); break;
  }
}

void Machine::run(const Instruction* i, const Instruction* end, Frame& f, const Active& a) {
  while (i != end) {
    operations_ += std::uint64_t{i->cost} * a.count;
    switch (i->code) {
      case Code::kernel: {
        i->kernel(i->types, {f.column(i->out), f.column(i->a), f.column(i->b), f.column(i->c), f.column(i->d), a,
                             i->watched ? f.inexact : nullptr});
        if (i->watched)
          for_each(a, [&](std::uint32_t l) {
            f.seen[l] = static_cast<std::uint8_t>(f.seen[l] | (f.inexact[l] != 0 ? marked : 0));
          });
        break;
      }
      case Code::divide:
        if (divide(i->types, {f.column(i->out), f.column(i->a), f.column(i->b), nullptr, nullptr, a, nullptr})) {
          fault("RUN-3", fmt::format("`{}` divides by zero", info(i->op).text), i->source->source->where);
        }
        break;
      case Code::index_operation: index_operation(*i, f, a); break;
      case Code::index:
        if (!values(*i->index, f, a, reinterpret_cast<std::int64_t*>(f.column(i->out))))
          fault("RUN-4", "an index value leaves int64", i->source->source->where);
        break;
      case Code::index_check:
        if (speculative_ == 0 && !exact(*i->index, f, a[0]))
          fault("RUN-4", "an index value leaves int64", i->source->source->where);
        break;
      case Code::literal: splat(*i, f, a); break;
      case Code::variable:
      case Code::outer: read_variable(*i, f, a); break;
      case Code::load: load(*i, f, a); break;
      case Code::move: copy_active(f.column(i->out), f.column(i->a), cell_width(i->types.out), a); break;
      case Code::choice:
      case Code::land:
      case Code::lor: {
        const Instruction* const next = i + i->skip;
        choose(i, f, a);
        i = next;
        continue;
      }
      case Code::scope: scope(*i, f, a); break;
    }
    ++i;
  }
}

void Machine::splat(const Instruction& i, Frame& f, const Active& a) {
  unsigned char* out = f.column(i.out);
  const int width = cell_width(i.types.out);
  if (a.count == 1 || width > 8) {
    for_each(a, [&](std::uint32_t l) { write_value(out + l * static_cast<std::size_t>(width), i.literal); });
    return;
  }
  std::uint64_t bits = 0;
  write_value(&bits, i.literal);
  const std::uint32_t first = a[0], end = a.end();
  switch (width) {
    case 1: std::fill(out + first, out + end, static_cast<unsigned char>(bits)); break;
    case 2: {
      auto* p = reinterpret_cast<std::uint16_t*>(out);
      std::fill(p + first, p + end, static_cast<std::uint16_t>(bits));
      break;
    }
    case 4: {
      auto* p = reinterpret_cast<std::uint32_t*>(out);
      std::fill(p + first, p + end, static_cast<std::uint32_t>(bits));
      break;
    }
    default: {
      auto* p = reinterpret_cast<std::uint64_t*>(out);
      std::fill(p + first, p + end, bits);
      break;
    }
  }
}

void Machine::read_variable(const Instruction& i, Frame& f, const Active& a) {
  if (watches_) watch_variable(i.number, false);
  const Reference r = i.variable;
  Frame& from = frame_at(f, r);
  const std::uint8_t* state = from.state(r.slot);
  std::uint8_t all = defined;
  if (i.code == Code::variable) {
    for_each(a, [&](std::uint32_t l) { all &= state[l]; });
    if (marks_) for_each(a, [&](std::uint32_t l) { f.seen[l] |= state[l]; });
  } else {
    const auto width = static_cast<std::size_t>(cell_width(i.types.out));
    const unsigned char* values = from.column(r.slot);
    unsigned char* out = f.column(i.out);
    for_each(a, [&](std::uint32_t l) {
      const std::uint32_t there = lane_at(f, r.depth, l);
      all &= state[there];
      if (marks_) f.seen[l] |= state[there];
      std::memcpy(out + l * width, values + there * width, width);
    });
  }
  if (all == 0) {
    const Symbol& name = i.source->source->name;
    fault("RUN-2", fmt::format("variable `{}` is read and has no value", name), i.source->source->where, name);
  }
}

// `i` is the choice; its arms follow it.
void Machine::choose(const Instruction* i, Frame& f, const Active& a) {
  const unsigned char* condition = f.column(i->a);
  const Instruction* const second = i + i->middle;
  const Instruction* const end = i + i->skip;
  const bool runs_on = i->code != Code::lor;  // the value of the condition for which the first arm runs
  const auto others = [&](const Active& rest) {
    if (i->code == Code::choice) {
      run(second, end, f, rest);
    } else {
      unsigned char* out = f.column(i->out);
      for_each(rest, [&](std::uint32_t l) { out[l] = i->code == Code::lor ? 1 : 0; });
    }
  };
  if (a.count == 1) {
    if ((condition[a[0]] != 0) == runs_on) {
      run(i + 1, second, f, a);
    } else {
      others(a);
    }
    return;
  }
  ArenaScope scope_of_lists(arena_);
  auto* first = arena_.array<std::uint32_t>(a.count);
  auto* rest = arena_.array<std::uint32_t>(a.count);
  std::uint32_t firsts = 0, rests = 0;
  for_each(a, [&](std::uint32_t l) {
    if ((condition[l] != 0) == runs_on) {
      first[firsts++] = l;
    } else {
      rest[rests++] = l;
    }
  });
  if (rests == 0) return run(i + 1, second, f, a);
  if (firsts == 0) return others(a);
  run(i + 1, second, f, Active::of(first, firsts));
  others(Active::of(rest, rests));
}

// The statements of a scope begin with nothing seen; what the expression around it has seen is kept.
void Machine::scope(const Instruction& i, Frame& f, const Active& a) {
  const BoundStmt* const statement = statement_;
  const std::uint8_t control = control_;
  std::uint8_t* const state = f.state(i.variable.slot);
  ArenaScope scope_of_copies(arena_);
  std::uint8_t* seen = nullptr;
  if (marks_) {
    seen = arena_.array<std::uint8_t>(f.total);
    for_each(a, [&](std::uint32_t l) { seen[l] = f.seen[l]; });
  }
  for_each(a, [&](std::uint32_t l) { state[l] = 0; });
  block(*i.block, f, a, control);
  statement_ = statement;
  control_ = control;
  frame_ = &f;
  lane_ = a[0];
  std::uint8_t all = defined;
  for_each(a, [&](std::uint32_t l) { all &= state[l]; });
  if (all == 0) {
    const Symbol& name = i.source->source->name;
    fault("RUN-2", fmt::format("scope `{}` ends without a value", name), i.source->source->where, name);
  }
  if (seen != nullptr) for_each(a, [&](std::uint32_t l) { f.seen[l] = seen[l] | state[l]; });
}

// Mathematical integers (EXEC-11).
void Machine::index_operation(const Instruction& i, Frame& f, const Active& active) {
  const auto* left = reinterpret_cast<const std::int64_t*>(f.column(i.a));
  const auto* right = reinterpret_cast<const std::int64_t*>(f.column(i.b));
  unsigned char* out = f.column(i.out);
  auto* numbers = reinterpret_cast<std::int64_t*>(out);
  const auto compare = [&](auto test) {
    for_each(active, [&](std::uint32_t l) { out[l] = test(left[l], right[l]) ? 1 : 0; });
  };
  switch (i.op) {
    case Op::eq: return compare([](std::int64_t x, std::int64_t y) { return x == y; });
    case Op::ne: return compare([](std::int64_t x, std::int64_t y) { return x != y; });
    case Op::lt: return compare([](std::int64_t x, std::int64_t y) { return x < y; });
    case Op::le: return compare([](std::int64_t x, std::int64_t y) { return x <= y; });
    case Op::gt: return compare([](std::int64_t x, std::int64_t y) { return x > y; });
    case Op::ge: return compare([](std::int64_t x, std::int64_t y) { return x >= y; });
    default: break;
  }
  bool by_zero = false, too_large = false;
  for_each(active, [&](std::uint32_t l) {
    const Int128 x = left[l];
    const Int128 y = i.types.arity > 1 ? right[l] : 0;
    Int128 r = 0;
    if (i.op >= Op::floordiv && i.op <= Op::eucmod) {
      if (y == 0) {
        by_zero = true;
        return;
      }
      const Int128 quotient = x / y, remainder = x % y;
      const bool uneven = remainder != 0;
      const bool apart = (x < 0) != (y < 0);
      const Int128 magnitude = y < 0 ? -y : y;
      switch (i.op) {
        case Op::floordiv: r = quotient - (uneven && apart ? 1 : 0); break;
        case Op::floormod: r = uneven && apart ? remainder + y : remainder; break;
        case Op::ceildiv: r = quotient + (uneven && !apart ? 1 : 0); break;
        case Op::truncdiv: r = quotient; break;
        case Op::truncmod: r = remainder; break;
        case Op::eucmod: r = remainder < 0 ? remainder + magnitude : remainder; break;
        default: r = (x - (remainder < 0 ? remainder + magnitude : remainder)) / y; break;
      }
    } else {
      switch (i.op) {
        case Op::neg: r = -x; break;
        case Op::abs: r = x < 0 ? -x : x; break;
        case Op::add: r = x + y; break;
        case Op::sub: r = x - y; break;
        case Op::mul: r = x * y; break;
        case Op::max: r = std::max(x, y); break;
        default: r = std::min(x, y); break;  // min: resolution admits no other
      }
    }
    if (r < std::numeric_limits<std::int64_t>::min() || r > std::numeric_limits<std::int64_t>::max()) {
      too_large = true;
      return;
    }
    numbers[l] = static_cast<std::int64_t>(r);
  });
  if (by_zero) fault("RUN-3", fmt::format("`{}` divides by zero", info(i.op).text), i.source->source->where);
  if (too_large)
    fault("RUN-4", fmt::format("`{}` of index values leaves int64", info(i.op).text), i.source->source->where);
}

}  // namespace assay::interp::compiled
