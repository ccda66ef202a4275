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

// The questions that Z3 can answer, the cheapest first.
std::vector<Question> questions(const laws::Sides& s) {
  std::vector<Question> out;
  if (auto bits = scalar::rule_script(s.left, s.right, s.condition); bits && !bits->floats)
    out.push_back({std::move(*bits), "z3"});
  if (auto integers = scalar::integer_script(s.left, s.right, s.condition))
    out.push_back({std::move(*integers), "z3, integers"});
  if (auto reals = scalar::rounded_once_script(s.left, s.right, s.condition))
    out.push_back({std::move(*reals), "z3, rounded once"});
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
  std::vector<Question> asked = questions(there);
  if (auto bits = scalar::rule_script(there.left, there.right, there.condition); bits && bits->floats)
    asked.push_back({std::move(*bits), "z3"});
  for (const Question& q : asked) {
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
    const Satisfiable said = z3_satisfiable(q.script.logic, q.script.body, limits.z3);
    // Where a side is not in exact arithmetic, the answer "differs" says nothing about the rounded values.
    if (said.answer == true && q.script.decides)
      return {Evidence::Status::wrong, q.engine, 0, "the solver says that it fails"};
    if (said.answer == false) return {Evidence::Status::proved, q.engine, said.operations, {}};
  }
  // Z3's answers about floats would count only together with cvc5's, so cvc5 alone is asked.
  if (const auto script = scalar::rule_script(sides.left, sides.right, sides.condition); script && script->floats) {
    const Satisfiable cvc5 = cvc5_satisfiable(script->logic, script->body, limits.cvc5);
    if (cvc5.answer == true) return {Evidence::Status::wrong, "cvc5", 0, "the solver says that it fails"};
    if (cvc5.answer == false) return {Evidence::Status::proved, "cvc5", 0, {}};
  }
  if (const laws::Finding all = laws::check_law(sides, limits.cases); all.exhaustive) {
    if (all.verdict != Verdict::holds) return {Evidence::Status::wrong, "", all.cases, "the interpreter refutes it"};
    return {Evidence::Status::proved, "exhaustion", all.cases, {}};
  }
  return {Evidence::Status::wrong, "", 0, "it held on all samples, but there is no proof: solvers gave up"};
}

}  // namespace assay::rules
