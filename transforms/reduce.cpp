// The first reduction of the table that fits is taken; each makes the expression smaller.
#include "transforms/reduce.hpp"

#include <map>
#include <optional>

#include "ir/rules/reductions.hpp"

namespace assay {
namespace {

using Bindings = std::map<Symbol, Expr>;

bool fits(const Expr& pattern, const Expr& e, Bindings& bindings) {
  if (pattern->type != e->type) return false;
  if (pattern->op == Op::variable) return bindings.emplace(pattern->name, e).first->second == e;
  if (pattern->op != e->op || pattern->literal != e->literal || pattern->args.size() != e->args.size()) return false;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (!fits(pattern->args[i], e->args[i], bindings)) return false;
  }
  return true;
}

Expr built(const Expr& pattern, const Bindings& bindings) {
  if (pattern->op == Op::variable) return bindings.at(pattern->name);
  if (pattern->args.empty()) return pattern;
  return reduced(with(pattern, [&](ExprNode& n) {
    for (Expr& a : n.args) a = built(a, bindings);
  }));
}

// Operations on integer literals; divisions by zero stay.
std::optional<Int128> computed(const Expr& e) {
  for (const Expr& a : e->args) {
    if (a->op != Op::literal || !is_int(a->type)) return std::nullopt;
  }
  if (e->args.empty() || e->args.size() > 2) return std::nullopt;
  const Int128 a = int_value(e->args[0]->literal);
  if (e->op == Op::neg) return -a;
  if (e->op == Op::abs) return a < 0 ? -a : a;
  if (e->op == Op::relu) return a < 0 ? 0 : a;
  if (e->op == Op::convert) return is_int(e->type) ? std::optional(a) : std::nullopt;
  if (e->args.size() == 1) return std::nullopt;
  const Int128 b = int_value(e->args[1]->literal);
  switch (e->op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    // Modulo 2^128 first, since the product of two 64-bit numbers may not fit.
    case Op::mul: return static_cast<Int128>(static_cast<UInt128>(a) * static_cast<UInt128>(b));
    case Op::max: return a > b ? a : b;
    case Op::min: return a < b ? a : b;
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::gt: return a > b;
    case Op::ge: return a >= b;
    default: break;
  }
  if (b == 0) return std::nullopt;
  const Int128 remainder = a % b;
  const bool between = remainder != 0 && (remainder < 0) != (b < 0);  // the floor is below what C's division gives
  switch (e->op) {
    case Op::floordiv: return a / b - (between ? 1 : 0);
    case Op::floormod: return remainder + (between ? b : 0);
    case Op::ceildiv: return a / b + (remainder != 0 && !between ? 1 : 0);
    case Op::eucdiv: return a / b - (remainder < 0 ? (b < 0 ? -1 : 1) : 0);
    case Op::eucmod: return remainder < 0 ? remainder + (b < 0 ? -b : b) : remainder;
    case Op::truncdiv: return a / b;
    case Op::truncmod: return remainder;
    default: return std::nullopt;
  }
}

}  // namespace

Expr reduced(const Expr& e) {
  if (const auto value = computed(e))
    return make_literal(e->type == Type::boolean ? bool_scalar(*value != 0) : wrap_int(e->type, *value), e->where);
  for (const laws::Reduction& r : laws::reductions(e->op)) {
    Bindings bindings;
    if (fits(r.from, e, bindings)) return built(r.to, bindings);
  }
  return e;
}

}  // namespace assay
