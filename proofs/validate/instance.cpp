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
    : program(p),
      extraction(extract(p)),
      stores(extraction),
      parameters(parameter_domain(p)),
      ranges(parameter_ranges(p)) {
  grid_slots = assign_slots(p.body, grid_slot);
  int launch = 0;
  for (const Stmt& s : p.body) launch_of.push_back(s->kind == StmtKind::launch ? launch++ : launch);
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

bool same_launch(const Instance& x, const Instance& y) { return x.view->launch(*x.node) == y.view->launch(*y.node); }

Formula domain(const Instance& x) {
  std::vector<Formula> parts;
  for (const Stmt& loop : x.node->loops) parts.push_back(x.apply(loop_domain(loop)));
  for (const Guard& g : x.node->guards) {
    if (const auto f = affine_condition(g.condition)) parts.push_back(x.apply(g.positive ? *f : !*f));
  }
  return Formula::all(std::move(parts));
}

Formula decided_guards(const Instance& x) {
  std::vector<Formula> parts;
  for (const Guard& g : x.node->guards) {
    if (affine_condition(g.condition)) continue;
    if (auto f = decided_condition(x, g.condition, g.positive)) parts.push_back(*std::move(f));
  }
  return Formula::all(std::move(parts));
}

Formula access_condition(const Instance& x, const Access& a) {
  std::vector<Formula> parts;
  for (const Guard& g : a.guards) {
    if (auto f = decided_condition(x, g.condition, g.positive)) parts.push_back(*std::move(f));
  }
  return Formula::all(std::move(parts));
}
bool is_immutable(const Program& p, const Expr& e) {
  if (e->op == Op::variable || e->op == Op::scope) return false;
  if (e->op == Op::load) {
    const Buffer* b = p.find_buffer(e->name);
    if (!b || is_writable(b->kind)) return false;
  }
  return std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return is_immutable(p, a); });
}

bool has_data_guard(const Instance& x, const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(),
                     [&](const Guard& g) { return !decided_condition(x, g.condition, true); });
}
static bool any_but_affine(const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [](const Guard& g) { return !affine_condition(g.condition); });
}
bool has_data_guard(const Node& n) { return any_but_affine(n.guards); }
bool has_data_guard(const Access& a) { return any_but_affine(a.guards); }
bool has_data_guard(const Instance& x) { return has_data_guard(x, x.node->guards); }

Formula same_thread(const Instance& x, const Instance& y) {
  if (!same_launch(x, y)) return Formula::falsity();
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
  if (!same_launch(x, y))
    return x.view->launch(*x.node) < y.view->launch(*y.node) ? Formula::truth() : Formula::falsity();
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
