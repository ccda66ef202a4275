// Which observed values may depend on a function that generated code does not promise to the bit.
//
// A name (buffer, variable, scope variable) is tainted when something stored to it contains such a function or a tainted
// name, or when the store stands under a condition, or at an index, that does. Reachability over the program text, without
// regard to order or cells, covers every real dependence.
#include <algorithm>
#include <map>
#include <vector>

#include "codegen/c.hpp"

namespace assay::codegen {
namespace {

bool is_uncompared(const Expr& e) {
  if (e->type != Type::f64) return false;
  switch (e->op) {
    case Op::exp:
    case Op::exp2:
    case Op::log:
    case Op::log2:
    case Op::sin:
    case Op::cos:
    case Op::tanh:
    case Op::rsqrt:
    case Op::pow: return true;
    default: return false;
  }
}

// The graph "a value of u may reach v" over names, conditions and one source, which stands for the functions themselves.
class Flow {
 public:
  explicit Flow(const Block& body) { statements(body, no_condition); }

  /// The names that the source reaches.
  std::vector<bool> reached() const {
    std::vector<bool> seen(edges_.size(), false);
    std::vector<std::size_t> open{source};
    seen[source] = true;
    while (!open.empty()) {
      const std::size_t from = open.back();
      open.pop_back();
      for (const std::size_t to : edges_[from]) {
        if (!seen[to]) open.push_back(to);
        seen[to] = true;
      }
    }
    return seen;
  }
  std::size_t node(const Symbol& s) {
    const auto [known, added] = nodes_.emplace(s, edges_.size());
    if (added) edges_.emplace_back();
    return known->second;
  }

 private:
  static constexpr std::size_t source = 0, no_condition = 1;

  void statements(const Block& b, std::size_t condition) {
    for (const Stmt& s : b) statement(s, condition);
  }

  void statement(const Stmt& s, std::size_t condition) {
    std::size_t inner = condition, target = condition;
    if (s->kind == StmtKind::branch) {
      inner = target = edges_.size();
      edges_.emplace_back();
      edges_[condition].push_back(inner);
    } else if (s->kind == StmtKind::store || s->kind == StmtKind::zero || s->kind == StmtKind::declare ||
               s->kind == StmtKind::assign) {
      target = node(s->name);
      edges_[condition].push_back(target);
    }
    for (const Expr& e : s->indices) expression(e, target);
    if (s->value) expression(s->value, target);
    statements(s->body, inner);
    statements(s->other, inner);
  }

  void expression(const Expr& e, std::size_t target) {
    if (is_uncompared(e)) edges_[source].push_back(target);
    if (e->op == Op::load || e->op == Op::variable || e->op == Op::scope) edges_[node(e->name)].push_back(target);
    for (const Expr& a : e->args) expression(a, target);
    statements(e->body, no_condition);
  }

  std::map<Symbol, std::size_t> nodes_;
  std::vector<std::vector<std::size_t>> edges_{2};
};

}  // namespace

bool has_uncompared_operations(const Program& p) {
  Flow flow(p.body);
  std::vector<std::size_t> observed;
  for (const Buffer& b : p.buffers) {
    if (is_observed(b.kind)) observed.push_back(flow.node(b.name));
  }
  const std::vector<bool> reached = flow.reached();
  return std::any_of(observed.begin(), observed.end(), [&](std::size_t n) { return reached[n]; });
}

}  // namespace assay::codegen
