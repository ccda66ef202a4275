// fission: where a launch begins, and where it may not (spec/fission.md).
#include "steps.hpp"

namespace assay::test {
namespace {

const char* const three = "zero A for i in 0..4 { A[i] = X[i] } B[0, 0] = A[3]";

TEST(Fission, BehindTheStatement) {
  RULE_EQ("FIS-1", printed("zero A launch for i in 0..4 { A[i] = X[i] } B[0, 0] = A[3]"),
          body(*step(nest(three), "fission after=1").after));
  RULE_EQ("FIS-1", printed("zero A for i in 0..4 { A[i] = X[i] } launch B[0, 0] = A[3]"),
          body(*step(nest(three), "fission after=2").after));
  // `launch` does not count.
  RULE_EQ("FIS-1", printed("zero A launch for i in 0..4 { A[i] = X[i] } launch B[0, 0] = A[3]"),
          body(run(nest(three), {"fission after=1", "fission after=2"})));
}

TEST(Fission, BadNumbers) {
  for (const char* after : {"0", "-1", "3", "4"}) {
    const Step s = step(nest(three), std::string("fission after=") + after);
    RULE_EQ("FIS-2", "FIS-2", s.code);
    RULE_TRUE("SCH-14", s.error);
  }
  RULE_EQ("FIS-2", "FIS-2", step(nest("A[0] = 1.0"), "fission after=1").code);
  RULE_EQ("FIS-2", "choose a statement from 1 to 2", step(nest(three), "fission after=9").refusal.diagnostic.help);
  RULE_EQ("FIS-3", "FIS-3", step(nest("zero A launch A[0] = 1.0 A[1] = 2.0"), "fission after=1").code);
}

TEST(Fission, VariablesDoNotCross) {
  // T110: a variable defined before and used after.
  const Program p = nest("var v: f32 = X[0] A[0] = v A[1] = 2.0 for i in 0..2 { B[i, 0] = v }");
  for (const char* line : {"fission after=1", "fission after=2", "fission after=3"}) {
    const Step s = step(p, line);
    RULE_EQ("FIS-4", "FIS-4", s.code);
    RULE_TRUE("SCH-14", !s.error);
  }
  RULE_TRUE("FIS-4",
            step(nest("A[1] = 2.0 var v: f32 = X[0] A[0] = v A[2] = 1.0"), "fission after=1").after.has_value());
  RULE_TRUE("FIS-4",
            step(nest("A[1] = 2.0 var v: f32 = X[0] A[0] = v A[2] = 1.0"), "fission after=3").after.has_value());
}

}  // namespace
}  // namespace assay::test
