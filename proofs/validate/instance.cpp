// Formulas about symbolic executions; see the header.
#include "proofs/validate/instance.hpp"

#include <algorithm>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/settled.hpp"

namespace assay::derive {
Index counter(const Instance& x, std::size_t loop) {
  const StmtNode& l = *x.node->loops[loop];
  return floordiv(x.symbol(loop) - x.apply(l.lo), l.step);
}

View::View(const Program& p)
    : program(p),
      extraction(settled(p, extract(p))),
      stores(extraction),
      parameters(parameter_domain(p)),
      ranges(parameter_ranges(p)),
      stored(stored_ranges(p, extraction)) {
  std::map<const StmtNode*, Stmt> reduce;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop && s->axis == Axis::reduce) reduce.emplace(&*s, s);
    return true;
  };
  visit(p.body, v);
  const auto numbers = hardware_slots(p);
  for (const auto& [loop, number] : numbers) {
    if (loop->axis == Axis::grid) grid_slots = std::max(grid_slots, number + 1);
  }
  slots = grid_slots;
  for (const auto& [loop, number] : numbers) {
    const bool grid = loop->axis == Axis::grid;
    const bool alone = loop->axis == Axis::reduce && !is_collective(p, reduce.at(loop));
    (alone ? widens : slot).emplace(loop, grid ? number : grid_slots + number);
    if (!grid) slots = std::max(slots, grid_slots + number + 1);
  }
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

bool agree(const Expr& e, const Instance* x, const Expr& f, const Instance& y, std::vector<Formula>& equal) {
  if (e->op != f->op || e->type != f->type || e->name != f->name || e->args.size() != f->args.size()) return false;
  if (e->op == Op::literal && !(e->literal == f->literal)) return false;
  if (e->op == Op::index && x) equal.push_back(Formula::eq(x->apply(e->index), y.apply(f->index)));
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (!agree(e->args[i], x, f->args[i], y, equal)) return false;
  }
  return true;
}

std::optional<Formula> agreement(const Instance& x, const Expr& e, const Instance& y, const Expr& f) {
  std::vector<Formula> equal;
  if (!is_immutable(x.view->program, e) || !agree(e, &x, f, y, equal)) return std::nullopt;
  return Formula::all(std::move(equal));
}

namespace {
struct Comparison {
  Formula holds;
  bool exact;
};
// A comparison of integers computed from data which no statement changes, or its negation.
std::optional<Comparison> immutable_comparison(const Instance& x, const Guard& g, const std::string& tag) {
  Expr c = g.condition;
  bool positive = g.positive;
  for (; c->op == Op::lnot; c = c->args[0]) positive = !positive;
  if (!is_comparison(c->op) || !is_int(c->args[0]->type) || !is_immutable(x.view->program, c)) return std::nullopt;
  const Term a = integer_term(x, c->args[0], tag + "a"), b = integer_term(x, c->args[1], tag + "b");
  const Formula holds = compared(c->op, a.value, b.value);
  return Comparison{Formula::all({a.facts, b.facts, positive ? holds : !holds}), a.exact && b.exact};
}
}  // namespace

Formula immutable_guards(const Instance& x, const std::vector<Guard>& guards, const std::string& tag) {
  std::vector<Formula> out;
  for (std::size_t k = 0; k < guards.size(); ++k) {
    if (auto c = immutable_comparison(x, guards[k], tag + std::to_string(k))) out.push_back(std::move(c->holds));
  }
  return Formula::all(std::move(out));
}

std::optional<Formula> immutable_condition(const Instance& x, const Guard& g, const std::string& tag) {
  auto c = immutable_comparison(x, g, tag);
  if (!c || !c->exact) return std::nullopt;
  return std::move(c->holds);
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
