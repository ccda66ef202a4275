// Exhaustion first, then the solvers; a forbidden rule must have a witness that the interpreter's arithmetic confirms.
#include "prove_rules.hpp"

#include <fmt/format.h>

#include "proofs/scalar/script.hpp"
#include "proofs/z3/text.hpp"

namespace assay::rules {

std::string_view word(Evidence::Status s) {
  switch (s) {
    case Evidence::Status::proved: return "proved";
    case Evidence::Status::refuted: return "refuted";
    case Evidence::Status::sampled: return "sampled";
    case Evidence::Status::wrong: break;
  }
  return "wrong";
}

Evidence evidence(const laws::Law& law, Type type, const Limits& limits) {
  using Verdict = laws::Finding::Verdict;
  const laws::Sides sides = law.sides(type);
  const laws::Finding found = laws::check_law(sides, limits.cases);
  if (law.refuted.contains(type)) {
    if (found.verdict != Verdict::refuted) return {Evidence::Status::wrong, "", found.cases, "no witness found"};
    std::string witness;
    // The translation for the solvers must fail as well, or it says something else than the rule.
    const auto wrong_script = scalar::rule_script(sides.left, sides.right, sides.condition);
    if (wrong_script && z3_satisfiable(wrong_script->logic, wrong_script->body, limits.z3 / 10).answer == false)
      return {Evidence::Status::wrong, "z3", 0, "the solver proves a rule that the interpreter refutes"};
    for (const auto& [name, value] : found.witness)
      witness += fmt::format("{}{}={:#x}", witness.empty() ? "" : " ", name, value.bits);
    return {Evidence::Status::refuted, "interpreter", 0, witness};
  }
  if (found.verdict != Verdict::holds) return {Evidence::Status::wrong, "", found.cases, "the interpreter refutes it"};
  if (found.exhaustive) return {Evidence::Status::proved, "exhaustion", found.cases, {}};
  const auto script = scalar::rule_script(sides.left, sides.right, sides.condition);
  if (!script) return {Evidence::Status::sampled, "samples", 0, "no counterpart in SMT-LIB"};
  // Z3's answers about floats would count only together with cvc5's, so cvc5 is asked at once.
  if (!script->floats) {
    const Satisfiable z3 = z3_satisfiable(script->logic, script->body, limits.z3);
    if (z3.answer == true) return {Evidence::Status::wrong, "z3", 0, "the solver says that it fails"};
    if (z3.answer == false) return {Evidence::Status::proved, "z3", z3.operations, {}};
  }
  const Satisfiable cvc5 = cvc5_satisfiable(script->logic, script->body, limits.cvc5);
  if (cvc5.answer == true) return {Evidence::Status::wrong, "cvc5", 0, "the solver says that it fails"};
  if (cvc5.answer == false) return {Evidence::Status::proved, "cvc5", 0, {}};
  return {Evidence::Status::sampled, "samples", 0, "solvers gave up"};
}

}  // namespace assay::rules
