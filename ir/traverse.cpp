// The one traversal framework; see the header for the order that all of these share.
#include "ir/traverse.hpp"

#include <algorithm>

namespace assay {

void visit(const Block& block, const Visitor& v) {
  for (const Stmt& s : block) visit(s, v);
}

void visit(const Stmt& s, const Visitor& v) {
  if (!v.enter_stmt || v.enter_stmt(s)) {
    for (const Expr& e : s->indices) visit(e, v);
    if (s->value) visit(s->value, v);
    visit(s->body, v);
    visit(s->other, v);
  }
  if (v.leave_stmt) v.leave_stmt(s);
}

void visit(const Expr& e, const Visitor& v) {
  if (!v.enter_expr || v.enter_expr(e)) {
    for (const Expr& a : e->args) visit(a, v);
    visit(e->body, v);
  }
  if (v.leave_expr) v.leave_expr(e);
}

namespace {

std::vector<Expr> rewrite_all(const std::vector<Expr>& es, const ExprRewrite& on_expr, const StmtRewrite& on_stmt) {
  std::vector<Expr> out;
  out.reserve(es.size());
  for (const Expr& e : es) out.push_back(rewrite(e, on_expr, on_stmt));
  return out;
}

bool same_nodes(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return &*x == &*y; });
}
bool same_nodes(const Block& a, const Block& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Stmt& x, const Stmt& y) { return &*x == &*y; });
}

}  // namespace

Expr rewrite(const Expr& e, const ExprRewrite& on_expr, const StmtRewrite& on_stmt) {
  std::vector<Expr> args = rewrite_all(e->args, on_expr, on_stmt);
  Block body = rewrite(e->body, on_expr, on_stmt);
  Expr result = e;
  if (!same_nodes(args, e->args) || !same_nodes(body, e->body)) {
    result = with(e, [&](ExprNode& n) {
      n.args = std::move(args);
      n.body = std::move(body);
    });
  }
  return on_expr ? on_expr(result) : result;
}

Block rewrite(const Block& b, const ExprRewrite& on_expr, const StmtRewrite& on_stmt) {
  Block out;
  out.reserve(b.size());
  for (const Stmt& s : b) {
    std::vector<Expr> indices = rewrite_all(s->indices, on_expr, on_stmt);
    Expr value = s->value ? rewrite(s->value, on_expr, on_stmt) : Expr();
    Block body = rewrite(s->body, on_expr, on_stmt);
    Block other = rewrite(s->other, on_expr, on_stmt);
    Stmt result = s;
    const bool same_value = (!value && !s->value) || (value && &*value == &*s->value);
    if (!same_value || !same_nodes(indices, s->indices) || !same_nodes(body, s->body) || !same_nodes(other, s->other)) {
      result = with(s, [&](StmtNode& n) {
        n.indices = std::move(indices);
        n.value = std::move(value);
        n.body = std::move(body);
        n.other = std::move(other);
      });
    }
    if (!on_stmt) {
      out.push_back(std::move(result));
      continue;
    }
    for (Stmt& replacement : on_stmt(result)) out.push_back(std::move(replacement));
  }
  return out;
}

Stmt rewrite_expressions(const Stmt& s, const ExprRewrite& on_expr) { return rewrite(Block{s}, on_expr).front(); }

namespace {

ExprRewrite substitution_in_expr(const std::map<Symbol, Index>& map) {
  return [&map](const Expr& e) {
    if (e->op != Op::index) return e;
    Index replaced = e->index.substitute(map);
    if (replaced == e->index) return e;
    return with(e, [&](ExprNode& n) { n.index = std::move(replaced); });
  };
}

std::shared_ptr<const Provenance> substitute(const std::shared_ptr<const Provenance>& p,
                                             const std::map<Symbol, Index>& map) {
  if (!p) return p;
  Provenance out{p->statement, {}};
  for (const auto& [symbol, value] : p->to_source) out.to_source.emplace(symbol, value.substitute(map));
  return std::make_shared<const Provenance>(std::move(out));
}

StmtRewrite substitution_in_stmt(const std::map<Symbol, Index>& map) {
  return [&map](const Stmt& s) {
    return Block{with(s, [&](StmtNode& n) {
      n.lo = n.lo.substitute(map);
      n.hi = n.hi.substitute(map);
      n.provenance = substitute(n.provenance, map);
    })};
  };
}

}  // namespace

Block substitute(const Block& b, const std::map<Symbol, Index>& map) {
  return rewrite(b, substitution_in_expr(map), substitution_in_stmt(map));
}

Expr substitute(const Expr& e, const std::map<Symbol, Index>& map) {
  return rewrite(e, substitution_in_expr(map), substitution_in_stmt(map));
}

Block refresh_binders(const Block& b, NameSupply& names) {
  std::map<Symbol, Symbol> renamed;
  std::map<Symbol, Index> symbols;
  Visitor collect;
  collect.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) {
      const Symbol fresh = names.fresh(s->name);
      renamed.emplace(s->name, fresh);
      symbols.emplace(s->name, Index::symbol(fresh));
    } else if (s->kind == StmtKind::declare) {
      renamed.emplace(s->name, names.fresh(s->name));
    }
    return true;
  };
  collect.enter_expr = [&](const Expr& e) {
    if (e->op == Op::scope) renamed.emplace(e->name, names.fresh(e->name));
    return true;
  };
  visit(b, collect);
  if (renamed.empty()) return b;

  const auto rename = [&](Symbol& name) {
    if (const auto it = renamed.find(name); it != renamed.end()) name = it->second;
  };
  const ExprRewrite on_expr = [&](const Expr& e) {
    if (e->op != Op::variable && e->op != Op::scope) return e;
    return with(e, [&](ExprNode& n) { rename(n.name); });
  };
  const StmtRewrite on_stmt = [&](const Stmt& s) {
    if (s->kind != StmtKind::loop && s->kind != StmtKind::declare && s->kind != StmtKind::assign) return Block{s};
    return Block{with(s, [&](StmtNode& n) { rename(n.name); })};
  };
  return substitute(rewrite(b, on_expr, on_stmt), symbols);
}

std::vector<Stmt> find_loops(const Program& p, const Symbol& symbol, bool copies) {
  std::vector<Stmt> found;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop && (s->name == symbol || (copies && stem(s->name) == symbol))) found.push_back(s);
    return true;
  };
  visit(p.body, v);
  return found;
}

Program rewrite_loops(const Program& p, const std::function<std::optional<Block>(const Stmt& loop)>& f) {
  Program out = p;
  out.body = rewrite(p.body, {}, [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) {
      if (std::optional<Block> replacement = f(s)) return *std::move(replacement);
    }
    return Block{s};
  });
  return out;
}

std::set<Symbol> free_symbols(const Block& b) {
  std::set<Symbol> used;
  std::set<Symbol> bound;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    s->lo.collect_symbols(used);
    s->hi.collect_symbols(used);
    if (s->kind == StmtKind::loop || s->kind == StmtKind::declare) bound.insert(s->name);
    if (s->kind == StmtKind::assign) used.insert(s->name);
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    e->index.collect_symbols(used);
    if (e->op == Op::variable) used.insert(e->name);
    if (e->op == Op::scope) bound.insert(e->name);
    return true;
  };
  visit(b, v);
  for (const Symbol& s : bound) used.erase(s);  // binders are unique, so a bound name is not also free
  return used;
}

bool mentions(const Program& p, Type t) {
  bool found = std::any_of(p.buffers.begin(), p.buffers.end(), [&](const Buffer& b) { return b.type == t; });
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found = found || s->type == t;
    return !found;
  };
  v.enter_expr = [&](const Expr& e) {
    found = found || e->type == t;
    return !found;
  };
  visit(p.body, v);
  return found;
}

}  // namespace assay
