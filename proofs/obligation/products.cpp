// Relaxation of products by polarity, and three-valued evaluation.
#include "proofs/obligation/products.hpp"

namespace assay {
namespace {

using Kind = Formula::Kind;

// Positive: the result has at least the solutions of f; negative: at most.
Formula relax(const Formula& f, bool positive) {
  if (!f.has_products()) return f;
  switch (f.kind()) {
    case Kind::product: return positive ? Formula::truth() : Formula::falsity();
    case Kind::negation: return !relax(f.parts()[0], !positive);
    case Kind::exists: return Formula::exists(f.variables(), relax(f.parts()[0], positive));
    default: break;
  }
  std::vector<Formula> parts;
  for (const Formula& p : f.parts()) parts.push_back(relax(p, positive));
  return f.kind() == Kind::conjunction ? Formula::all(std::move(parts)) : Formula::any(std::move(parts));
}

std::optional<std::int64_t> value_of(const Index& e, const std::map<Symbol, std::int64_t>& point) {
  return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto it = point.find(s);
    if (it == point.end()) return std::nullopt;
    return it->second;
  });
}

std::optional<std::int64_t> product_value(const Formula& f, const std::map<Symbol, std::int64_t>& point) {
  const auto a = value_of(f.factors().first, point);
  const auto b = value_of(f.factors().second, point);
  std::int64_t out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

}  // namespace

Formula relax_products(const Formula& f) { return relax(f, true); }

std::optional<bool> evaluate(const Formula& f, const std::map<Symbol, std::int64_t>& point) {
  switch (f.kind()) {
    case Kind::truth: return true;
    case Kind::falsity: return false;
    case Kind::nonneg:
    case Kind::zero: {
      const auto v = value_of(f.expression(), point);
      if (!v) return std::nullopt;
      return f.kind() == Kind::nonneg ? *v >= 0 : *v == 0;
    }
    case Kind::product: {
      const auto v = value_of(f.expression(), point);
      const auto p = product_value(f, point);
      if (!v || !p) return std::nullopt;
      return *v == *p;
    }
    case Kind::negation: {
      const auto v = evaluate(f.parts()[0], point);
      if (!v) return std::nullopt;
      return !*v;
    }
    case Kind::exists: return std::nullopt;
    case Kind::conjunction:
    case Kind::disjunction: break;
  }
  const bool decisive = f.kind() == Kind::disjunction;
  bool open = false;
  for (const Formula& p : f.parts()) {
    const auto v = evaluate(p, point);
    if (!v) open = true;
    if (v && *v == decisive) return decisive;
  }
  if (open) return std::nullopt;
  return !decisive;
}

void complete_products(const Formula& f, std::map<Symbol, std::int64_t>& point) {
  const std::vector<Formula> alone{f};
  const std::vector<Formula>& parts = f.kind() == Kind::conjunction ? f.parts() : alone;
  for (bool again = true; again;) {
    again = false;
    for (const Formula& p : parts) {
      const Symbol* s = p.kind() == Kind::product ? p.expression().as_symbol() : nullptr;
      if (s == nullptr || point.count(*s) != 0) continue;
      if (const auto v = product_value(p, point)) {
        point[*s] = *v;
        again = true;
      }
    }
  }
}

Answer solve_linear(Query& linear, const Formula& f, const std::vector<Symbol>& minimise_first) {
  Answer out = linear.solve(relax_products(f), minimise_first);
  if (out.kind != Answer::Kind::solution) return out;
  complete_products(f, out.solution);
  if (evaluate(f, out.solution) == true) return out;
  return {Answer::Kind::unknown, {}, "not linear", out.engine};
}

}  // namespace assay
