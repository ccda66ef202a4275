// Expressions: one switch over the forms, checked reads, exact index arithmetic.
#include <fmt/format.h>

#include <limits>

#include "interp/machine.hpp"

namespace assay::interp {

std::uint64_t Machine::evaluate(const BoundExpr& e, Lane lane) {
  ++operations_;
  switch (e.form) {
    case Form::literal: return e.literal.bits;
    case Form::index: return static_cast<std::uint64_t>(index_or_fault(e.index, lane, e.source->where));
    case Form::variable: return variable(e, lane);
    case Form::load: return load(e, lane);
    case Form::scalar_operation:
    case Form::convert: return scalar_operation(e, lane);
    case Form::index_operation: return index_operation(e, lane);
    case Form::choice: return evaluate(e.args[evaluate(e.args[0], lane) != 0 ? 1 : 2], lane);
    case Form::land: return evaluate(e.args[0], lane) != 0 ? evaluate(e.args[1], lane) : 0;
    case Form::lor: return evaluate(e.args[0], lane) != 0 ? 1 : evaluate(e.args[1], lane);
    case Form::select: {
      const std::uint64_t condition = evaluate(e.args[0], lane);
      const std::uint64_t first = evaluate(e.args[1], lane);
      const std::uint64_t first_high = high_;
      const std::uint64_t second = evaluate(e.args[2], lane);
      if (condition != 0) high_ = first_high;
      return condition != 0 ? first : second;
    }
    case Form::scope: return scope(e, lane);
  }
  return 0;
}

std::uint64_t Machine::scalar_operation(const BoundExpr& e, Lane lane) {
  Scalar operands[4];
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    operands[i] = {e.args[i].type, evaluate(e.args[i], lane)};
    if (e.args[i].type == Type::u32x4) operands[i].high = high_;
  }
  flags_ = {};
  const Scalar result = e.function(operands, flags_);
  if (flags_.divide_by_zero) fault("RUN-3", fmt::format("`{}` divides by zero", info(e.op).text), e.source->where);
  if (e.watched && flags_.inexact) seen_ |= marked;
  if (e.type == Type::u32x4) high_ = result.high;
  return result.bits;
}

std::uint64_t Machine::index_operation(const BoundExpr& e, Lane lane) {
  const Int128 a = static_cast<std::int64_t>(evaluate(e.args[0], lane));
  const Int128 b = e.args.size() > 1 ? static_cast<std::int64_t>(evaluate(e.args[1], lane)) : 0;
  const auto divisor = [&] {
    if (b == 0) fault("RUN-3", fmt::format("`{}` divides by zero", info(e.op).text), e.source->where);
    return b;
  };
  const auto floor_quotient = [&] { return a / divisor() - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); };
  const auto positive_remainder = [&] { return a % divisor() + (a % b < 0 ? (b < 0 ? -b : b) : 0); };
  Int128 r = 0;
  switch (e.op) {
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::gt: return a > b;
    case Op::ge: return a >= b;
    case Op::neg: r = -a; break;
    case Op::abs: r = a < 0 ? -a : a; break;
    case Op::add: r = a + b; break;
    case Op::sub: r = a - b; break;
    case Op::mul: r = a * b; break;
    case Op::floordiv: r = floor_quotient(); break;
    case Op::floormod: r = a - floor_quotient() * b; break;
    case Op::ceildiv: r = a / divisor() + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0); break;
    case Op::truncdiv: r = a / divisor(); break;
    case Op::truncmod: r = a % divisor(); break;
    case Op::eucmod: r = positive_remainder(); break;
    case Op::eucdiv: r = (a - positive_remainder()) / b; break;
    case Op::max: r = a < b ? b : a; break;
    default: r = a < b ? a : b; break;  // min: resolution admits no other
  }
  if (r < std::numeric_limits<std::int64_t>::min() || r > std::numeric_limits<std::int64_t>::max()) {
    fault("RUN-4", fmt::format("`{}` of index values leaves int64", info(e.op).text), e.source->where);
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(r));
}

std::uint64_t Machine::variable(const BoundExpr& e, Lane lane) {
  if (!variable_shadows_.empty()) watch_variable(e.reference, false);
  const Value& v = value_at(e.slot, lane);
  if ((v.state & defined) == 0) {
    if (is_blind()) return high_ = 0;
    fault("RUN-2", fmt::format("variable `{}` is read and has no value", e.source->name), e.source->where,
          e.source->name);
  }
  seen_ |= v.state;
  if (e.type == Type::u32x4) high_ = v.high;
  return v.bits;
}

std::uint64_t Machine::load(const BoundExpr& e, Lane lane) {
  const Cell c = cell(memory(e.reference), e.args, lane);
  const Memory& m = memory(e.reference);
  if (!c.inside) outside(m, e.args, lane, e.source->where, false);
  if (m.watched()) watch(m, c.flat, false);
  if (m.states != nullptr) {
    const std::uint8_t state = m.states[c.flat];
    if ((state & defined) == 0) {
      if (is_blind()) return high_ = 0;
      fault("RUN-2", fmt::format("`{}` is read where it is undefined", m.buffer->name), e.source->where, m.buffer->name,
            unflatten(c.flat, m.dims));
    }
    seen_ |= state | *m.blanket;
  }
  const std::uint64_t bits = m.bits(c.flat);
  if (e.type == Type::u32x4) high_ = m.high(c.flat);
  if (m.ranged) {
    const Int128 v = int_value({e.type, bits});
    if (v < m.buffer->range->first || v >= m.buffer->range->second) {
      fault("RUN-5", fmt::format("an element of `{}` is outside its declared range", m.buffer->name), e.source->where,
            m.buffer->name, unflatten(c.flat, m.dims));
    }
  }
  return bits;
}

// Runs the body on the thread's own stack; a scope holds no barrier, so it always comes back.
std::uint64_t Machine::scope(const BoundExpr& e, Lane lane) {
  const BoundStmt* statement = statement_;
  const Lane outer_lane = lane_;
  const std::uint8_t control = control_;
  const std::uint8_t seen = seen_;
  value_at(e.slot, lane).state = 0;
  const std::size_t base = thread_->stack.size();
  push(e.body, nullptr, {&lane, 1}, control);
  run_to(base);
  statement_ = statement;
  lane_ = outer_lane;
  control_ = control;
  const Value& v = value_at(e.slot, lane);
  if ((v.state & defined) == 0) {
    if (is_blind()) return high_ = 0;
    fault("RUN-2", fmt::format("scope `{}` ends without a value", e.source->name), e.source->where, e.source->name);
  }
  seen_ = seen | v.state;
  if (e.type == Type::u32x4) high_ = v.high;
  return v.bits;
}

std::int64_t Machine::coordinate(const BoundExpr& e, Lane lane) {
  if (e.type == Type::index) return static_cast<std::int64_t>(evaluate(e, lane));
  const Int128 v = int_value({e.type, evaluate(e, lane)});
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // beyond every dimension
  return v > largest ? largest : static_cast<std::int64_t>(v);
}

Machine::Cell Machine::cell(const Memory& m, const std::vector<BoundExpr>& indices, Lane lane) {
  Cell c;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t i = coordinate(indices[d], lane);
    c.inside &= i >= 0 && i < m.dims[d];
    c.flat = c.inside ? c.flat * m.dims[d] + i : 0;
  }
  return c;
}

std::int64_t Machine::index_or_fault(const BoundIndex& e, Lane lane, Location where) {
  const auto v = index_value(e, lane);
  if (!v) fault("RUN-4", "an index value leaves int64", where);
  return *v;
}

std::optional<std::int64_t> Machine::index_value(const BoundIndex& e, Lane lane) {
  std::int64_t sum = e.constant;
  if (e.overflowed) return std::nullopt;
  for (const BoundIndexTerm& t : e.terms) {
    std::int64_t v = 0;
    if (t.kind == IndexAtom::Kind::symbol) {
      v = static_cast<std::int64_t>(value_at(t.slot, lane).bits);
    } else {
      const auto inner = term_value(t, lane);
      if (!inner) return std::nullopt;
      v = *inner;
    }
    if (__builtin_mul_overflow(v, t.coefficient, &v) || __builtin_add_overflow(sum, v, &sum))
      return exact_index_value(e, lane);
  }
  return sum;
}

std::optional<std::int64_t> Machine::term_value(const BoundIndexTerm& t, Lane lane) {
  if (t.kind == IndexAtom::Kind::symbol) return static_cast<std::int64_t>(value_at(t.slot, lane).bits);
  std::optional<std::int64_t> r;
  for (const BoundIndex& arg : t.args) {
    const auto v = index_value(arg, lane);
    if (!v) return std::nullopt;
    switch (t.kind) {
      case IndexAtom::Kind::floordiv: r = floor_div(*v, t.divisor); break;
      case IndexAtom::Kind::floormod: r = floor_mod(*v, t.divisor); break;
      case IndexAtom::Kind::min: r = r ? std::min(*r, *v) : *v; break;
      default: r = r ? std::max(*r, *v) : *v; break;
    }
  }
  return r;
}

// The mathematical sum where a partial one left int64: high and low halves of the products are added apart, so that
// neither can overflow.
std::optional<std::int64_t> Machine::exact_index_value(const BoundIndex& e, Lane lane) {
  Int128 high = 0;
  Int128 low = e.constant;
  for (const BoundIndexTerm& t : e.terms) {
    const auto v = term_value(t, lane);
    if (!v) return std::nullopt;
    const Int128 product = static_cast<Int128>(*v) * t.coefficient;
    high += product >> 64;
    low += static_cast<std::uint64_t>(product);
  }
  high += low >> 64;
  const auto rest = static_cast<std::uint64_t>(low);
  if (high != (static_cast<std::int64_t>(rest) < 0 ? -1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(rest);
}

}  // namespace assay::interp
