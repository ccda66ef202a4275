// Expressions to instructions. An operation's result goes to one temporary, its operands to those behind it.
#include "interp/compiled/compiler.hpp"

namespace assay::interp::compiled {

int Compiler::temporary(int number, const Context& c) {
  c.layout->temporaries = std::max(c.layout->temporaries, number + 1);
  return c.layout->slots + number;
}

// Nodes are counted by the first instruction that comes of them or of what is inside them, so that the count is right
// at every instruction (EXEC-26).
Instruction& Compiler::push(Code code, const BoundExpr& e) {
  Instruction i;
  i.code = code;
  i.source = &e;
  i.op = e.op;
  i.types.out = e.type;
  i.cost = cost_;
  cost_ = 0;
  code_->push_back(i);
  return code_->back();
}

ExpressionCode Compiler::expression(const BoundExpr& e, const Context& c, int at) {
  ExpressionCode r;
  std::vector<Instruction>* const before = code_;
  const std::uint32_t cost = cost_;
  const bool copies = copies_;
  code_ = &r.code;
  cost_ = 0;
  copies_ = writes_outside(e);
  r.result = emit(e, c, at);
  code_ = before;
  cost_ = cost;
  copies_ = copies;
  return r;
}

int Compiler::emit(const BoundExpr& e, const Context& c, int at) {
  ++cost_;
  switch (e.form) {
    case Form::literal: {
      Instruction& i = push(Code::literal, e);
      i.literal = e.literal;
      return i.out = temporary(at, c);
    }
    case Form::index: {
      out_.indices.push_back(index(e.index, c));
      Instruction& i = push(Code::index, e);
      i.index = &out_.indices.back();
      return i.out = temporary(at, c);
    }
    case Form::variable: {
      const Reference r = reference(e.slot, c);
      Instruction& i = push(r.depth == 0 && !copies_ ? Code::variable : Code::outer, e);
      i.variable = r;
      i.number = e.reference;
      return i.out = i.code == Code::variable ? r.slot : temporary(at, c);
    }
    case Form::load: return emit_load(e, c, at);
    case Form::choice:
    case Form::land:
    case Form::lor: return emit_choice(e, c, at);
    case Form::scope: return emit_scope(e, c, at);
    default: return emit_operation(e, c, at);
  }
}

// Whether an operation can be inexact (NUM-31).
bool can_round(Op op, Type type) {
  if (!is_float(type)) return false;
  switch (op) {
    case Op::neg:
    case Op::abs:
    case Op::max:
    case Op::min:
    case Op::maxnum:
    case Op::minnum:
    case Op::relu:
    case Op::sat01:
    case Op::trunc:
    case Op::floor:
    case Op::ceil:
    case Op::select: return false;
    default: return true;
  }
}

int Compiler::emit_operation(const BoundExpr& e, const Context& c, int at) {
  int operand[4] = {0, 0, 0, 0};
  for (std::size_t k = 0; k < e.args.size(); ++k) operand[k] = emit(e.args[k], c, at + 1 + static_cast<int>(k));
  Code code = Code::kernel;
  if (e.form == Form::index_operation) code = Code::index_operation;
  if (e.form == Form::scalar_operation && e.op >= Op::floordiv && e.op <= Op::eucmod) code = Code::divide;
  Instruction& i = push(code, e);
  i.a = operand[0];
  i.b = operand[1];
  i.c = operand[2];
  i.d = operand[3];
  i.types.function = e.function;
  i.types.operand = e.args[0].type;
  i.types.others = e.args.back().type;
  i.types.arity = static_cast<int>(e.args.size());
  i.watched = e.watched && out_.marks && can_round(e.op, e.type);
  if (e.form == Form::select) {
    i.types.operand = e.type;
    i.kernel = find_select_kernel(e.type);
  } else if (e.form == Form::convert) {
    i.kernel = find_convert_kernel(e.type, i.types.operand, i.watched);
  } else {
    i.kernel = find_kernel(e.op, i.types.operand, i.watched);
  }
  return i.out = temporary(at, c);
}

// Index values are evaluated where the cell is located. Beside computed indices they are checked in their place as well, so that
// what comes first is told first.
int Compiler::access(Access& a, int buffer, const std::vector<BoundExpr>& indices, Location where, const Context& c,
                     int at) {
  a.buffer = buffer;
  a.where = where;
  for (const BoundExpr& e : indices) a.computed |= e.form != Form::index;
  int taken = 0;
  for (const BoundExpr& e : indices) {
    Dimension d;
    d.where = e.source->where;
    if (e.form == Form::index) {
      d.index = index(e.index, c);
      if (a.computed) {
        ++cost_;
        out_.indices.push_back(d.index);
        push(Code::index_check, e).index = &out_.indices.back();
      }
    } else {
      d.column = emit(e, c, at + taken);
      d.type = e.type;
      ++taken;
    }
    a.dims.push_back(std::move(d));
  }
  a.small = !a.computed && std::all_of(a.dims.begin(), a.dims.end(), [](const Dimension& d) { return d.index.small; });
  return taken;
}

int Compiler::emit_load(const BoundExpr& e, const Context& c, int at) {
  Access a;
  access(a, e.reference, e.args, e.source->where, c, at + 1);
  if (!a.computed) cost_ += static_cast<std::uint32_t>(e.args.size());
  out_.accesses.push_back(std::move(a));
  if (c.strip) uses_.push_back({&out_.accesses.back(), false});
  Instruction& i = push(Code::load, e);
  i.access = &out_.accesses.back();
  return i.out = temporary(at, c);
}

void Compiler::arm(const BoundExpr& e, const Context& c, int at, int into) {
  const int result = emit(e, c, at);
  Instruction& i = push(Code::move, e);
  i.a = result;
  i.out = into;
}

int Compiler::emit_choice(const BoundExpr& e, const Context& c, int at) {
  const int condition = emit(e.args[0], c, at + 1);
  const Code code = e.form == Form::choice ? Code::choice : e.form == Form::land ? Code::land : Code::lor;
  const std::size_t self = code_->size();
  const int out = temporary(at, c);
  {
    Instruction& i = push(code, e);
    i.a = condition;
    i.out = out;
  }
  arm(e.args[1], c, at + 1, out);
  (*code_)[self].middle = static_cast<std::uint32_t>(code_->size() - self);
  if (e.form == Form::choice) arm(e.args[2], c, at + 1, out);
  (*code_)[self].skip = static_cast<std::uint32_t>(code_->size() - self);
  return out;
}

int Compiler::emit_scope(const BoundExpr& e, const Context& c, int at) {
  const int base = base_;
  base_ = at + 1;
  std::vector<Instruction>* const code = code_;
  const std::uint32_t cost = cost_;
  out_.scopes.push_back(block(e.body, c));
  const NodeBlock* body = &out_.scopes.back();
  code_ = code;
  cost_ = cost;
  base_ = base;
  Instruction& i = push(Code::scope, e);
  i.block = body;
  i.variable = reference(e.slot, c);
  i.number = e.reference;
  return i.out = i.variable.slot;
}

namespace {

bool block_writes_outside(const BoundBlock& b, std::set<std::pair<int, int>>& own);

bool expression_writes_outside(const BoundExpr& e, std::set<std::pair<int, int>>& own) {
  if (e.form == Form::scope) {
    own.insert({e.slot.level, e.slot.index});
    if (block_writes_outside(e.body, own)) return true;
  }
  for (const BoundExpr& a : e.args) {
    if (expression_writes_outside(a, own)) return true;
  }
  return false;
}

bool block_writes_outside(const BoundBlock& b, std::set<std::pair<int, int>>& own) {
  for (const auto& s : b) {
    if (s->kind == StmtKind::declare) own.insert({s->slot.level, s->slot.index});
    if (s->kind == StmtKind::assign && own.count({s->slot.level, s->slot.index}) == 0) return true;
    if (s->kind == StmtKind::store || s->kind == StmtKind::zero) return true;
    for (const auto* list : {&s->indices, &s->value}) {
      for (const BoundExpr& e : *list) {
        if (expression_writes_outside(e, own)) return true;
      }
    }
    if (block_writes_outside(s->body, own) || block_writes_outside(s->other, own)) return true;
  }
  return false;
}

}  // namespace

bool writes_outside(const BoundExpr& e) {
  std::set<std::pair<int, int>> own;
  return expression_writes_outside(e, own);
}

}  // namespace assay::interp::compiled
