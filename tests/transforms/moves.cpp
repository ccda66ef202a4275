// Applying and validating a line with the engine that users get.
#include "moves.hpp"

#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::test {

Moved moved(const Program& before, const std::string& schedule_line) {
  const auto query = make_portfolio_query();
  const Program numbered = number_statements(before);
  StepResult r = apply_line(numbered, line(schedule_line), *query);
  if (!r) return {std::nullopt, {}, r.error().diagnostic.code, r.error().kind == Refusal::Kind::error};
  EXPECT_TRUE(check_well_formed(r->program).empty()) << print(r->program);
  Moved out;
  for (const Obligation& o : validate(numbered, r->program, *query).obligations) {
    if (o.status != Obligation::Status::proved && out.code.empty()) out.code = o.code;
  }
  out.after = fold_guards(number_statements(r->program), *query).program;
  out.text = body(*out.after);
  const auto again = parse_source(print(*out.after), "after.air");
  EXPECT_TRUE(again && again->programs.at(0) == *out.after) << print(*out.after);
  return out;
}

}  // namespace assay::test
