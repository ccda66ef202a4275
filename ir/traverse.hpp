// The one traversal framework: visiting, rewriting and substitution over statements and expressions.
//
// Preorder everywhere, and the same order in every function: a statement; then its expressions (store: indices, then
// value); then its bodies (`then` before `else`). A scope inside an expression is visited at its place: the scope's
// statements come after the expression node and before its later siblings.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ir/program.hpp"

namespace assay {

struct Visitor {
  /// Return false to skip the statement's expressions and bodies.
  std::function<bool(const Stmt&)> enter_stmt{};
  std::function<void(const Stmt&)> leave_stmt{};
  /// Return false to skip the operands (and a scope's body).
  std::function<bool(const Expr&)> enter_expr{};
  std::function<void(const Expr&)> leave_expr{};
};
void visit(const Block& block, const Visitor& v);
void visit(const Stmt& s, const Visitor& v);
void visit(const Expr& e, const Visitor& v);

/// Bottom-up rewriting of expressions: `f` sees each node after its operands were rewritten. Scope bodies are rewritten too.
using ExprRewrite = std::function<Expr(const Expr&)>;
/// Bottom-up rewriting of statements: `f` sees each statement after its parts were rewritten, and returns what replaces it.
using StmtRewrite = std::function<Block(const Stmt&)>;
Expr rewrite(const Expr& e, const ExprRewrite& on_expr, const StmtRewrite& on_stmt = {});
Block rewrite(const Block& b, const ExprRewrite& on_expr, const StmtRewrite& on_stmt = {});
Stmt rewrite_expressions(const Stmt& s, const ExprRewrite& on_expr);

/// Replaces loop symbols and parameters by Index values everywhere: bounds, index nodes, and the provenance maps.
Block substitute(const Block& b, const std::map<Symbol, Index>& map);
Expr substitute(const Expr& e, const std::map<Symbol, Index>& map);

/// A copy of `b` in which every binder declared inside (loop, var, scope variable) has a fresh name.
Block refresh_binders(const Block& b, NameSupply& names);

/// The loops with the given symbol, or with it as their stem when `copies` (scope bodies included), in preorder.
std::vector<Stmt> find_loops(const Program& p, const Symbol& symbol, bool copies = false);
/// Replaces each loop for which `f` returns a block (bottom-up, scope bodies included).
Program rewrite_loops(const Program& p, const std::function<std::optional<Block>(const Stmt& loop)>& f);

/// Symbols (loop symbols, parameters) and variables that occur free.
std::set<Symbol> free_symbols(const Block& b);

/// Whether a buffer, a variable or an expression of `p` is of type `t`.
bool mentions(const Program& p, Type t);

}  // namespace assay
