// Scripts as text; the logic decides which of Z3's tactics is used.
#include "proofs/z3/text.hpp"

#include <z3++.h>

#include "proofs/cvc5/query.hpp"

namespace assay {

Satisfiable z3_satisfiable(const std::string& logic, const std::string& body, std::uint64_t rlimit) {
  Satisfiable out;
  try {
    z3::context context;
    const char* tactic = logic == "QF_BV" ? "qfbv" : logic.find("FP") != std::string::npos ? "qffp" : "smt";
    z3::solver solver = z3::tactic(context, tactic).mk_solver();
    z3::params params(context);
    params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(rlimit, UINT32_MAX)));
    solver.set(params);
    solver.from_string(body.c_str());
    const z3::check_result said = solver.check();
    if (said != z3::unknown) out.answer = said == z3::sat;
    if (said == z3::unknown) out.reason = "z3: " + solver.reason_unknown();
    const z3::stats statistics = solver.statistics();
    for (unsigned i = 0; i < statistics.size(); ++i) {
      if (statistics.key(i) == "rlimit count") out.operations = statistics.uint_value(i);
    }
  } catch (const z3::exception& e) {
    out.reason = std::string("z3: ") + e.msg();
  }
  return out;
}

Satisfiable cvc5_satisfiable(const std::string& logic, const std::string& body, std::uint64_t rlimit) {
  Satisfiable out;
  const auto said = run_cvc5({"--lang=smt2", "--seed=0", "--fp-exp", "--rlimit=" + std::to_string(rlimit)},
                             "(set-logic " + logic + ")\n" + body + "(check-sat)\n");
  if (!said) {
    out.reason = "cvc5 could not be run";
  } else if (*said == "unsat\n" || *said == "sat\n") {
    out.answer = *said == "sat\n";
  } else {
    out.reason = "cvc5: gave up";
  }
  return out;
}

}  // namespace assay
