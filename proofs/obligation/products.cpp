// Three-valued evaluation, and linear engines on products.
#include "proofs/obligation/products.hpp"

#include "proofs/obligation/lemmas.hpp"

namespace assay {
namespace {

using Kind = Formula::Kind;

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

std::optional<bool> evaluate(const Formula& f, const std::map<Symbol, std::int64_t>& point, Query* closed) {
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
      const auto v = evaluate(f.parts()[0], point, closed);
      if (!v) return std::nullopt;
      return !*v;
    }
    case Kind::exists: {
      if (closed == nullptr) return std::nullopt;
      std::map<Symbol, Index> constants;
      for (const auto& [symbol, value] : point) constants.emplace(symbol, Index(value));
      for (const Symbol& s : f.variables()) constants.erase(s);
      const Answer answer = closed->solve(f.substitute(constants));
      if (answer.kind == Answer::Kind::unknown || !answer.solution.empty()) return std::nullopt;
      return answer.kind == Answer::Kind::solution;
    }
    case Kind::conjunction:
    case Kind::disjunction: break;
  }
  const bool decisive = f.kind() == Kind::disjunction;
  bool open = false;
  for (const Formula& p : f.parts()) {
    const auto v = evaluate(p, point, closed);
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
  Answer out;
  for (const Formula& relaxed : linearisations(f)) {
    Answer answer = linear.solve(relaxed, minimise_first);
    if (answer.kind == Answer::Kind::empty) return answer;
    if (answer.kind == Answer::Kind::solution) {
      complete_products(f, answer.solution);
      if (evaluate(f, answer.solution) == true) return answer;
      answer = {Answer::Kind::unknown, {}, "not linear", answer.engine};
    }
    out = std::move(answer);
  }
  return out;
}

}  // namespace assay
