// Operation table, constructors and structural equality of the trees.
#include "ir/expr.hpp"

#include <algorithm>
#include <array>

namespace assay {

const OpInfo& info(Op op) {
  static constexpr std::array<OpInfo, op_count> table{{
      {"", 0, false},  // literal
      {"", 0, false},  // index
      {"", 0, false},  // variable
      {"", 0, false},  // load
      {"", 1, false},  // convert
      {"", 3, false},  // choice
      {"&&", 2, false},
      {"||", 2, false},
      {"!", 1, false},
      {"", 0, false},  // scope
      {"-", 1, false},
      {"+", 2, false},
      {"-", 2, false},
      {"*", 2, false},
      {"/", 2, false},
      {"floordiv", 2, true},
      {"floormod", 2, true},
      {"ceildiv", 2, true},
      {"truncdiv", 2, true},
      {"truncmod", 2, true},
      {"eucdiv", 2, true},
      {"eucmod", 2, true},
      {"==", 2, false},
      {"!=", 2, false},
      {"<", 2, false},
      {"<=", 2, false},
      {">", 2, false},
      {">=", 2, false},
      {"max", 2, true},
      {"min", 2, true},
      {"maxnum", 2, true},
      {"minnum", 2, true},
      {"fma", 3, true},
      {"abs", 1, true},
      {"relu", 1, true},
      {"sat01", 1, true},
      {"exp", 1, true},
      {"exp2", 1, true},
      {"log", 1, true},
      {"log2", 1, true},
      {"sin", 1, true},
      {"cos", 1, true},
      {"tanh", 1, true},
      {"sqrt", 1, true},
      {"rsqrt", 1, true},
      {"recip", 1, true},
      {"trunc", 1, true},
      {"floor", 1, true},
      {"ceil", 1, true},
      {"pow", 2, true},
      {"select", 3, true},
      {"f8e5m2_sat", 1, true},
      {"f8e4m3fn_nosat", 1, true},
      {"u32x4", 4, true},
      {"word", 2, true},
      {"threefry_crypto", 2, true},
      {"threefry_light", 2, true},
      {"uniform", 1, true},
      {"uniform_lane", 2, true},
  }};
  return table[static_cast<std::size_t>(op)];
}

bool Expr::operator==(const Expr& other) const {
  if (node_ == other.node_) return true;
  if (!node_ || !other.node_) return false;
  const ExprNode& a = *node_;
  const ExprNode& b = *other.node_;
  return a.op == b.op && a.type == b.type && a.literal == b.literal && a.name == b.name && a.index == b.index &&
         a.args == b.args && equal(a.body, b.body);
}

bool Stmt::operator==(const Stmt& other) const {
  if (node_ == other.node_) return true;
  if (!node_ || !other.node_) return false;
  const StmtNode& a = *node_;
  const StmtNode& b = *other.node_;
  return a.kind == b.kind && a.name == b.name && a.lo == b.lo && a.hi == b.hi && a.step == b.step && a.axis == b.axis &&
         a.type == b.type && a.indices == b.indices && a.value == b.value && equal(a.body, b.body) &&
         equal(a.other, b.other);
}

bool equal(const Block& a, const Block& b) { return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin()); }

namespace {
Expr make(ExprNode node) { return Expr(std::make_shared<const ExprNode>(std::move(node))); }
Stmt make(StmtNode node) { return Stmt(std::make_shared<const StmtNode>(std::move(node))); }
}  // namespace

Expr make_literal(Scalar value, Location where) {
  ExprNode n;
  n.op = Op::literal;
  n.type = value.type;
  n.literal = value;
  n.where = where;
  return make(std::move(n));
}

Expr make_index(Index value, Location where) {
  ExprNode n;
  n.op = Op::index;
  n.index = std::move(value);
  n.where = where;
  return make(std::move(n));
}

Expr make_variable(Symbol name, Type type, Location where) {
  ExprNode n;
  n.op = Op::variable;
  n.type = type;
  n.name = std::move(name);
  n.where = where;
  return make(std::move(n));
}

Expr make_load(Symbol buffer, Type type, std::vector<Expr> indices, Location where) {
  ExprNode n;
  n.op = Op::load;
  n.type = type;
  n.name = std::move(buffer);
  n.args = std::move(indices);
  n.where = where;
  return make(std::move(n));
}

Expr make_convert(Type to, Expr operand, Location where) {
  ExprNode n;
  n.op = Op::convert;
  n.type = to;
  n.args = {std::move(operand)};
  n.where = where;
  return make(std::move(n));
}

Expr make_scope(Symbol name, Type type, Block body, Location where) {
  ExprNode n;
  n.op = Op::scope;
  n.type = type;
  n.name = std::move(name);
  n.body = std::move(body);
  n.where = where;
  return make(std::move(n));
}

Type result_type(Op op, Type operand) {
  if (is_comparison(op)) return Type::boolean;
  switch (op) {
    case Op::land:
    case Op::lor:
    case Op::lnot: return Type::boolean;
    case Op::f8e5m2_sat: return Type::f8e5m2;
    case Op::f8e4m3fn_nosat: return Type::f8e4m3fn;
    case Op::block: return Type::u32x4;
    case Op::word: return Type::u32;
    default: return operand;
  }
}

Expr make_op(Op op, std::vector<Expr> operands, Location where) {
  const Type type = result_type(op, operands.back()->type);
  return make_op(op, type, std::move(operands), where);
}

Expr make_op(Op op, Type type, std::vector<Expr> operands, Location where) {
  ExprNode n;
  n.op = op;
  n.type = type;
  n.args = std::move(operands);
  n.where = where;
  return make(std::move(n));
}

Stmt make_loop(Symbol symbol, Index lo, Index hi, std::int64_t step, Axis axis, Block body, Location where) {
  StmtNode n;
  n.kind = StmtKind::loop;
  n.name = std::move(symbol);
  n.lo = std::move(lo);
  n.hi = std::move(hi);
  n.step = step;
  n.axis = axis;
  n.body = std::move(body);
  n.where = where;
  return make(std::move(n));
}

Index canonical_end(const StmtNode& loop) { return loop.axis == Axis::tile ? min({loop.hi, loop.lo + 1}) : loop.hi; }

Stmt make_branch(Expr condition, Block then, Block other, Location where) {
  StmtNode n;
  n.kind = StmtKind::branch;
  n.value = std::move(condition);
  n.body = std::move(then);
  n.other = std::move(other);
  n.where = where;
  return make(std::move(n));
}

Stmt make_zero(Symbol buffer, Location where) {
  StmtNode n;
  n.kind = StmtKind::zero;
  n.name = std::move(buffer);
  n.where = where;
  return make(std::move(n));
}

Stmt make_barrier(Location where) {
  StmtNode n;
  n.kind = StmtKind::barrier;
  n.where = where;
  return make(std::move(n));
}

Stmt make_launch(Location where) {
  StmtNode n;
  n.kind = StmtKind::launch;
  n.where = where;
  return make(std::move(n));
}

Stmt make_declare(Symbol name, Type type, Expr initial, Location where) {
  StmtNode n;
  n.kind = StmtKind::declare;
  n.name = std::move(name);
  n.type = type;
  n.value = std::move(initial);
  n.where = where;
  return make(std::move(n));
}

Stmt make_assign(Symbol name, Expr value, Location where) {
  StmtNode n;
  n.kind = StmtKind::assign;
  n.name = std::move(name);
  n.value = std::move(value);
  n.where = where;
  return make(std::move(n));
}

Stmt make_store(Symbol buffer, std::vector<Expr> indices, Expr value, Location where) {
  StmtNode n;
  n.kind = StmtKind::store;
  n.name = std::move(buffer);
  n.indices = std::move(indices);
  n.value = std::move(value);
  n.where = where;
  return make(std::move(n));
}

}  // namespace assay
