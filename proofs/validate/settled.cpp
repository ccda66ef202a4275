// An expression over loop symbols, parameters, inputs and constants has one value wherever the loop symbols have theirs, and
// those of a declaration are around every use of its variable. So the variable and its expression are the same there.
#include "proofs/validate/settled.hpp"

#include "ir/traverse.hpp"
#include "proofs/validate/instance.hpp"

namespace assay::derive {
namespace {

constexpr int largest = 64;  // operations; a variable of variables could grow without bound

int operations(const Expr& e) {
  int n = 0;
  Visitor v;
  v.enter_expr = [&](const Expr&) { return ++n <= largest; };
  visit(e, v);
  return n;
}

class Settled {
 public:
  explicit Settled(const Program& p) : program_(p) {
    std::set<Symbol> assigned;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::assign) assigned.insert(s->name);
      return true;
    };
    visit(p.body, v);
    v.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::declare && s->value && assigned.count(s->name) == 0) add(s->name, s->value);
      return true;
    };
    visit(p.body, v);
  }

  bool none() const { return values_.empty(); }

  void in(Expr& e) const { e = with_values(e); }
  void in(std::vector<Guard>& guards) const {
    for (Guard& g : guards) in(g.condition);
  }

 private:
  void add(const Symbol& name, const Expr& set_to) {
    const Expr value = with_values(set_to);
    if (operations(value) <= largest && is_immutable(program_, value)) values_.emplace(name, value);
  }
  Expr with_values(const Expr& e) const {
    return rewrite(e, [&](const Expr& part) {
      if (part->op != Op::variable) return part;
      const auto value = values_.find(part->name);
      return value == values_.end() ? part : value->second;
    });
  }

  const Program& program_;
  std::map<Symbol, Expr> values_;
};

}  // namespace

Extraction settled(const Program& p, Extraction extraction) {
  const Settled values(p);
  if (values.none()) return extraction;
  for (Node& n : extraction.nodes) {
    values.in(n.guards);
    for (Access& a : n.accesses) {
      for (Expr& i : a.indices) values.in(i);
      values.in(a.guards);
    }
    for (Division& d : n.divisions) {
      values.in(d.divisor);
      values.in(d.guards);
    }
  }
  return extraction;
}

}  // namespace assay::derive
