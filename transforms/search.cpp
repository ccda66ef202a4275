// Looking for statements of a kind.
#include "transforms/search.hpp"

#include "ir/traverse.hpp"

namespace assay {

Stmt find_statement(const Block& b, const std::function<bool(const Stmt&)>& wanted) {
  Stmt found;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (!found && wanted(s)) found = s;
    return !found;
  };
  v.enter_expr = [&](const Expr&) { return !found; };
  visit(b, v);
  return found;
}

bool holds_barrier(const Block& b) {
  return static_cast<bool>(find_statement(b, [](const Stmt& s) { return s->kind == StmtKind::barrier; }));
}

}  // namespace assay
