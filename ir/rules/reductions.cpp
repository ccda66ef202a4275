// A side is larger when it has more nodes and no variable more rarely than the other.
#include "ir/rules/reductions.hpp"

#include <array>
#include <map>
#include <vector>

#include "ir/traverse.hpp"

namespace assay::laws {
namespace {

struct Size {
  int nodes = 0;
  std::map<Symbol, int> variables{};
};

Size size_of(const Expr& e) {
  Size size;
  Visitor v;
  v.enter_expr = [&](const Expr& x) {
    ++size.nodes;
    if (x->op == Op::variable) ++size.variables[x->name];
    return true;
  };
  visit(e, v);
  return size;
}

bool larger(const Expr& a, const Expr& b) {
  const Size x = size_of(a), y = size_of(b);
  if (x.nodes <= y.nodes) return false;
  for (const auto& [name, count] : y.variables) {
    const auto at = x.variables.find(name);
    if (at == x.variables.end() || at->second < count) return false;
  }
  return true;
}

// The law that exchanges the operands of `op`.
const Law* commutes(Op op) {
  switch (op) {
    case Op::add: return find_law("add-commutes");
    case Op::mul: return find_law("mul-commutes");
    case Op::max: return find_law("max-commutes");
    case Op::min: return find_law("min-commutes");
    case Op::eq: return find_law("eq-commutes");
    case Op::ne: return find_law("ne-commutes");
    default: return nullptr;
  }
}

using Table = std::array<std::vector<Reduction>, op_count>;

Table make_table() {
  Table table;
  for (const Law& law : all_laws()) {
    for (const Type t : scalar_types) {
      if (!law.exact.contains(t)) continue;
      const Sides s = law.sides(t);
      if (s.condition) continue;
      const bool forwards = larger(s.left, s.right);
      if (!forwards && !larger(s.right, s.left)) continue;
      const Expr& from = forwards ? s.left : s.right;
      if (from->op == Op::variable || from->op == Op::literal) continue;
      const Expr& to = forwards ? s.right : s.left;
      auto& row = table[static_cast<std::size_t>(from->op)];
      row.push_back({&law, t, from, to, nullptr});
      const Law* const exchange = commutes(from->op);
      if (!exchange || !exchange->exact.contains(from->args[0]->type) || from->args[0] == from->args[1]) continue;
      row.push_back({&law, t, with(from, [](ExprNode& n) { std::swap(n.args[0], n.args[1]); }), to, exchange});
    }
  }
  return table;
}

}  // namespace

std::span<const Reduction> reductions(Op root) {
  static const Table table = make_table();
  return table[static_cast<std::size_t>(root)];
}

}  // namespace assay::laws
