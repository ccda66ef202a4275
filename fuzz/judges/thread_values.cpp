// Expressions of a ThreadRun. An evaluation that meets a load for which there is no value yet ends there, and begins again
// when there is one.
#include <algorithm>
#include <limits>

#include "fuzz/judges/thread_run.hpp"
#include "interp/numerics.hpp"
#include "ir/typing.hpp"

namespace assay::fuzz {

std::optional<std::int64_t> ThreadRun::index(const Index& e) const {
  return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto at = program_->names.find(s);
    if (at == program_->names.end()) return std::nullopt;
    const auto number = static_cast<std::size_t>(at->second);
    if (program_->depths[number] == 0) return signed_value(values_[number].scalar);
    return signed_value(lane_values_.at({at->second, bound_lane(number)}).scalar);
  });
}

// The part of the present lane that a name's values are told apart by.
Lane ThreadRun::bound_lane(std::size_t name) const {
  return {lane_.begin(), lane_.begin() + static_cast<std::ptrdiff_t>(program_->depths[name])};
}

ThreadValue& ThreadRun::slot(const Symbol& s) {
  const int name = program_->names.at(s);
  const auto number = static_cast<std::size_t>(name);
  if (program_->depths[number] == 0) return values_[number];
  ThreadValue none;
  none.defined = false;
  return lane_values_.try_emplace({name, bound_lane(number)}, none).first->second;
}

bool ThreadRun::visible(const Symbol& buffer) const { return launch_->written.count(buffer) != 0; }

std::int64_t ThreadRun::cell_number(const ThreadedProgram::Storage& s, std::int64_t flat) const {
  if (s.buffer->kind != BufferKind::shared) return s.first + flat;
  return program_->device_cells + group_number_ * program_->shared_cells + s.first + flat;
}

// Negative outside of the buffer.
bool ThreadRun::place_of(const Symbol& buffer, const std::vector<Expr>& indices, std::int64_t& flat) {
  const auto& dims = program_->storages.at(buffer).dims;
  bool inside = true;
  flat = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    ThreadValue v;
    if (!evaluate(indices[d], v)) return false;
    data_dependent_ |= v.data;
    const Int128 i = int_value(v.scalar);
    inside = inside && i >= 0 && i < dims[d];
    flat = inside ? flat * dims[d] + static_cast<std::int64_t>(i) : 0;
  }
  if (!inside) flat = -1;
  return true;
}

bool ThreadRun::condition(const Expr& e, bool& out) {
  ThreadValue v;
  if (!evaluate(e, v)) return false;
  data_dependent_ |= v.data;
  out = v.scalar.bits != 0;
  return true;
}

bool ThreadRun::load_cell(const Expr& e, ThreadValue& out) {
  std::int64_t flat = 0;
  if (!place_of(e->name, e->args, flat)) return false;
  if (flat < 0) return fail("RUN-1");
  const auto& storage = program_->storages.at(e->name);
  if (storage.buffer->kind == BufferKind::local) {
    const auto at = static_cast<std::size_t>(storage.first + flat);
    if (!locals_[at].defined) return fail("RUN-2");
    out = {locals_[at].value, true, local_data_[at]};
    return true;
  }
  const std::int64_t cell = cell_number(storage, flat);
  if (!visible(e->name)) {
    const MemoryCell& m = (*memory_)[static_cast<std::size_t>(cell)];
    if (!m.defined) return fail("RUN-2");
    out = {m.value, true, false};
    return true;
  }
  if (log_at_ < log_.size()) {
    out = {log_[log_at_++], true, true};
    return true;
  }
  next_ = Next::load;
  cell_ = cell;
  return false;
}

bool ThreadRun::evaluate(const Expr& e, ThreadValue& out) {
  bool taken = false;
  switch (e->op) {
    case Op::literal: out = {e->literal, true, false}; return true;
    case Op::index: {
      const auto v = index(e->index);
      if (!v) return fail("RUN-4");
      out = {index_scalar(*v), true, false};
      return true;
    }
    case Op::variable: out = slot(e->name); return out.defined || fail("RUN-2");
    case Op::load: return load_cell(e, out);
    case Op::choice: return condition(e->args[0], taken) && evaluate(e->args[taken ? 1 : 2], out);
    case Op::land:
    case Op::lor:
      if (!condition(e->args[0], taken)) return false;
      if (taken == (e->op == Op::land)) return evaluate(e->args[1], out);
      out = {bool_scalar(taken), true, false};
      return true;
    case Op::scope:
      slot(e->name) = {};
      slot(e->name).defined = false;
      if (!scope_block(e->body)) return false;
      out = slot(e->name);
      return out.defined || fail("RUN-2");
    default: return operation(e, out);
  }
}

bool ThreadRun::operation(const Expr& e, ThreadValue& out) {
  std::vector<ThreadValue> args(e->args.size());
  bool data = false;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!evaluate(e->args[k], args[k])) return false;
    data |= args[k].data;
  }
  numerics::Flags flags;
  if (e->op == Op::select) {
    out = args[args[0].scalar.bits != 0 ? 1 : 2];
  } else if (e->op == Op::convert) {
    out.scalar = numerics::convert(e->type, args[0].scalar, flags);
  } else if (!args.empty() && args[0].scalar.type == Type::index) {
    if (!index_operation(e, args, out)) return false;
  } else {
    std::vector<Scalar> operands;
    for (const ThreadValue& a : args) operands.push_back(a.scalar);
    out.scalar = numerics::find(e->op, operation_type(*e))(operands.data(), flags);
    if (flags.divide_by_zero && !(assumes_ && data)) return fail("RUN-3");
  }
  out.defined = true;
  out.data = data;
  return true;
}

bool ThreadRun::index_operation(const Expr& e, const std::vector<ThreadValue>& args, ThreadValue& out) {
  const Int128 a = signed_value(args[0].scalar), b = args.size() > 1 ? signed_value(args[1].scalar) : 0;
  if (is_comparison(e->op)) {
    const bool holds = e->op == Op::eq   ? a == b
                       : e->op == Op::ne ? a != b
                       : e->op == Op::lt ? a < b
                       : e->op == Op::le ? a <= b
                       : e->op == Op::gt ? a > b
                                         : a >= b;
    out.scalar = bool_scalar(holds);
    return true;
  }
  const bool divides = e->op >= Op::floordiv && e->op <= Op::eucmod;
  if (divides && b == 0) return fail("RUN-3");
  const Int128 quotient = divides ? a / b : 0, rest = divides ? a % b : 0;  // truncating
  const bool down = rest != 0 && (rest < 0) != (b < 0);
  Int128 r = 0;
  switch (e->op) {
    case Op::neg: r = -a; break;
    case Op::abs: r = a < 0 ? -a : a; break;
    case Op::add: r = a + b; break;
    case Op::sub: r = a - b; break;
    case Op::mul: r = a * b; break;
    case Op::floordiv: r = quotient - (down ? 1 : 0); break;
    case Op::floormod: r = rest + (down ? b : 0); break;
    case Op::ceildiv: r = quotient + (rest != 0 && !down ? 1 : 0); break;
    case Op::truncdiv: r = quotient; break;
    case Op::truncmod: r = rest; break;
    case Op::eucmod: r = rest < 0 ? rest + (b < 0 ? -b : b) : rest; break;
    case Op::eucdiv: r = (a - (rest < 0 ? rest + (b < 0 ? -b : b) : rest)) / b; break;
    case Op::max: r = std::max(a, b); break;
    default: r = std::min(a, b); break;
  }
  if (r < std::numeric_limits<std::int64_t>::min() || r > std::numeric_limits<std::int64_t>::max())
    return fail("RUN-4");
  out.scalar = index_scalar(static_cast<std::int64_t>(r));
  return true;
}

// A scope stores nothing but its own variables, so it can be run again from the start.
bool ThreadRun::scope_block(const Block& b) {
  return std::all_of(b.begin(), b.end(), [&](const Stmt& s) { return scope_statement(s); });
}

bool ThreadRun::scope_statement(const Stmt& s) {
  bool taken = false;
  switch (s->kind) {
    case StmtKind::declare:
    case StmtKind::assign: return assign(*s);
    case StmtKind::branch: return condition(s->value, taken) && scope_block(taken ? s->body : s->other);
    case StmtKind::loop: {
      std::int64_t at = 0;
      std::uint64_t count = trips(*s, at);
      if (next_ == Next::fault) return false;
      for (; count > 0; --count, at += s->step) {
        slot(s->name) = {index_scalar(at)};
        if (!scope_block(s->body)) return false;
      }
      return true;
    }
    default: return fail("?");
  }
}

}  // namespace assay::fuzz
