// Formulas about symbolic executions; see the header.
#include "proofs/validate/instance.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::derive {
namespace {

// The number of @grid loops nested below, recorded for each @grid loop.
int assign_slots(const Block& b, std::map<const StmtNode*, int>& slots) {
  int depth = 0;
  for (const Stmt& s : b) {
    int below = std::max(assign_slots(s->body, slots), assign_slots(s->other, slots));
    if (s->kind == StmtKind::loop && s->axis == Axis::grid) slots[&*s] = below++;
    depth = std::max(depth, below);
  }
  return depth;
}

}  // namespace

Index counter(const Instance& x, std::size_t loop) {
  const StmtNode& l = *x.node->loops[loop];
  return floordiv(x.symbol(loop) - x.apply(l.lo), l.step);
}

View::View(const Program& p)
    : program(p), extraction(extract(p)), stores(extraction), parameters(parameter_domain(p)), ranges(parameter_ranges(p)) {
  grid_slots = assign_slots(p.body, grid_slot);
}

Instance instantiate(const View& view, const Node& node, const std::string& suffix) {
  Instance x{&view, &node, {}, {}};
  for (const Stmt& loop : node.loops) {
    const Symbol s = loop->name + "'" + suffix;
    x.fresh.push_back(s);
    x.symbols.emplace(loop->name, Index::symbol(s));
  }
  return x;
}

Instance source_instance(const View& before, const Node& source, const Instance& after) {
  Instance x{&before, &source, {}, {}};
  for (const auto& [symbol, value] : after.node->stmt->provenance->to_source)
    x.symbols.emplace(symbol, after.apply(value));
  return x;
}

Formula same_instance(const Instance& x, const Instance& y) {
  std::vector<Formula> parts;
  for (std::size_t i = 0; i < x.node->loops.size(); ++i) parts.push_back(Formula::eq(x.symbol(i), y.symbol(i)));
  return Formula::all(std::move(parts));
}

Formula domain(const Instance& x) {
  std::vector<Formula> parts;
  for (const Stmt& loop : x.node->loops) parts.push_back(x.apply(loop_domain(loop)));
  for (const Guard& g : x.node->guards) {
    if (const auto f = affine_condition(g.condition)) parts.push_back(x.apply(g.positive ? *f : !*f));
  }
  return Formula::all(std::move(parts));
}

Formula access_condition(const Instance& x, const Access& a) {
  std::vector<Formula> parts;
  for (const Guard& g : a.guards) {
    if (const auto f = affine_condition(g.condition)) parts.push_back(x.apply(g.positive ? *f : !*f));
  }
  return Formula::all(std::move(parts));
}

static bool any_data_guard(const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [](const Guard& g) { return !affine_condition(g.condition); });
}
bool is_immutable(const Program& p, const Expr& e) {
  if (e->op == Op::variable || e->op == Op::scope) return false;
  if (e->op == Op::load) {
    const Buffer* b = p.find_buffer(e->name);
    if (!b || is_writable(b->kind)) return false;
  }
  return std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return is_immutable(p, a); });
}
bool has_data_guard(const Node& n) { return any_data_guard(n.guards); }
bool has_data_guard(const Access& a) { return any_data_guard(a.guards); }

Formula same_thread(const Instance& x, const Instance& y) {
  std::vector<Formula> parts;
  for (std::size_t i = 0; i < x.node->loops.size(); ++i) {
    if (x.node->loops[i]->axis != Axis::grid) continue;
    for (std::size_t j = 0; j < y.node->loops.size(); ++j) {
      if (y.node->loops[j]->axis != Axis::grid) continue;
      if (x.view->grid_slot.at(&*x.node->loops[i]) != y.view->grid_slot.at(&*y.node->loops[j])) continue;
      parts.push_back(Formula::eq(counter(x, i), counter(y, j)));
    }
  }
  return Formula::all(std::move(parts));
}

Formula ordered_before(const Instance& x, bool x_writes, const Instance& y, bool y_writes) {
  std::vector<Formula> earlier;
  std::vector<Formula> equal_so_far{same_thread(x, y)};
  bool in_lanes = false;
  const auto& p = x.node->path;
  const auto& q = y.node->path;
  for (std::size_t k = 0; k < p.size() && k < q.size(); ++k) {
    if (p[k].loop && q[k].loop && x.node->loops[p[k].value] == y.node->loops[q[k].value]) {
      const auto i = static_cast<std::size_t>(p[k].value);
      const Axis axis = x.node->loops[i]->axis;
      if (axis == Axis::vectorized) in_lanes = true;
      if (axis == Axis::vectorized || is_hardware(axis)) continue;
      // Inside lanes a serial loop runs in lockstep by iteration count; elsewhere equal prefixes have equal lower bounds.
      const Index a = in_lanes ? counter(x, i) : x.symbol(i);
      const Index b = in_lanes ? counter(y, i) : y.symbol(i);
      std::vector<Formula> alternative = equal_so_far;
      alternative.push_back(Formula::lt(a, b));
      earlier.push_back(Formula::all(std::move(alternative)));
      equal_so_far.push_back(Formula::eq(a, b));
      continue;
    }
    if (!p[k].loop && p[k] == q[k]) continue;
    if (p[k].value < q[k].value) earlier.push_back(Formula::all(equal_so_far));
    return Formula::any(std::move(earlier));
  }
  // One execution; or a leaf and the moment just after it, whose path goes on from the leaf's.
  if (p.size() < q.size() || (p.size() == q.size() && !x_writes && y_writes))
    earlier.push_back(Formula::all(equal_so_far));
  return Formula::any(std::move(earlier));
}

Interval integer_interval(const View& view, const Node& node, const Expr& e) {
  Ranges ranges = view.ranges;
  for (const Stmt& loop : node.loops) add_loop(ranges, loop);
  const auto of_type = [](Type t) {
    if (t == Type::index) return Interval{INT64_MIN, INT64_MAX};
    const IntRange r = int_range(t);
    return Interval{r.lo, r.hi};
  };
  const auto operand = [&](std::size_t i) { return integer_interval(view, node, e->args[i]); };
  // The mathematical result when it cannot wrap, else the whole type.
  const auto unless_wrapped = [&](const Interval& i) {
    const Interval all = of_type(e->type);
    return i.within(all.lo, all.hi) ? i : all;
  };
  const bool integers = is_int(e->type) || e->type == Type::index;
  if (!integers) return of_type(e->type == Type::boolean ? Type::boolean : Type::i64);
  switch (e->op) {
    case Op::index: return interval(e->index, ranges);
    case Op::literal: return {int_value(e->literal), int_value(e->literal)};
    case Op::load: {
      const Buffer* b = view.program.find_buffer(e->name);
      if (b && b->kind == BufferKind::input && b->range) return {b->range->first, b->range->second - 1};
      if (b && b->kind == BufferKind::constant && !b->data.empty()) {
        Interval all{int_value(b->data[0]), int_value(b->data[0])};
        for (const Scalar& s : b->data) all = {std::min(all.lo, int_value(s)), std::max(all.hi, int_value(s))};
        return all;
      }
      return of_type(e->type);
    }
    case Op::convert: {
      const Type from = e->args[0]->type;
      if (is_int(from) || from == Type::index || from == Type::boolean) return unless_wrapped(operand(0));
      return of_type(e->type);
    }
    case Op::add: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return unless_wrapped({a.lo + b.lo, a.hi + b.hi});
    }
    case Op::sub: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return unless_wrapped({a.lo - b.hi, a.hi - b.lo});
    }
    case Op::neg: {
      const Interval a = operand(0);
      return unless_wrapped({-a.hi, -a.lo});
    }
    case Op::mul: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (!a.within(INT32_MIN, INT32_MAX) || !b.within(INT32_MIN, INT32_MAX)) return of_type(e->type);
      const Int128 c[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
      return unless_wrapped({*std::min_element(c, c + 4), *std::max_element(c, c + 4)});
    }
    case Op::max: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Op::min: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    }
    case Op::choice:
    case Op::select: {
      const Interval a = operand(1);
      const Interval b = operand(2);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Op::floormod:
    case Op::eucmod:
    case Op::truncmod: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (b.lo < 1) return of_type(e->type);
      if (a.lo >= 0 && a.hi < b.lo) return a;
      if (e->op == Op::truncmod && a.lo < 0) return {-(b.hi - 1), b.hi - 1};
      return {0, b.hi - 1};
    }
    case Op::floordiv:
    case Op::truncdiv:
    case Op::eucdiv: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (a.lo < 0 || b.lo < 1) return of_type(e->type);
      return {a.lo / b.hi, a.hi / b.lo};
    }
    default: return of_type(e->type);
  }
}

Term integer_term(const Instance& x, const Expr& e, const std::string& suffix) {
  const View& view = *x.view;
  const auto unknown = [&](bool exact) {
    Term t;
    const Symbol s = "?" + suffix;
    t.value = Index::symbol(s);
    t.exact = exact;
    const Interval i = integer_interval(view, *x.node, e);
    if (i.lo >= INT64_MIN && i.lo <= INT64_MAX)
      t.facts = t.facts & Formula::le(Index(static_cast<std::int64_t>(i.lo)), t.value);
    if (i.hi >= INT64_MIN && i.hi <= INT64_MAX)
      t.facts = t.facts & Formula::le(t.value, Index(static_cast<std::int64_t>(i.hi)));
    return t;
  };
  const auto fits = [&](Interval i, Type type) {
    if (type == Type::index) return i.within(INT64_MIN, INT64_MAX);
    const IntRange r = int_range(type);
    return i.within(r.lo, r.hi);
  };
  // The mathematical value reduced to the type: two's complement, up to 32 bits wide (64-bit moduli leave int64).
  const auto wrapped = [&](Term t, Interval mathematical) {
    if (fits(mathematical, e->type)) return t;
    const int w = e->type == Type::index ? 64 : bit_width(e->type);
    if (w >= 62) return unknown(false);
    const std::int64_t modulus = std::int64_t{1} << w;
    const std::int64_t bias = is_signed_int(e->type) ? modulus / 2 : 0;
    t.value = floormod(t.value + bias, modulus) - bias;
    return t;
  };
  const auto combine = [&](const Index& value, const Term& a, const Term& b) {
    return Term{value, a.facts & b.facts, a.exact && b.exact};
  };
  const auto operand = [&](std::size_t i) { return integer_term(x, e->args[i], suffix + "." + std::to_string(i)); };
  const auto range = [&](std::size_t i) { return integer_interval(view, *x.node, e->args[i]); };

  switch (e->op) {
    case Op::index: return {x.apply(e->index), Formula::truth(), true};
    case Op::literal: {
      const Int128 v = int_value(e->literal);
      if (v > INT64_MAX || v < INT64_MIN) return unknown(false);
      return {Index(static_cast<std::int64_t>(v)), Formula::truth(), true};
    }
    case Op::load: {
      const Buffer* b = view.program.find_buffer(e->name);
      return unknown(b && b->kind == BufferKind::input);
    }
    case Op::convert:
      if (is_int(e->args[0]->type) || e->args[0]->type == Type::index) return wrapped(operand(0), range(0));
      return unknown(false);
    case Op::neg: {
      const Interval a = range(0);
      Term t = operand(0);
      t.value = -t.value;
      return wrapped(std::move(t), {-a.hi, -a.lo});
    }
    case Op::add:
    case Op::sub: {
      const Interval a = range(0);
      const Interval b = range(1);
      const Term s = operand(0);
      const Term t = operand(1);
      if (e->op == Op::add) return wrapped(combine(s.value + t.value, s, t), {a.lo + b.lo, a.hi + b.hi});
      return wrapped(combine(s.value - t.value, s, t), {a.lo - b.hi, a.hi - b.lo});
    }
    case Op::mul: {
      const Interval a = range(0);
      const Interval b = range(1);
      if (!a.within(INT32_MIN, INT32_MAX) || !b.within(INT32_MIN, INT32_MAX)) return unknown(false);
      const Int128 c[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
      const Interval product{*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
      const Term s = operand(0);
      const Term t = operand(1);
      if (t.value.is_constant()) return wrapped(combine(s.value * t.value.constant(), s, t), product);
      if (s.value.is_constant()) return wrapped(combine(t.value * s.value.constant(), s, t), product);
      return unknown(false);
    }
    case Op::max:
    case Op::min: {
      const Term s = operand(0);
      const Term t = operand(1);
      return combine(e->op == Op::max ? max({s.value, t.value}) : min({s.value, t.value}), s, t);
    }
    case Op::floordiv:
    case Op::floormod:
    case Op::eucdiv:
    case Op::eucmod:
    case Op::truncdiv:
    case Op::truncmod: {
      const Term t = operand(1);
      const bool truncating = e->op == Op::truncdiv || e->op == Op::truncmod;
      if (!t.value.is_constant() || t.value.constant() < 1 || (truncating && range(0).lo < 0)) return unknown(false);
      const Term s = operand(0);
      const bool quotient = e->op == Op::floordiv || e->op == Op::eucdiv || e->op == Op::truncdiv;
      return combine(quotient ? floordiv(s.value, t.value.constant()) : floormod(s.value, t.value.constant()), s, t);
    }
    case Op::choice:
    case Op::select: {
      const auto c = affine_condition(e->args[0]);
      if (!c) return unknown(false);
      const Formula condition = x.apply(*c);
      const Term s = operand(1);
      const Term t = operand(2);
      Term out = unknown(s.exact && t.exact);
      out.facts = out.facts & ((condition & Formula::eq(out.value, s.value) & s.facts) |
                               ((!condition) & Formula::eq(out.value, t.value) & t.facts));
      return out;
    }
    default: return unknown(false);
  }
}

Formula same_cell(const Instance& x, const Access& a, const Instance& y, const Access& b, const std::string& tag) {
  std::vector<Formula> parts;
  if (a.variable) {
    const Variable& v = x.view->extraction.variables.at(a.storage);
    for (int i = 0; i < v.loops; ++i)
      parts.push_back(Formula::eq(x.symbol(static_cast<std::size_t>(i)), y.symbol(static_cast<std::size_t>(i))));
    return Formula::all(std::move(parts));
  }
  if (a.whole || b.whole) return Formula::truth();
  for (std::size_t d = 0; d < a.indices.size() && d < b.indices.size(); ++d) {
    const std::string dimension = tag + "@" + std::to_string(d);
    const Term s = integer_term(x, a.indices[d], dimension + "x");
    const Term t = integer_term(y, b.indices[d], dimension + "y");
    parts.push_back(s.facts & t.facts & Formula::eq(s.value, t.value));
  }
  return Formula::all(std::move(parts));
}

}  // namespace assay::derive
