// Evaluation at a point: exact where symbols alone decide, nothing where data would.
#include "fuzz/judges/values.hpp"

namespace assay::fuzz {

std::optional<std::int64_t> value(const Index& e, const Environment& at) {
  return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto it = at.find(s);
    if (it == at.end()) return std::nullopt;
    return it->second;
  });
}

std::optional<bool> truth(const Expr& c, const Environment& at) {
  const auto part = [&](std::size_t i) { return truth(c->args[i], at); };
  switch (c->op) {
    case Op::literal: return c->literal.bits != 0;
    case Op::lnot: {
      const auto a = part(0);
      return a ? std::optional<bool>(!*a) : std::nullopt;
    }
    case Op::land:
    case Op::lor: {
      const bool deciding = c->op == Op::lor;
      const auto a = part(0);
      const auto b = part(1);
      if ((a && *a == deciding) || (b && *b == deciding)) return deciding;
      return a && b ? std::optional<bool>(!deciding) : std::nullopt;
    }
    default: break;
  }
  if (!is_comparison(c->op) || c->args[0]->op != Op::index || c->args[1]->op != Op::index) return std::nullopt;
  const auto a = value(c->args[0]->index, at);
  const auto b = value(c->args[1]->index, at);
  if (!a || !b) return std::nullopt;
  switch (c->op) {
    case Op::eq: return *a == *b;
    case Op::ne: return *a != *b;
    case Op::lt: return *a < *b;
    case Op::le: return *a <= *b;
    case Op::gt: return *a > *b;
    default: return *a >= *b;
  }
}

std::int64_t trips(const Stmt& loop, const Environment& at) {
  const std::int64_t lo = *value(loop->lo, at);
  const std::int64_t hi = *value(loop->hi, at);
  if (loop->axis == Axis::tile) return lo >= hi ? 0 : 1;  // its lanes run the nest together, once
  return lo >= hi ? 0 : (hi - lo + loop->step - 1) / loop->step;
}

}  // namespace assay::fuzz
