// Three truth values: a part that is not known matters only where the others leave it open.
#include "proofs/obligation/holds.hpp"

namespace assay {
namespace {

using Point = std::map<Symbol, std::int64_t>;

std::optional<std::int64_t> value(const Index& e, const Point& point) {
  return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto it = point.find(s);
    return it == point.end() ? std::nullopt : std::optional(it->second);
  });
}

// What the point leaves open is for the engine.
std::optional<bool> ask(const Formula& f, const Point& point, Query& query) {
  std::map<Symbol, Index> values;
  for (const auto& [symbol, at] : point) values.emplace(symbol, Index(at));
  const Answer answer = query.solve(f.substitute(values));
  if (answer.kind == Answer::Kind::unknown) return std::nullopt;
  return answer.kind == Answer::Kind::solution;
}

std::optional<bool> atom(const Formula& f, const Point& point) {
  const auto e = value(f.expression(), point);
  if (!e) return std::nullopt;
  if (f.kind() == Formula::Kind::nonneg) return *e >= 0;
  if (f.kind() == Formula::Kind::zero) return *e == 0;
  const auto a = value(f.factors().first, point), b = value(f.factors().second, point);
  if (!a || !b) return std::nullopt;
  return Int128{*e} == Int128{*a} * Int128{*b};
}

std::optional<bool> evaluate(const Formula& f, const Point& point, Query& query) {
  switch (f.kind()) {
    case Formula::Kind::truth: return true;
    case Formula::Kind::falsity: return false;
    case Formula::Kind::nonneg:
    case Formula::Kind::zero:
    case Formula::Kind::product: return atom(f, point);
    case Formula::Kind::exists: return ask(f, point, query);
    case Formula::Kind::negation: {
      const auto inner = evaluate(f.parts().front(), point, query);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    case Formula::Kind::conjunction:
    case Formula::Kind::disjunction: break;
  }
  const bool decides = f.kind() == Formula::Kind::disjunction;  // the value that settles it
  bool known = true;
  for (const Formula& part : f.parts()) {
    const auto inner = evaluate(part, point, query);
    if (inner && *inner == decides) return decides;
    known = known && inner.has_value();
  }
  return known ? std::optional(!decides) : std::nullopt;
}

}  // namespace

std::optional<bool> holds_at(const Formula& f, const Point& point, Query& query) {
  std::set<Symbol> open;
  f.collect_free(open);
  for (const auto& [symbol, at] : point) open.erase(symbol);
  // A symbol without a value may be anything: the whole formula is one question.
  return open.empty() ? evaluate(f, point, query) : ask(f, point, query);
}

}  // namespace assay
