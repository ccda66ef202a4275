// Exhaustion where it is quick, then the solvers, then exhaustion of what is left; a forbidden rule must have a witness that the interpreter's arithmetic confirms.
#include "prove_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ir/traverse.hpp"
#include "proofs/scalar/exact.hpp"
#include "proofs/z3/text.hpp"

namespace assay::rules {

std::string_view word(Evidence::Status s) {
  switch (s) {
    case Evidence::Status::proved: return "proved";
    case Evidence::Status::refuted: return "refuted";
    case Evidence::Status::wrong: break;
  }
  return "wrong";
}

namespace {

struct Question {
  scalar::Script script;
  std::string engine;  // as the kept list names it
};

// All translations, the cheapest first; Z3 answers them, except that floating point is cvc5's.
std::vector<Question> questions(const laws::Sides& s) {
  std::vector<Question> out;
  const auto ask = [&](std::optional<scalar::Script> script, const char* engine) {
    if (script) out.push_back({std::move(*script), engine});
  };
  auto bits = scalar::rule_script(s.left, s.right, s.condition);
  const bool floats = bits && bits->floats;
  if (!floats) ask(std::move(bits), "z3");
  ask(scalar::integer_script(s.left, s.right, s.condition), "z3, integers");
  ask(scalar::rounded_once_script(s.left, s.right, s.condition), "z3, rounded once");
  if (floats) ask(std::move(bits), "cvc5");
  return out;
}

Expr at_witness(const Expr& e, const std::vector<std::pair<Symbol, Scalar>>& witness) {
  if (!e) return e;
  return rewrite(e, [&](const Expr& x) {
    const auto at = std::find_if(witness.begin(), witness.end(),
                                 [&](const auto& named) { return x->op == Op::variable && named.first == x->name; });
    return at == witness.end() ? x : make_literal(at->second);
  });
}

Evidence refuted(const laws::Sides& sides, const laws::Finding& found, const Limits& limits) {
  if (found.verdict != laws::Finding::Verdict::refuted)
    return {Evidence::Status::wrong, "", found.cases, "no witness found"};
  // The translations for the solvers must fail as well, at the witness, or they say something else than the rule.
  const auto at = [&](const Expr& e) { return at_witness(e, found.witness); };
  const laws::Sides there{at(sides.left), at(sides.right), at(sides.condition)};
  for (const Question& q : questions(there)) {
    if (z3_satisfiable(q.script.logic, q.script.body, limits.z3).answer == false)
      return {Evidence::Status::wrong, q.engine, 0, "the solver proves a rule that the interpreter refutes"};
  }
  std::string witness;
  for (const auto& [name, value] : found.witness)
    witness += fmt::format("{}{}={:#x}", witness.empty() ? "" : " ", name, value.bits);
  return {Evidence::Status::refuted, "interpreter", 0, witness};
}

}  // namespace

Evidence evidence(const laws::Law& law, Type type, const Limits& limits) {
  using Verdict = laws::Finding::Verdict;
  const laws::Sides sides = law.sides(type);
  const laws::Finding found = laws::check_law(sides, limits.quick_cases);
  if (law.refuted.contains(type)) return refuted(sides, found, limits);
  if (found.verdict != Verdict::holds) return {Evidence::Status::wrong, "", found.cases, "the interpreter refutes it"};
  if (found.exhaustive) return {Evidence::Status::proved, "exhaustion", found.cases, {}};
  for (const Question& q : questions(sides)) {
    // Z3's answers about floating point would count only together with cvc5's, so cvc5 alone is asked.
    const Satisfiable said = q.script.floats ? cvc5_satisfiable(q.script.logic, q.script.body, limits.cvc5)
                                             : z3_satisfiable(q.script.logic, q.script.body, limits.z3);
    // Where a side is not in exact arithmetic, the answer "differs" says nothing about the rounded values.
    if (said.answer == true && q.script.decides)
      return {Evidence::Status::wrong, q.engine, 0, "the solver says that it fails"};
    if (said.answer == false) return {Evidence::Status::proved, q.engine, said.operations, {}};
  }
  if (const laws::Finding all = laws::check_law(sides, limits.cases); all.exhaustive) {
    if (all.verdict != Verdict::holds) return {Evidence::Status::wrong, "", all.cases, "the interpreter refutes it"};
    return {Evidence::Status::proved, "exhaustion", all.cases, {}};
  }
  return {Evidence::Status::wrong, "", 0, "it held on all samples, but there is no proof: solvers gave up"};
}

}  // namespace assay::rules
