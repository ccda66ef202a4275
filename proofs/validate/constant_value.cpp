// Every operation is computed on unbounded integers (128 bits hold them, but for products, which are taken modulo 2^128) and
// then wrapped to its type. A quotient is found from its remainder, whose range tells the seven divisions apart.
#include "proofs/validate/constant_value.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

std::optional<Int128> divided(Op op, Int128 a, Int128 b) {
  if (b == 0) return std::nullopt;
  const Int128 size = b < 0 ? -b : b;
  const Int128 least = (a % size + size) % size;  // 0 <= least < |b|
  Int128 rest = least;
  switch (op) {
    case Op::floordiv:
    case Op::floormod: rest = b < 0 && least != 0 ? least - size : least; break;  // like the divisor
    case Op::ceildiv: rest = b > 0 && least != 0 ? least - size : least; break;   // unlike it
    case Op::truncdiv:
    case Op::truncmod: rest = a < 0 && least != 0 ? least - size : least; break;  // like the dividend
    default: break;                                                               // never negative
  }
  const bool remainder = op == Op::floormod || op == Op::truncmod || op == Op::eucmod;
  return remainder ? rest : (a - rest) / b;
}

std::optional<Int128> unwrapped(const Expr& e) {
  std::vector<Int128> v;
  for (const Expr& x : e->args) {
    const auto value = constant_value(x);
    if (!value) return std::nullopt;
    v.push_back(*value);
  }
  switch (e->op) {
    case Op::convert: return e->type == Type::boolean ? Int128{v[0] != 0} : v[0];
    case Op::neg: return -v[0];
    case Op::add: return v[0] + v[1];
    case Op::sub: return v[0] - v[1];
    case Op::mul: return static_cast<Int128>(static_cast<UInt128>(v[0]) * static_cast<UInt128>(v[1]));
    case Op::max: return std::max(v[0], v[1]);
    case Op::min: return std::min(v[0], v[1]);
    case Op::abs: return v[0] < 0 ? -v[0] : v[0];
    case Op::relu: return std::max(v[0], Int128{0});
    case Op::select: return v[0] != 0 ? v[1] : v[2];
    case Op::lnot: return Int128{v[0] == 0};
    case Op::floordiv:
    case Op::floormod:
    case Op::ceildiv:
    case Op::truncdiv:
    case Op::truncmod:
    case Op::eucdiv:
    case Op::eucmod: return divided(e->op, v[0], v[1]);
    default: break;
  }
  if (!is_comparison(e->op)) return std::nullopt;
  const auto outcome = decided_comparison(e->op, {v[0], v[0]}, {v[1], v[1]});
  return outcome ? std::optional<Int128>(*outcome) : std::nullopt;
}

}  // namespace

std::optional<Int128> constant_value(const Expr& e) {
  if (e->op == Op::index)
    return e->index.is_constant() && !e->index.overflowed() ? std::optional<Int128>(e->index.constant()) : std::nullopt;
  if (!is_int(e->type) && e->type != Type::boolean) return std::nullopt;
  if (e->op == Op::literal) return e->type == Type::boolean ? Int128{e->literal.bits != 0} : int_value(e->literal);
  if (e->args.empty() || !e->body.empty()) return std::nullopt;
  const auto value = unwrapped(e);
  if (!value || e->type == Type::boolean) return value;
  return int_value(wrap_int(e->type, *value));
}

std::optional<bool> decided_comparison(Op op, const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const bool below = a.hi < b.lo, above = b.hi < a.lo;
  const bool not_above = a.hi <= b.lo, not_below = b.hi <= a.lo;
  bool yes = false, no = false;
  switch (op) {
    case Op::lt: yes = below, no = not_below; break;
    case Op::le: yes = not_above, no = above; break;
    case Op::gt: yes = above, no = not_above; break;
    case Op::ge: yes = not_below, no = below; break;
    case Op::eq: yes = not_above && not_below, no = below || above; break;
    case Op::ne: yes = below || above, no = not_above && not_below; break;
    default: return std::nullopt;
  }
  return yes || no ? std::optional(yes) : std::nullopt;
}

}  // namespace assay::derive
