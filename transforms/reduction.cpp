// Recognition by the one access extraction; texts by the one traversal.
#include "transforms/reduction.hpp"

#include <algorithm>

#include "proofs/obligation/formula.hpp"

namespace assay {

tl::expected<Reduction, Misfit> find_reduction(const Extraction& extraction, const Program& p, const Symbol& target,
                                               const Stmt& loop) {
  const auto no = [](std::string reason, Location where) {
    return tl::unexpected(Misfit{{}, std::move(reason), where});  // the code is the operation's
  };
  Reduction out;
  const auto variable = extraction.variables.find(target);
  out.variable = variable != extraction.variables.end();
  out.type = out.variable ? variable->second.type : p.find_buffer(target)->type;
  for (const Node& n : extraction.nodes) {
    if (depth_of(n, loop->name) == n.loops.size()) continue;
    const bool uses =
        std::any_of(n.accesses.begin(), n.accesses.end(), [&](const Access& a) { return a.storage == target; });
    if (!uses) continue;
    const auto op = n.stmt->name == target ? accumulation(n.stmt) : std::nullopt;
    if (!op) return no(fmt::format("the loop uses `{}` otherwise than by accumulating into it", target), n.stmt->where);
    if (!out.updates.empty() && out.op != *op)
      return no(fmt::format("the loop accumulates into `{}` by two operators", target), n.stmt->where);
    out.op = *op;
    out.updates.push_back(&n);
  }
  if (out.updates.empty()) return no(fmt::format("the loop does not accumulate into `{}`", target), loop->where);
  return out;
}

std::size_t depth_of(const std::vector<Stmt>& loops, const Symbol& loop) {
  const auto at = std::find_if(loops.begin(), loops.end(), [&](const Stmt& l) { return l->name == loop; });
  return static_cast<std::size_t>(at - loops.begin());
}

std::vector<Guard> common_guards(std::vector<Guard> a, const std::vector<Guard>& b) {
  const auto missing = [&](const Guard& g) {
    return std::none_of(b.begin(), b.end(), [&](const Guard& h) { return same_outcome(g, h); });
  };
  a.erase(std::remove_if(a.begin(), a.end(), missing), a.end());
  return a;
}

bool is_known(const Guard& g, const std::set<Symbol>& hidden) {
  bool fine = true;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    fine &= e->op != Op::load && e->op != Op::variable && e->op != Op::scope;
    if (e->op == Op::index) {
      for (const Symbol& s : hidden) fine &= !e->index.mentions(s);
    }
    return fine;
  };
  visit(g.condition, v);
  return fine;
}

Block guarded(const std::vector<Guard>& guards, Block inner, const std::map<Symbol, Index>& map, Location where) {
  for (auto g = guards.rbegin(); g != guards.rend(); ++g) {
    const Expr condition = substitute(g->positive ? g->condition : make_op(Op::lnot, {g->condition}), map);
    inner = {make_branch(condition, std::move(inner), {}, where)};
  }
  return inner;
}

Expr balanced(Op op, const std::vector<Expr>& operands) {
  if (operands.size() == 1) return operands[0];
  const auto middle = operands.begin() + static_cast<std::ptrdiff_t>(operands.size() / 2);
  return make_op(op, {balanced(op, {operands.begin(), middle}), balanced(op, {middle, operands.end()})});
}

Block redirected(const Block& b, const Symbol& target, const Symbol& partials, Type type,
                 const std::function<std::vector<Expr>(const std::vector<Expr>& indices)>& lead) {
  const auto on_expr = [&](const Expr& e) {
    const bool use = (e->op == Op::load || e->op == Op::variable) && e->name == target;
    return use ? make_load(partials, type, lead(e->args), e->where) : e;
  };
  return rewrite(b, on_expr, [&](const Stmt& s) -> Block {
    if ((s->kind != StmtKind::store && s->kind != StmtKind::assign) || s->name != target) return {s};
    return {with(s, [&](StmtNode& n) {
      n.kind = StmtKind::store;
      n.name = partials;
      n.indices = lead(n.indices);
    })};
  });
}

}  // namespace assay
