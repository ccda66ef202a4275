// The first reduction of the table that fits is taken; each makes the expression smaller.
#include "transforms/reduce.hpp"

#include <algorithm>
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

// An integer as a sum of multiples of other values, modulo 2^128; wrapping arithmetic has no other laws of sums.
struct Terms {
  std::vector<std::pair<Expr, UInt128>> of{};
  UInt128 constant = 0;
  int operations = 0;

  void add(const Expr& e, UInt128 factor) {
    const bool number[] = {!e->args.empty() && e->args[0]->op == Op::literal,
                           e->args.size() > 1 && e->args[1]->op == Op::literal};
    ++operations;
    if (e->op == Op::add || e->op == Op::sub) {
      add(e->args[0], factor);
      add(e->args[1], e->op == Op::add ? factor : -factor);
    } else if (e->op == Op::neg) {
      add(e->args[0], -factor);
    } else if (e->op == Op::mul && (number[0] || number[1])) {
      add(e->args[number[0] ? 1 : 0], factor * static_cast<UInt128>(int_value(e->args[number[0] ? 0 : 1]->literal)));
    } else {
      --operations;
      if (e->op == Op::literal) {
        constant += factor * static_cast<UInt128>(int_value(e->literal));
        return;
      }
      const auto known = std::find_if(of.begin(), of.end(), [&](const auto& t) { return t.first == e; });
      if (known == of.end())
        of.emplace_back(e, factor);
      else
        known->second += factor;
    }
  }
};

// Sums of integers with fewer operations: constants together, and multiples of one value.
std::optional<Expr> collected(const Expr& e) {
  const bool sum = e->op == Op::add || e->op == Op::sub || e->op == Op::neg || e->op == Op::mul;
  if (!is_int(e->type) || !sum) return std::nullopt;
  Terms terms;
  terms.add(e, 1);
  const auto value = [&](UInt128 n) { return int_value(wrap_int(e->type, static_cast<Int128>(n))); };
  const auto literal = [&](Int128 v) { return make_literal(wrap_int(e->type, v), e->where); };
  Expr out;
  int operations = 0;
  const auto join = [&](const Expr& part, bool minus) {
    if (!out) {
      out = minus ? make_op(Op::neg, {part}, e->where) : part;
      operations += minus ? 1 : 0;
      return;
    }
    out = make_op(minus ? Op::sub : Op::add, {out, part}, e->where);
    ++operations;
  };
  // What is subtracted comes last, so that it needs no operation of its own.
  const Int128 constant = value(terms.constant);
  const bool negative_first = !terms.of.empty() && std::all_of(terms.of.begin(), terms.of.end(), [&](const auto& t) {
    const Int128 f = value(t.second);
    return f == 0 || f == value(-static_cast<UInt128>(1));
  });
  if (negative_first && constant != 0) join(literal(constant), false);
  for (const bool minus : {false, true}) {
    for (const auto& [part, factor] : terms.of) {
      const Int128 f = value(factor);
      const bool negated = f == value(-static_cast<UInt128>(1)) && f != 1;
      if (f == 0 || negated != minus) continue;
      if (f != 1 && !negated) ++operations;
      join(f == 1 || negated ? part : make_op(Op::mul, {part, literal(f)}, e->where), negated);
    }
  }
  if (!out) {
    out = literal(constant);
  } else if (constant != 0 && !negative_first) {
    join(literal(constant), false);
  }
  if (operations >= terms.operations) return std::nullopt;
  return out;
}

}  // namespace

Expr reduced(const Expr& e) {
  if (const auto value = computed(e))
    return make_literal(e->type == Type::boolean ? bool_scalar(*value != 0) : wrap_int(e->type, *value), e->where);
  for (const laws::Reduction& r : laws::reductions(e->op)) {
    Bindings bindings;
    if (fits(r.from, e, bindings)) return built(r.to, bindings);
  }
  return collected(e).value_or(e);
}

}  // namespace assay
