// Z3 through its C++ interface: the simple solver, which never switches strategy or starts threads, on the SMT-LIB text of the
// formula (so that a dumped file is what Z3 was asked).
#include "proofs/z3/query.hpp"

#include <z3++.h>

#include "proofs/isl/query.hpp"
#include "proofs/smtlib/values.hpp"

namespace assay {
namespace {

class Z3Query final : public Query {
 public:
  explicit Z3Query(std::uint64_t rlimit) : rlimit_(rlimit), linear_(make_isl_query()) {}

  Answer solve(const Formula& f, const std::vector<Symbol>&) override {
    Answer out;
    try {
      out = ask(f);
    } catch (const z3::exception& e) {
      out = {Answer::Kind::unknown, {}, std::string(e.msg())};
    }
    out.engine = "z3";
    return out;
  }

 private:
  Answer ask(const Formula& f) {
    if (f.is_false()) return {Answer::Kind::empty};
    const smtlib::Script asked = smtlib::script(f);
    z3::context context;
    // Quantified linear questions need quantifier elimination, which the simple solver lacks.
    const bool eliminates = asked.logic == "LIA";
    z3::solver solver = eliminates ? z3::tactic(context, "lia").mk_solver() : z3::solver(context, z3::solver::simple());
    z3::params params(context);
    params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(rlimit_, UINT32_MAX)));
    params.set("random_seed", 0U);
    if (!eliminates) params.set("logic", context.str_symbol(asked.logic.c_str()));
    solver.set(params);
    solver.from_string(asked.body.c_str());
    switch (solver.check()) {
      case z3::unsat: return {Answer::Kind::empty};
      case z3::unknown: return {Answer::Kind::unknown, {}, reason(solver.reason_unknown(), asked)};
      case z3::sat: break;
    }
    const z3::model model = solver.get_model();
    std::map<Symbol, std::int64_t> values;
    for (unsigned i = 0; i < model.num_consts(); ++i) {
      const z3::func_decl d = model.get_const_decl(i);
      const auto v = smtlib::parse_integer(model.get_const_interp(d).to_string());
      if (!v) continue;
      values[d.name().str()] = *v;
    }
    return smtlib::checked_solution(asked, std::move(values), f, *linear_);
  }

  std::string reason(const std::string& said, const smtlib::Script& asked) const {
    if (said.find("resource") == std::string::npos && said.find("canceled") == std::string::npos) return said;
    return "gave up at rlimit " + std::to_string(rlimit_) + (asked.nonlinear ? " (nonlinear integers)" : "");
  }

  std::uint64_t rlimit_;
  std::unique_ptr<Query> linear_;  // decides quantified parts at a point
};

}  // namespace

std::unique_ptr<Query> make_z3_query(std::uint64_t rlimit) { return std::make_unique<Z3Query>(rlimit); }

std::string z3_engine_name() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return "z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace assay
