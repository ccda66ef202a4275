// Descends through plain loops and guards to the one statement that accumulates.
#include "ir/well_formed_reduce.hpp"

#include <fmt/format.h>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

Diagnostic because(Location where, std::string message) {
  return {"WF-12",
          std::move(message),
          where,
          "a `@reduce` loop holds one accumulation, as in `C[i] += A[i, k]`, into a cell that is the same in all its "
          "iterations",
          {},
          Severity::error};
}

bool mentions(const Expr& e, const std::set<Symbol>& symbols) {
  bool found = false;
  Visitor v;
  v.enter_expr = [&](const Expr& x) {
    if (x->op == Op::index) {
      for (const Symbol& s : symbols) found = found || x->index.mentions(s);
    }
    return !found;
  };
  visit(e, v);
  return found;
}

// Whether `e` is the cell that statement `s` writes.
bool is_cell(const Expr& e, const StmtNode& s) {
  if (s.kind == StmtKind::assign) return e->op == Op::variable && e->name == s.name;
  return e->op == Op::load && e->name == s.name && e->args == s.indices;
}

}  // namespace

std::optional<Diagnostic> not_a_reduction(const Stmt& loop) {
  std::set<Symbol> symbols;
  std::vector<Expr> others;  // what must not read the cell
  Stmt s = loop;
  while (true) {
    const bool plain =
        s->kind == StmtKind::loop && (s->axis == Axis::serial || s->axis == Axis::unrolled || &*s == &*loop);
    const bool guard = s->kind == StmtKind::branch && s->other.empty();
    if (!plain && !guard) break;
    if (plain) symbols.insert(s->name);
    if (guard) others.push_back(s->value);
    if (s->body.size() != 1)
      return because(s->where, fmt::format("a `@reduce` loop holds {} statements where one accumulation is needed",
                                           s->body.size()));
    s = s->body[0];
  }
  if (s->kind != StmtKind::store && s->kind != StmtKind::assign)
    return because(s->where, "a `@reduce` loop holds a statement that is not an accumulation");
  const ExprNode& value = *s->value;
  const bool binary = value.op == Op::add || value.op == Op::mul || value.op == Op::max || value.op == Op::min;
  if (binary && is_cell(value.args[0], *s)) {
    others.push_back(value.args[1]);
  } else if (binary && is_cell(value.args[1], *s)) {
    others.push_back(value.args[0]);
  } else if (value.op == Op::fma && is_cell(value.args[2], *s)) {
    others.push_back(value.args[0]);
    others.push_back(value.args[1]);
  } else {
    return because(s->where, "the statement in a `@reduce` loop is not an accumulation");
  }
  for (const Expr& e : s->indices) {
    if (mentions(e, symbols))
      return because(s->where, "the cell of a `@reduce` loop changes from one iteration to the next");
    others.push_back(e);
  }
  for (const Expr& e : others) {
    if (reads(e, s->name))
      return because(s->where, fmt::format("a `@reduce` loop reads `{}` beside accumulating into it", s->name));
  }
  return std::nullopt;
}

}  // namespace assay
