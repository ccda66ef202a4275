// Which observed values may depend on a function that generated code does not promise to the bit.
//
// A name (buffer, variable, scope variable) is tainted when something stored to it contains such a function or a tainted
// name, or when the store stands under a condition, or at an index, that does. The least fixed point over the program text,
// without regard to order or cells, covers every real dependence.
#include <set>

#include "codegen/c.hpp"
#include "ir/traverse.hpp"

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

class Taint {
 public:
  bool grows(const Block& b, bool under) {
    bool grown = false;
    for (const Stmt& s : b) grown = statement(s, under) || grown;
    return grown;
  }
  bool holds(const Symbol& s) const { return tainted_.count(s) != 0; }

 private:
  bool statement(const Stmt& s, bool under) {
    bool grown = false, value = under;
    for (const Expr& e : s->indices) value = expression(e, grown) || value;
    if (s->value) value = expression(s->value, grown) || value;
    if (s->kind == StmtKind::store || s->kind == StmtKind::declare || s->kind == StmtKind::assign || s->kind == StmtKind::zero) {
      if (value) grown = tainted_.insert(s->name).second || grown;
    }
    grown = grows(s->body, value) || grown;
    return grows(s->other, value) || grown;
  }

  /// Whether the value may be tainted; `grown` is set when a scope inside taints a new name.
  bool expression(const Expr& e, bool& grown) {
    bool value = is_uncompared(e) || tainted_.count(e->name) != 0;
    for (const Expr& a : e->args) value = expression(a, grown) || value;
    if (e->op == Op::scope) grown = grows(e->body, false) || grown;
    return value || (e->op == Op::scope && tainted_.count(e->name) != 0);
  }

  std::set<Symbol> tainted_;
};

}  // namespace

bool has_uncompared_operations(const Program& p) {
  Taint taint;
  while (taint.grows(p.body, false)) {
  }
  for (const Buffer& b : p.buffers) {
    if (is_observed(b.kind) && taint.holds(b.name)) return true;
  }
  return false;
}

}  // namespace assay::codegen
