// Bottom-up typing with one delay: a tree of literals alone stays untyped until its surroundings say what it is.
#include "ir/text/elaborate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/literal.hpp"
#include "ir/text/source.hpp"
#include "ir/typing.hpp"

namespace assay::text {
namespace {

std::string shown(Type t) { return t == Type::index ? "an index value" : std::string(name(t)); }
std::string operation_text(Op op) {
  if (op == Op::choice) return "? :";
  return std::string(info(op).text);
}

// Symbols, divisions, remainders, minima and maxima that an index value is built of (LIM-4).
std::size_t atoms(const Index& i) {
  std::size_t n = i.terms().size();
  for (const auto& [atom, coefficient] : i.terms()) {
    for (const Index& e : atom->args) n += atoms(e);
  }
  return n;
}

}  // namespace

Elaborator::Typed Elaborator::fixed(Expr e, int height) {
  Typed t;
  t.height = height;
  if (e) {
    t.state = Typed::State::fixed;
    t.expr = std::move(e);
  }
  return t;
}

Elaborator::Typed Elaborator::literal(const Syntax& s) {
  Flexible f;
  f.literal = &s;
  f.where = s.where;
  f.floating = s.kind == Syntax::Kind::floating;
  flexible_.push_back(std::move(f));
  Typed t;
  t.state = Typed::State::flexible;
  t.flexible = &flexible_.back();
  return t;
}

Elaborator::Typed Elaborator::elaborate(const Syntax& s) {
  switch (s.kind) {
    case Syntax::Kind::integer:
    case Syntax::Kind::floating: return literal(s);
    case Syntax::Kind::boolean: return fixed(make_literal(bool_scalar(s.truth), s.where));
    case Syntax::Kind::name: return elaborate_name(s);
    case Syntax::Kind::element: return elaborate_element(s);
    case Syntax::Kind::operation: return elaborate_operation(s);
    case Syntax::Kind::convert: return elaborate_conversion(s);
    case Syntax::Kind::scope: return fixed(s.scope, s.scope_height);
  }
  return {};
}

// The whole expression of a place: its height counts for what encloses the statement.
Elaborator::Typed Elaborator::measured(const Syntax& s) {
  Typed t = elaborate(s);
  height_ = std::max(height_, t.height);
  if (t.height <= max_expression_height || t.state == Typed::State::bad) return t;
  reporter_.fatal("LIM-3", s.where, fmt::format("an expression is more than {} operations high", max_expression_height),
                  "put a part of it into a variable");
  return {};
}

Elaborator::Typed Elaborator::elaborate_name(const Syntax& s) {
  const Binding* b = names_.find(s.text);
  if (b == nullptr) {
    names_.report_unknown(s.text, s.where);
    return {};
  }
  switch (b->kind) {
    case Binding::Kind::parameter:
    case Binding::Kind::loop: return fixed(make_index(Index::symbol(b->symbol), s.where));
    case Binding::Kind::variable: return fixed(make_variable(b->symbol, b->type, s.where));
    case Binding::Kind::buffer:
      reporter_.error("NAME-4", s.where, fmt::format("`{}` is a buffer and needs subscripts here", s.text),
                      fmt::format("write `{}[…]` with {} of them", s.text, b->rank));
      return {};
    case Binding::Kind::broken: return {};
  }
  return {};
}

const Binding* Elaborator::buffer(std::string_view name, std::size_t count, Location name_where, Location where) {
  const Binding* b = names_.find(name);
  if (b == nullptr) {
    names_.report_unknown(name, name_where);
    return nullptr;
  }
  if (b->kind == Binding::Kind::broken) return nullptr;
  if (b->kind != Binding::Kind::buffer) {
    reporter_.error("NAME-4", name_where, fmt::format("`{}` is not a buffer and takes no subscripts", name));
    return nullptr;
  }
  if (count != b->rank) {
    reporter_.error("IDX-5", where,
                    fmt::format("`{}` has {} dimension{} and gets {} subscript{}", name, b->rank,
                                b->rank == 1 ? "" : "s", count, count == 1 ? "" : "s"));
    return nullptr;
  }
  return b;
}

const Binding* Elaborator::variable(std::string_view name, Location where) {
  const Binding* b = names_.find(name);
  if (b == nullptr) {
    names_.report_unknown(name, where);
    return nullptr;
  }
  if (b->kind == Binding::Kind::broken) return nullptr;
  if (b->kind == Binding::Kind::variable) return b;
  std::string help;
  if (b->kind == Binding::Kind::buffer) help = fmt::format("a buffer is written with subscripts: `{}[…] = …`", name);
  reporter_.error("NAME-4", where, fmt::format("`{}` is not a variable and cannot be assigned", name), help);
  return nullptr;
}

Elaborator::Typed Elaborator::elaborate_element(const Syntax& s) {
  std::vector<Expr> indices;
  bool good = true;
  int height = 0;
  for (const Syntax* a : s.args) {
    const Typed t = elaborate(*a);
    height = std::max(height, t.height);
    indices.push_back(as_subscript(t, a->where));
    good = good && indices.back();
  }
  const Binding* b = buffer(s.text, s.args.size(), s.name_where, s.where);
  if (b == nullptr || !good) return {};
  return fixed(make_load(b->symbol, b->type, std::move(indices), s.where), height + 1);
}

// A literal operand of an operation that does not give it a type, as conversions do not.
Expr Elaborator::without_type(const Typed& t, Location where) {
  if (t.state == Typed::State::bad) return {};
  if (t.state == Typed::State::fixed) return t.expr;
  reporter_.error("TYPE-2", where, "nothing gives this literal a type", "write the type it has, as in `f32(1.5)`");
  return {};
}

// Operands that have types of their own, whatever the others are.
Elaborator::Typed Elaborator::elaborate_signature(const Syntax& s) {
  std::vector<Expr> operands;
  int height = 1;
  for (std::size_t i = 0; i < s.args.size(); ++i) {
    const Syntax& a = *s.args[i];
    const Typed t = elaborate(a);
    height = std::max(height, t.height + 1);
    const std::optional<Type> wanted = operand_type(s.op, i);
    if (t.state == Typed::State::flexible && wanted) {
      operands.push_back(resolve(*t.flexible, *wanted));
    } else {
      operands.push_back(without_type(t, a.where));
    }
    const Expr& e = operands.back();
    if (!e) return {};
    if (!wanted || e->type == *wanted) continue;
    const bool index = e->type == Type::index;
    reporter_.error(index ? "IDX-8" : "TYPE-10", a.where,
                    fmt::format("operand {} of `{}` has to be {}, and this is {}", i + 1, operation_text(s.op),
                                name(*wanted), shown(e->type)),
                    *wanted == Type::u32 ? "convert it, as in `u32(…)`" : "a block is made by `u32x4(a, b, c, d)`");
    return {};
  }
  const Type type = has_written_type(s.op) ? s.type : operands.front()->type;
  if (!is_defined(s.op, type)) {
    reporter_.error("TYPE-6", s.where, fmt::format("there is no `{}` at {}", operation_text(s.op), shown(type)),
                    type == Type::index ? "convert the operand, as in `i64(i)`" : "");
    return {};
  }
  if (has_written_type(s.op)) return fixed(make_op(s.op, s.type, std::move(operands), s.where), height);
  return fixed(make_op(s.op, std::move(operands), s.where), height);
}

Elaborator::Typed Elaborator::elaborate_operation(const Syntax& s) {
  if (operand_type(s.op, 0) || is_ruled_conversion(s.op)) return elaborate_signature(s);
  std::vector<Typed> args;
  args.reserve(s.args.size());
  for (const Syntax* a : s.args) args.push_back(elaborate(*a));
  return combine(s.op, std::move(args), s.where);
}

Elaborator::Typed Elaborator::elaborate_conversion(const Syntax& s) {
  const Syntax& operand = *s.args[0];
  const bool typed_literal = (operand.kind == Syntax::Kind::floating && is_float(s.type)) ||
                             (operand.kind == Syntax::Kind::integer && operand.parenthesised);
  if (typed_literal) return fixed(resolve_literal(operand, s.type));
  Typed t = elaborate(operand);
  if (t.state == Typed::State::flexible) {
    if (t.flexible->floating) {
      reporter_.error("TYPE-2", operand.where, "nothing gives this literal a type",
                      "a conversion does not; write the type it has, as in `f32(1.5)`");
      return {};
    }
    t = fixed(resolve(*t.flexible, Type::index), t.height);
  }
  if (t.state == Typed::State::bad) return {};
  if (!is_convertible(t.expr->type, s.type)) {
    reporter_.error("TYPE-6", s.where,
                    fmt::format("there is no conversion from {} to {}", shown(t.expr->type), name(s.type)),
                    fmt::format("a block gives `word(b, 0)`, `uniform({}, b)` or `uniform_lane({}, b, 0)`",
                                name(s.type), name(s.type)));
    return {};
  }
  return fixed(make_convert(s.type, t.expr, s.where), t.height + 1);
}

Expr Elaborator::require_condition(const Typed& t, Location where) {
  if (t.state == Typed::State::bad) return {};
  if (t.state == Typed::State::fixed && t.expr->type == Type::boolean) return t.expr;
  const std::string found = t.state == Typed::State::flexible ? "a number" : shown(t.expr->type);
  reporter_.error("TYPE-5", where, fmt::format("a condition is needed here, and this is {}", found),
                  "compare it, as in `x != 0`");
  return {};
}

// The operands of `op` get one type: that of the operand which has one.
Elaborator::Typed Elaborator::combine(Op op, std::vector<Typed> args, Location where) {
  if (std::any_of(args.begin(), args.end(), [](const Typed& t) { return t.state == Typed::State::bad; })) return {};
  int height = 1;
  for (const Typed& t : args) height = std::max(height, t.height + 1);
  const auto place = [&](const Typed& t) { return t.state == Typed::State::fixed ? t.expr->where : t.flexible->where; };
  std::vector<Expr> operands;
  if (op == Op::land || op == Op::lor || op == Op::lnot) {
    for (const Typed& t : args) {
      operands.push_back(require_condition(t, place(t)));
      if (!operands.back()) return {};
    }
    return fixed(make_op(op, std::move(operands), where), height);
  }
  std::size_t first = 0;
  if (has_condition(op)) {
    operands.push_back(require_condition(args[0], place(args[0])));
    if (!operands.back()) return {};
    first = 1;
  }
  Type type = Type::index;
  bool known = false;
  bool floating = false;
  for (std::size_t i = first; i < args.size(); ++i) {
    const Typed& t = args[i];
    if (t.state == Typed::State::flexible) {
      floating = floating || t.flexible->floating;
      continue;
    }
    if (known && t.expr->type != type) {
      const bool index = type == Type::index || t.expr->type == Type::index;
      const std::string both =
          fmt::format("the operands of `{}` are {} and {}", operation_text(op), shown(type), shown(t.expr->type));
      const std::string target(name(type == Type::index ? t.expr->type : type));
      reporter_.error(index ? "IDX-8" : "TYPE-1", where, both,
                      fmt::format("convert one of them, as in `{}(…)`", target));
      return {};
    }
    type = t.expr->type;
    known = true;
  }
  if (!known && !is_comparison(op)) {
    Flexible f;
    f.op = op;
    f.args = std::move(args);
    f.where = where;
    f.floating = floating;
    flexible_.push_back(std::move(f));
    Typed t;
    t.state = Typed::State::flexible;
    t.flexible = &flexible_.back();
    t.height = height;
    return t;
  }
  if (!known && floating) {
    reporter_.error("TYPE-2", where, "nothing gives these literals a type", "write it, as in `f32(1.5)`");
    return {};
  }
  for (std::size_t i = first; i < args.size(); ++i) {
    operands.push_back(args[i].state == Typed::State::fixed ? args[i].expr : resolve(*args[i].flexible, type));
    if (!operands.back()) return {};
  }
  Expr result = build(op, type, std::move(operands), where);
  if (result && result->op == Op::index) height = 1;
  return fixed(std::move(result), height);
}

Expr Elaborator::resolve(const Flexible& f, Type type) {
  if (f.literal != nullptr) return resolve_literal(*f.literal, type);
  std::vector<Expr> operands;
  operands.reserve(f.args.size());
  for (const Typed& t : f.args) {
    operands.push_back(t.state == Typed::State::fixed ? t.expr : resolve(*t.flexible, type));
    if (!operands.back()) return {};
  }
  return build(f.op, type, std::move(operands), f.where);
}

Expr Elaborator::resolve_literal(const Syntax& s, Type type) {
  if (type == Type::boolean) {
    reporter_.error("TYPE-7", s.where, "a number stands where a bool is needed",
                    "the values of bool are `true` and `false`");
    return {};
  }
  if (type == Type::u32x4) {
    reporter_.error("TYPE-7", s.where, "a number stands where u32x4 is needed",
                    "a block is made of four u32: `u32x4(1, 2, 3, 4)`");
    return {};
  }
  if (s.kind == Syntax::Kind::floating) {
    if (!is_float(type)) {
      reporter_.error("TYPE-4", s.where, fmt::format("a float literal stands where {} is needed", shown(type)));
      return {};
    }
    if (s.text == "inf" && !has_infinity(type)) {
      reporter_.error("TYPE-3", s.where, fmt::format("{} has no infinity", name(type)),
                      "its largest value is 448; overflow in arithmetic gives `nan`, conversions saturate");
      return {};
    }
    if (s.text == "inf") return make_literal(infinity(type, s.negative), s.where);
    if (s.text == "nan") return make_literal(canonical_nan(type), s.where);
    const auto value = literal_from_float(type, (s.negative ? "-" : "") + std::string(s.text));
    if (!value) {
      reporter_.error("TYPE-3", s.where, fmt::format("{} cannot hold this literal", name(type)),
                      "its values are -448 to 448, and there is no infinity to round to");
      return {};
    }
    return make_literal(*value, s.where);
  }
  if (type == Type::index) {
    if (s.integer < -std::numeric_limits<std::int64_t>::max() || s.integer > std::numeric_limits<std::int64_t>::max()) {
      reporter_.error("IDX-1", s.where, "an index value lies outside of -(2^63 - 1) to 2^63 - 1");
      return {};
    }
    return make_index(Index(static_cast<std::int64_t>(s.integer)), s.where);
  }
  const auto value = literal_from_integer(type, s.integer);
  if (!value && is_float(type)) {
    reporter_.error("TYPE-3", s.where, fmt::format("{} cannot hold this literal", name(type)),
                    "its values are -448 to 448, and there is no infinity to round to");
    return {};
  }
  if (!value) {
    const IntRange range = int_range(type);
    reporter_.error(
        "TYPE-3", s.where, fmt::format("{} cannot hold this literal", name(type)),
        fmt::format("its values are {} to {}", to_text(wrap_int(type, range.lo)), to_text(wrap_int(type, range.hi))));
    return {};
  }
  return make_literal(*value, s.where);
}

Expr Elaborator::build(Op op, Type type, std::vector<Expr> operands, Location where) {
  if (type == Type::index && !is_comparison(op) && !has_condition(op)) return build_index(op, operands, where);
  if (operands.size() > 3 || (operands.size() > 2 && (op == Op::max || op == Op::min))) {
    reporter_.error("SYN-10", where, fmt::format("`{}` takes 2 operands at {}", operation_text(op), name(type)),
                    "more only at index values");
    return {};
  }
  if (!is_defined(op, type)) {
    std::string help;
    if (op == Op::div)
      help = "integer division is named: floordiv(a, b), truncdiv(a, b), ceildiv(a, b) or eucdiv(a, b)";
    reporter_.error("TYPE-6", where, fmt::format("there is no `{}` at type {}", operation_text(op), name(type)), help);
    return {};
  }
  return make_op(op, std::move(operands), where);
}

Expr Elaborator::build_index(Op op, const std::vector<Expr>& operands, Location where) {
  const auto refuse = [&](const std::string& help) {
    reporter_.error("IDX-3", where, fmt::format("`{}` of these operands is not an index value", operation_text(op)),
                    help);
    return Expr();
  };
  if (!is_index_operation(op)) {
    if (op == Op::div) return refuse("integer division of index values is `floordiv(i, 2)`");
    return refuse("convert the operands, as in `i64(i)`");
  }
  std::vector<Index> v;
  for (const Expr& e : operands) {
    if (e->op != Op::index)
      return refuse("a choice between index values is computed at run time: convert it, as in `i64(c ? i : j)`");
    v.push_back(e->index);
  }
  Index result;
  switch (op) {
    case Op::neg: result = -v[0]; break;
    case Op::add: result = v[0] + v[1]; break;
    case Op::sub: result = v[0] - v[1]; break;
    case Op::mul:
      if (!v[0].is_constant() && !v[1].is_constant()) return refuse("convert the factors, as in `i64(i)*i64(j)`");
      result = v[0].is_constant() ? v[1] * v[0].constant() : v[0] * v[1].constant();
      break;
    case Op::max: result = max(v); break;
    case Op::min: result = min(v); break;
    default: {
      if (!v[1].is_constant() || v[1].constant() <= 0) {
        reporter_.error(
            "IDX-6", where,
            fmt::format("the divisor of `{}` at index values is a positive integer literal", operation_text(op)),
            v[1].is_constant() ? "" : "convert the operands, as in `floordiv(i64(i), i64(n))`");
        return {};
      }
      const std::int64_t d = v[1].constant();
      result = op == Op::floordiv ? floordiv(v[0], d) : op == Op::floormod ? floormod(v[0], d) : ceildiv(v[0], d);
      break;
    }
  }
  if (!is_writable_index(result)) {
    reporter_.error("IDX-1", where,
                    "an index value has a constant or a coefficient outside of -(2^63 - 1) to 2^63 - 1");
    return {};
  }
  if (atoms(result) > max_index_atoms) {
    reporter_.error("LIM-4", where, fmt::format("an index value is built of more than {} parts", max_index_atoms),
                    "convert parts of it, as in `i64(i) + i64(j)`");
    return {};
  }
  return make_index(std::move(result), where);
}

Expr Elaborator::value(const Syntax& s, Type type) {
  const Typed t = measured(s);
  if (t.state == Typed::State::bad) return {};
  if (t.state == Typed::State::flexible) return resolve(*t.flexible, type);
  if (t.expr->type == type) return t.expr;
  const bool index = t.expr->type == Type::index;
  reporter_.error(index ? "IDX-8" : "TYPE-7", s.where,
                  fmt::format("{} is needed here, and this is {}", name(type), shown(t.expr->type)),
                  fmt::format("convert it, as in `{}(…)`", name(type)));
  return {};
}

Expr Elaborator::typed(const Syntax& s) { return without_type(measured(s), s.where); }

Expr Elaborator::condition(const Syntax& s) { return require_condition(measured(s), s.where); }

Expr Elaborator::subscript(const Syntax& s) { return as_subscript(measured(s), s.where); }

Expr Elaborator::as_subscript(const Typed& t, Location where) {
  if (t.state == Typed::State::bad) return {};
  if (t.state == Typed::State::flexible) return resolve(*t.flexible, Type::index);
  if (t.expr->type == Type::index || is_int(t.expr->type)) return t.expr;
  reporter_.error("IDX-5", where,
                  fmt::format("a subscript is an index value or an integer, and this is {}", name(t.expr->type)),
                  t.expr->type == Type::boolean ? "" : "convert it, as in `i32(…)`");
  return {};
}

std::optional<Index> Elaborator::bound(const Syntax& s, const char* what) {
  const Typed t = elaborate(s);
  if (t.state == Typed::State::bad) return std::nullopt;
  const Expr e = t.state == Typed::State::flexible ? resolve(*t.flexible, Type::index) : t.expr;
  if (!e) return std::nullopt;
  if (e->op == Op::index) return e->index;
  reporter_.error("IDX-4", s.where, fmt::format("{} is an index value, and this is not", what),
                  "it is made of integers, parameters and symbols of enclosing loops by + - * floordiv floormod "
                  "ceildiv min max, and never reads data");
  return std::nullopt;
}

bool Elaborator::is_requirement(const Expr& e) const {
  if (e->op == Op::land || e->op == Op::lor || e->op == Op::lnot) {
    return std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return is_requirement(a); });
  }
  if (is_comparison(e->op)) return e->args[0]->op == Op::index && e->args[1]->op == Op::index;
  return e->op == Op::literal && e->type == Type::boolean;
}

Expr Elaborator::requirement(const Syntax& s) {
  Expr e = condition(s);
  if (e && !is_requirement(e)) {
    reporter_.error("IDX-7", s.where, "this is not a condition over parameters alone",
                    "compare index values over parameters, and join the comparisons by && || !");
    return {};
  }
  return e;
}

}  // namespace assay::text
