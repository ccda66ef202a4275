// Names are bound once in a program, so that a buffer and a variable are never confused.
#include "ir/reads.hpp"

#include "ir/traverse.hpp"

namespace assay {

bool reads(const Expr& e, const Symbol& storage) {
  bool found = false;
  Visitor v;
  v.enter_expr = [&](const Expr& x) {
    found = found || ((x->op == Op::load || x->op == Op::variable) && x->name == storage);
    return !found;
  };
  visit(e, v);
  return found;
}

std::set<Symbol> read_by(const Expr& e) {
  std::set<Symbol> out, own;
  Visitor v;
  v.enter_expr = [&](const Expr& x) {
    if (x->op == Op::load || x->op == Op::variable) out.insert(x->name);
    if (x->op == Op::scope) own.insert(x->name);
    return true;
  };
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::declare) own.insert(s->name);
    return true;
  };
  visit(e, v);
  for (const Symbol& s : own) out.erase(s);
  return out;
}

}  // namespace assay
