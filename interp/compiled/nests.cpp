// Nests: entered when every access stays inside its buffer for all iterations, then run without looking at indices again.
//
// What a nest meets that canonical execution would tell (a cell without a value, a division by zero, a budget that
// does not last) makes the run start again, iteration by iteration.
#include "interp/compiled/nest.hpp"

#include <algorithm>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

// Where something is in iteration k of the loop around it: at + k·by.
struct Pointer {
  unsigned char* at = nullptr;
  std::int64_t by = 0;
  unsigned char* operator[](std::int64_t k) const { return at + k * by; }
};
// A pointer that goes on with a loop further out.
struct Move {
  Pointer* pointer = nullptr;
  std::int64_t by = 0;
};
struct Count {
  std::int64_t* value = nullptr;
  std::int64_t by = 0;
};
struct OpRun {
  Step step = nullptr;  // null: what `code` says
  Pointer at[5] = {};   // out, a, b, c, d
  const NestOp* code = nullptr;
};
struct ItemRun {
  int loop = -1;
  std::uint8_t after = 0;
  Pointer state{};  // of the target
  OpRun *ops = nullptr, *ops_end = nullptr;
  Pointer *reads = nullptr, *reads_end = nullptr;
};
struct LoopRun {
  std::uint64_t trips = 0;
  bool inside = false;  // of another loop
  ItemRun *body = nullptr, *body_end = nullptr;
  Move *moves = nullptr, *moves_end = nullptr;
  Count *counts = nullptr, *counts_end = nullptr;
};
// Where a stream begins, and how far it goes with each loop.
struct StreamRun {
  unsigned char* at = nullptr;
  std::uint8_t* state = nullptr;  // null: always defined
  std::int64_t width = 0;
  std::int64_t* cells = nullptr;
};

void leaf(const ItemRun& item, std::int64_t k) {
  for (const Pointer* r = item.reads; r != item.reads_end; ++r) {
    if ((*(*r)[k] & defined) == 0) throw Restart{};
  }
  for (const OpRun* op = item.ops; op != item.ops_end; ++op) {
    if (op->step != nullptr) {
      op->step(op->at[0][k], op->at[1][k], op->at[2][k], op->at[3][k]);
      continue;
    }
    const KernelLanes lanes{op->at[0][k], op->at[1][k],   op->at[2][k], op->at[3][k],
                            op->at[4][k], Active::one(0), nullptr};
    if (op->code->kind == NestOp::Kind::kernel) {
      op->code->kernel(op->code->types, lanes);
    } else if (divide(op->code->types, lanes)) {
      throw Restart{};
    }
  }
  *item.state[k] = item.after;
}

void go(const LoopRun& l, std::int64_t iterations) {
  for (const Move* m = l.moves; m != l.moves_end; ++m) m->pointer->at += m->by * iterations;
  for (const Count* c = l.counts; c != l.counts_end; ++c) {
    *c->value = static_cast<std::int64_t>(static_cast<std::uint64_t>(*c->value) +
                                          static_cast<std::uint64_t>(c->by) * static_cast<std::uint64_t>(iterations));
  }
}

void run_loop(const LoopRun* loops, int number) {
  const LoopRun& l = loops[number];
  for (std::uint64_t k = 0; k < l.trips; ++k) {
    for (const ItemRun* item = l.body; item != l.body_end; ++item) {
      if (item->loop < 0) {
        leaf(*item, static_cast<std::int64_t>(k));
      } else {
        run_loop(loops, item->loop);
      }
    }
    go(l, 1);
  }
  if (l.inside) go(l, -static_cast<std::int64_t>(l.trips));
}

}  // namespace

// False, before anything has happened, where the nest cannot run as one.
bool Machine::nest(const Node& n, Frame& f, std::int64_t lower, std::uint64_t trips) {
  if (marks_ || watches_) return false;
  const NestCode& code = *n.nest;
  const std::size_t count = code.loops.size();
  ArenaScope scope(arena_);
  auto* loops = arena_.array<LoopRun>(count);
  std::fill_n(loops, count, LoopRun{});
  auto** frames = arena_.array<Frame*>(count + 1);  // of lanes by loop, behind the thread's
  frames[0] = &f;
  for (std::size_t l = 0; l < count; ++l) {
    const NestLoop& loop = code.loops[l];
    std::int64_t first = lower;
    loops[l].trips = trips;
    if (l > 0) {
      std::int64_t end = 0, stride = 0;
      if (!linear(loop.lo, f, first, stride) || !linear(loop.hi, f, end, stride)) return false;
      loops[l].trips = trips_between(first, end, loop.step);
      if (loops[l].trips == 0 || loops[l].trips >= loop.most) return false;
    }
    if (loops[l].trips >> 62 != 0) return false;
    if (loop.lanes != nullptr) {
      auto* lane = frames[l + 1] = new (arena_.take(sizeof(Frame))) Frame(new_frame(&f, *loop.lanes, 1));
      lane->symbols[loop.symbol] = {first, 0, false, -1};
    } else {
      f.symbols[loop.symbol] = {first, 0, false, -1};
    }
  }
  // From the innermost outwards; what passes the budget does so whatever happens inside.
  Int128 total = 0;
  auto* costs = arena_.array<Int128>(count);
  for (std::size_t l = 0; l < count; ++l) costs[l] = static_cast<Int128>(code.loops[l].cost);
  for (std::size_t l = count; l-- > 0;) {
    // An iteration after the first counts for one, and every lane.
    total = (costs[l] + 1) * static_cast<Int128>(loops[l].trips) - (code.loops[l].lanes != nullptr ? 0 : 1);
    if (total > static_cast<Int128>(budget_)) exhausted();
    if (l > 0) costs[code.loops[l].outer] += total;
  }
  if (total > static_cast<Int128>(budget_ - std::min(budget_, operations_))) exhausted();

  // Whether an index has a value in [0, size) in all iterations; its first value.
  const auto stays = [&](const NestLine& line, std::int64_t size, std::int64_t& first) {
    std::int64_t stride = 0;
    if (!linear(*line.index, *frames[line.lanes + 1], first, stride)) return false;
    std::int64_t least = first, greatest = first;
    for (std::size_t l = 0; l < line.along.size(); ++l) {
      const std::int64_t by = line.along[l];
      if (by != 0 && !add_product(by < 0 ? least : greatest, by, static_cast<std::int64_t>(loops[l].trips - 1)))
        return false;
    }
    return size < 0 || (least >= 0 && greatest < size);
  };
  auto* streams = arena_.array<StreamRun>(code.streams.size());
  for (std::size_t i = 0; i < code.streams.size(); ++i) {
    const NestStream& stream = code.streams[i];
    const Memory& m = memory(stream.access->buffer);
    if (m.watched() || m.ranged) return false;
    std::int64_t flat = 0;
    auto* cells = arena_.array<std::int64_t>(count);
    std::fill_n(cells, count, 0);
    for (std::size_t d = 0; d < stream.dims.size(); ++d) {
      std::int64_t first = 0;
      if (!stays(stream.dims[d], m.dims[d], first)) return false;
      flat = flat * m.dims[d] + first;
      const auto& along = stream.dims[d].along;
      for (std::size_t l = 0; l < count; ++l)
        cells[l] = cells[l] * m.dims[d] + (l < along.size() && loops[l].trips > 1 ? along[l] : 0);
    }
    // Two lanes would store one cell.
    for (std::size_t l = 0; l < count && stream.store; ++l) {
      const bool around = !stream.dims.empty() && stream.dims[0].lanes == static_cast<int>(l);
      if (around && cells[l] == 0 && loops[l].trips > 1) return false;
    }
    // Inputs are only read.
    streams[i] = {const_cast<unsigned char*>(m.elements) + flat * m.width,
                  m.states != nullptr ? m.states + flat : nullptr, m.width, cells};
  }
  auto* values = arena_.array<std::int64_t>(code.values.size());
  for (std::size_t i = 0; i < code.values.size(); ++i) {
    if (!stays(code.values[i], -1, values[i])) return false;
  }
  auto* literals = arena_.array<std::uint64_t>(2 * code.literals.size());
  for (std::size_t i = 0; i < code.literals.size(); ++i) write_value(literals + 2 * i, code.literals[i]);

  for (std::size_t l = 0; l < count; ++l) {
    loops[l].moves = loops[l].moves_end = arena_.array<Move>(code.pointers);
    loops[l].counts = loops[l].counts_end = arena_.array<Count>(code.values.size());
    for (std::size_t i = 0; i < code.values.size(); ++i) {
      const auto& along = code.values[i].along;
      if (l < along.size() && along[l] != 0) *loops[l].counts_end++ = {values + i, along[l]};
    }
  }
  // Points to an operand's value, and goes on with it; or to its state.
  const auto point = [&](Pointer* pointer, int operand, bool to_state, std::size_t around) {
    const NestOperand& o = code.operands[static_cast<std::size_t>(operand)];
    const auto number = static_cast<std::size_t>(o.number);
    const Frame& of = *frames[o.lanes + 1];
    switch (o.kind) {
      case NestOperand::Kind::column: pointer->at = of.column(o.number); break;
      case NestOperand::Kind::variable: pointer->at = to_state ? of.state(o.number) : of.column(o.number); break;
      case NestOperand::Kind::literal: pointer->at = reinterpret_cast<unsigned char*>(literals + 2 * number); break;
      case NestOperand::Kind::value: pointer->at = reinterpret_cast<unsigned char*>(values + number); break;
      case NestOperand::Kind::stream: {
        const StreamRun& s = streams[number];
        pointer->at = to_state ? s.state : s.at;
        if (pointer->at == nullptr) break;
        for (std::size_t l = 0; l < count; ++l) {
          const std::int64_t by = to_state ? s.cells[l] : s.cells[l] * s.width;
          if (l == around) {
            pointer->by = by;
          } else if (by != 0) {
            *loops[l].moves_end++ = {pointer, by};
          }
        }
        break;
      }
    }
  };
  for (std::size_t l = 0; l < count; ++l) {
    const NestLoop& loop = code.loops[l];
    loops[l].inside = l > 0;
    ItemRun* item = loops[l].body = arena_.array<ItemRun>(loop.body.size());
    for (const NestItem& from : loop.body) {
      *item = {};
      item->loop = from.loop;
      if (from.loop < 0) {
        OpRun* op = item->ops = arena_.array<OpRun>(from.ops.size());
        for (const NestOp& o : from.ops) {
          *op = {};
          op->step = o.step;
          op->code = &o;
          const int operands[5] = {o.out, o.a, o.b, o.c, o.d};
          for (int k = 0; k < 5; ++k) {
            if (operands[k] >= 0) point(op->at + k, operands[k], false, l);
          }
          ++op;
        }
        item->ops_end = op;
        item->reads = item->reads_end = arena_.array<Pointer>(from.reads.size());
        for (const int r : from.reads) {
          *item->reads_end = {};
          point(item->reads_end, r, true, l);
          if (item->reads_end->at != nullptr) ++item->reads_end;
        }
        item->after = from.state;
        point(&item->state, from.target, true, l);
      }
      ++item;
    }
    loops[l].body_end = item;
  }
  run_loop(loops, 0);
  operations_ += static_cast<std::uint64_t>(total);
  frame_ = &f;
  return true;
}

}  // namespace assay::interp::compiled
