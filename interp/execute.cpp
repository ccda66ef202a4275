// Statements: the explicit machine. Every function here sees a set of lanes; scalar code is a set of one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/machine.hpp"

namespace assay::interp {

// Runs the current thread until its stack is back to `base` frames or it waits.
void Machine::run_to(std::size_t base) {
  std::vector<Frame>& stack = thread_->stack;
  while (stack.size() > base && thread_->wait.at == nullptr) {
    Frame& top = stack.back();
    if (top.next == top.block->size()) {
      finish_block();
    } else {
      // Copies: statements push frames, which moves the stack.
      const BoundStmt& s = *(*top.block)[top.next++];
      const LaneSet lanes = top.lanes;
      execute(s, lanes, top.control);
    }
  }
}

// One step of the current thread: up to and with the evaluation of a statement that stores, or that store.
void Machine::turn() {
  Thread& t = *thread_;
  if (t.storing != nullptr) {
    const BoundStmt& s = *std::exchange(t.storing, nullptr);
    statement_ = &s;
    commit(s, t.storing_lane, t.pending);
    return;
  }
  Frame& top = t.stack.back();
  if (top.next == top.block->size()) return finish_block();
  const BoundStmt& s = *(*top.block)[top.next];
  const bool alone = top.lanes.count == 1;
  if (s.kind != StmtKind::store || !alone) {
    ++top.next;
    const LaneSet lanes = top.lanes;
    return execute(s, lanes, top.control);
  }
  ++top.next;
  spend(1);
  statement_ = &s;
  control_ = top.control;
  t.storing_lane = top.lanes[0];
  t.pending = evaluate_leaf(s, t.storing_lane);
  t.storing = &s;
}

void Machine::finish_block() {
  Frame& top = thread_->stack.back();
  if (top.owner != nullptr) {
    statement_ = top.owner;
    if ((top.owner->axis == Axis::reduce || top.owner->axis == Axis::tile) && !top.left) {
      top.left = true;
      wait(*top.owner, true);
      return;
    }
    if (next_iteration(top)) return;
  }
  if (top.group) spare_.push_back(std::move(top.group));
  thread_->stack.pop_back();
}

void Machine::push(const BoundBlock& block, const BoundStmt* owner, LaneSet lanes, std::uint8_t control,
                   std::unique_ptr<LaneGroup> group) {
  thread_->stack.emplace_back();
  Frame& f = thread_->stack.back();
  f.block = &block;
  f.owner = owner;
  f.lanes = lanes;
  f.control = control;
  f.group = std::move(group);
}

void Machine::wait(const BoundStmt& s, bool leaving) {
  Wait& w = thread_->wait;
  w.at = &s;
  w.leaving = leaving;
  w.iterations.clear();
  for (const Frame& f : thread_->stack) {
    if (f.owner != nullptr && (f.owner->axis == Axis::serial || f.owner->axis == Axis::unrolled))
      w.iterations.push_back(f.iteration);
  }
}

void Machine::execute(const BoundStmt& s, LaneSet lanes, std::uint8_t control) {
  if (leaves_out(s)) return;
  spend(lanes.count);
  statement_ = &s;
  control_ = control;
  lane_ = lanes[0];
  switch (s.kind) {
    case StmtKind::store:
    case StmtKind::assign:
    case StmtKind::declare: leaf(s, lanes); break;
    case StmtKind::zero: zero(s, lanes); break;
    case StmtKind::branch: branch(s, lanes, control); break;
    case StmtKind::loop: enter_loop(s, lanes, control); break;
    case StmtKind::barrier: wait(s, false); break;
    case StmtKind::launch: break;  // resolution split the program there
  }
}

// All lanes evaluate, then all store (EXEC-20). `pending_` is a stack: evaluating may run leaves of scopes.
void Machine::leaf(const BoundStmt& s, LaneSet lanes) {
  const std::size_t base = pending_.size();
  for (std::size_t i = 0; i < lanes.count; ++i) {
    const Pending p = evaluate_leaf(s, lanes[i]);
    pending_.push_back(p);
  }
  if (lanes.count > 1) check_lanes(s, lanes, base);
  for (std::size_t i = 0; i < lanes.count; ++i) commit(s, lanes[i], pending_[base + i]);
  pending_.resize(base);
}

Pending Machine::evaluate_leaf(const BoundStmt& s, Lane lane) {
  lane_ = lane;
  seen_ = 0;
  Pending p;
  if (s.kind != StmtKind::store) {
    if (!s.value.empty()) {
      p.bits = evaluate(s.value[0], lane);
      p.high = high_;
      p.state = defined;
    }
    p.target = reinterpret_cast<std::uintptr_t>(&value_at(s.slot, lane));
  } else {
    const Cell c = cell(memory(s.reference), s.indices, lane);
    const std::uint8_t seen_by_indices = seen_;
    p.bits = evaluate(s.value[0], lane);
    p.high = high_;
    if (!c.inside) outside(memory(s.reference), s.indices, lane, s.source->where, true);
    if ((seen_by_indices & marked) != 0) *memory(s.reference).blanket |= marked;
    p.target = static_cast<std::uint64_t>(c.flat);
    p.state = defined;
  }
  p.state |= (seen_ | control_) & marked;
  return p;
}

void Machine::commit(const BoundStmt& s, Lane lane, const Pending& p) {
  lane_ = lane;
  if (s.kind == StmtKind::store) {
    Memory& m = memory(s.reference);
    const auto flat = static_cast<std::int64_t>(p.target);
    if (m.watched()) watch(m, flat, true);
    m.set_bits(flat, p.bits);
    if (m.width == 16) m.set_high(flat, p.high);
    m.states[flat] = p.state;
  } else {
    if (s.kind == StmtKind::assign && !variable_shadows_.empty()) watch_variable(s.reference, true);
    value_at(s.slot, lane) = {p.bits, p.state, p.high};
  }
}

// Two lanes with one target are a fault (RUN-7). Targets mostly ascend with the lanes, which settles it.
void Machine::check_lanes(const BoundStmt& s, LaneSet lanes, std::size_t base) {
  const Pending* pending = pending_.data() + base;
  const auto later = std::adjacent_find(pending, pending + lanes.count,
                                        [](const Pending& a, const Pending& b) { return a.target >= b.target; });
  if (later == pending + lanes.count) return;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < lanes.count; ++i) order.emplace_back(pending[i].target, i);
  std::sort(order.begin(), order.end());
  std::size_t second = lanes.count;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i].first == order[i - 1].first) second = std::min(second, order[i].second);
  }
  if (second == lanes.count) return;
  lane_ = lanes[second];
  if (s.kind == StmtKind::store) {
    const Memory& m = memory(s.reference);
    fault("RUN-7", fmt::format("two lanes store one cell of `{}`", m.buffer->name), {}, m.buffer->name,
          unflatten(static_cast<std::int64_t>(pending[second].target), m.dims));
  }
  fault("RUN-7", fmt::format("two lanes assign variable `{}`", s.source->name), {}, s.source->name);
}

void Machine::zero(const BoundStmt& s, LaneSet lanes) {
  Memory& m = memory(s.reference);
  if (m.size == 0) return;
  if (lanes.count > 1) {
    lane_ = lanes[1];
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

void Machine::branch(const BoundStmt& s, LaneSet lanes, std::uint8_t control) {
  std::unique_ptr<LaneGroup> group[2];  // the second arm, the first arm
  bool taken = false;
  if (lanes.count > 1) {
    for (auto& g : group) g = new_group();
  }
  std::uint8_t arms_control = control;
  for (std::size_t i = 0; i < lanes.count; ++i) {
    lane_ = lanes[i];
    seen_ = 0;
    taken = evaluate(s.value[0], lanes[i]) != 0;
    if ((seen_ & marked) != 0) {
      arms_control |= marked;
      mark_targets(taken ? s.other : s.body, lanes[i], true);
    }
    if (lanes.count > 1) group[taken ? 1 : 0]->lanes.push_back(lanes[i]);
  }
  if (lanes.count == 1) {
    const BoundBlock& arm = taken ? s.body : s.other;
    if (!arm.empty()) push(arm, nullptr, lanes, arms_control);
    return;
  }
  // Last in, first out: the arm where the condition holds runs first (EXEC-22).
  for (int i = 0; i < 2; ++i) {
    const BoundBlock& arm = i == 1 ? s.body : s.other;
    if (arm.empty() || group[i]->lanes.empty()) {
      spare_.push_back(std::move(group[i]));
    } else {
      const LaneSet active{group[i]->lanes.data(), group[i]->lanes.size()};
      push(arm, nullptr, active, arms_control, std::move(group[i]));
    }
  }
}

// What an arm might have stored is not order-exact (EXEC-32). Where the cell is known without running the arm it alone
// is marked, else the whole buffer. `same_symbols`: no loop of the arm is around `arm`, so that indices can be evaluated.
void Machine::mark_targets(const BoundBlock& arm, Lane lane, bool same_symbols) {
  for (const auto& s : arm) {
    switch (s->kind) {
      case StmtKind::assign:
        // A deeper variable belongs to lanes inside the arm, and ends with it.
        if (s->slot.level <= statement_->level) value_at(s->slot, lane).state |= marked;
        break;
      case StmtKind::zero: *memory(s->reference).blanket |= marked; break;
      case StmtKind::store: {
        Memory& m = memory(s->reference);
        Cell c;
        bool known = same_symbols;
        for (std::size_t d = 0; d < s->indices.size() && known; ++d) {
          known = s->indices[d].form == Form::index;
          const auto i = known ? index_value(s->indices[d].index, lane) : std::nullopt;
          known = i.has_value();
          c.inside = c.inside && known && *i >= 0 && *i < m.dims[d];
          c.flat = c.inside ? c.flat * m.dims[d] + *i : 0;
        }
        if (!known) {
          *m.blanket |= marked;
        } else if (c.inside) {
          m.states[c.flat] |= marked;
        }
        break;
      }
      default:
        mark_targets(s->body, lane, same_symbols && s->kind != StmtKind::loop);
        mark_targets(s->other, lane, same_symbols);
        break;
    }
  }
}

}  // namespace assay::interp
