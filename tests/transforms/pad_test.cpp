// pad: idle iterations, guards, barriers, conditions that read data, bounds and refusals (spec/pad.md).
#include <fmt/format.h>

#include "steps.hpp"

namespace assay::test {
namespace {

// T45
TEST(Pad, IdleIterationsStandUnderAGuard) {
  const Step s = step(nest("for t in 0..21 { A[t] = X[t] }"), "pad t to=8");
  ASSERT_TRUE(s.after);
  RULE_EQ("PAD-2", printed("for t in 0..24 { if t < 21 { A[t] = X[t] } }"), body(*s.after));
  EXPECT_EQ(body(*s.after), body(fold(*s.after)));
}

TEST(Pad, GuardsStandInside) {
  const Step s = step(nest("for t in 0..5 { for j in 0..3 { if j < 2 { B[t, j] = 1.0  A[t] = X[j] } else { B[t, j] = "
                           "2.0 } } A[t] = 0.0  for k in 0..t { A[t] += X[k] } }"),
                      "pad t to=4");
  ASSERT_TRUE(s.after);
  RULE_EQ(
      "PAD-3",
      printed("for t in 0..8 { for j in 0..3 { if j < 2 { if t < 5 { B[t, j] = 1.0  A[t] = X[j] } } else { if t < 5 "
              "{ B[t, j] = 2.0 } } } if t < 5 { A[t] = 0.0 } for k in 0..t { if t < 5 { A[t] += X[k] } } }"),
      body(*s.after));
}

TEST(Pad, MultiplesStayAsTheyAre) {
  for (const char* loop :
       {"for t in 0..24", "for t in 3..27", "for t in 0..96 step 4", "for t in 0..0", "for t in 9..2"}) {
    const Program p = nest(std::string(loop) + " { A[0] = X[0] }");
    const Step s = step(p, "pad t to=8");
    ASSERT_TRUE(s.after);
    RULE_EQ("PAD-8", body(p), body(*s.after));
  }
  const Program p = nest("for t in 0..n { A[t] = X[t] }", "param n in 4..41  require floormod(n, 4) == 0");
  RULE_EQ("PAD-8", body(p), body(*step(p, "pad t to=4").after));
  RULE_EQ("PAD-8", body(p), body(*step(p, "pad t to=1").after));
}

TEST(Pad, AnyBoundsStepsAndNumbers) {
  const std::string declarations = "param n in 1..14  param m in 0..4";
  for (const char* loop : {"for t in 3..10", "for t in -5..6", "for t in 2..17 step 3", "for t in 4..5 step 9",
                           "for t in 0..n", "for t in m..n", "for t in 2*m..n + 3 step 2", "for t in max(0, n - 6)..n",
                           "for t in 0..min(n, 3*m)", "for t in n..4"}) {
    for (const char* to : {"2", "3", "8"}) {
      const Program p = nest(std::string(loop) + " { A[t + 5] = X[t + 5] }", declarations);
      const Step s = step(p, fmt::format("pad t to={}", to));
      ASSERT_TRUE(s.after);
      RULE_EQ("PAD-2", std::string(), difference(p, *s.after, true));
      // What pad is for: a split by a divisor of `to` needs no guard of its own.
      EXPECT_EQ(count(*s.after, StmtKind::branch),
                count(run(fold(*s.after), {fmt::format("split t factor={}", to)}), StmtKind::branch))
          << loop << " " << to;
    }
  }
}

// T47
TEST(Pad, BarriersStayUniform) {
  // Applied without the comparison of executions: barriers do run in idle iterations, in every thread alike.
  EnumeratingQuery query;
  const StepResult s = apply_line(
      nest("for w in 0..4 @workgroup { for t in 0..5 { A[w] = X[t]  barrier  B[w, t] = A[3 - w]  barrier } }"),
      line("pad t to=4"), query);
  ASSERT_TRUE(s);
  RULE_EQ("PAD-3",
          printed("for w in 0..4 @workgroup { for t in 0..8 { if t < 5 { A[w] = X[t] }  barrier  if t < 5 { B[w, t] = "
                  "A[3 - w] }  barrier } }"),
          body(s->program));
  RULE_EQ("PAD-6", "PAD-6",
          step(nest("for w in 0..4 @workgroup { for t in 0..5 { if flag[t] == 1 { A[w] = X[t]  barrier } } }"),
               "pad t to=4")
              .code);
  RULE_EQ(
      "PAD-6", "PAD-6",
      step(nest("for w in 0..4 @workgroup { for t in 0..5 { var v: f32 = X[t]  barrier  A[w] = v } }"), "pad t to=4")
          .code);
}

// T48, G11: upstream the condition is evaluated in idle iterations too, and reads outside.
TEST(Pad, ConditionsThatReadData) {
  const Step s =
      step(nest("for t in 0..6 { if flag[t] != 0 { A[t] = 1.0 } else { A[t] = t < 3 ? X[t] : 2.0 } }"), "pad t to=4");
  ASSERT_TRUE(s.after);
  RULE_EQ("PAD-4",
          printed("for t in 0..8 { if t < 6 { if flag[t] != 0 { A[t] = 1.0 } else { A[t] = t < 3 ? X[t] : 2.0 } } }"),
          body(*s.after));
}

TEST(Pad, VariablesAreDeclaredWhereTheyAreUsed) {
  const Step s =
      step(nest("var out: f32 = 0.0  for t in 0..6 { A[t] = 1.0  var v: f32 = X[t]  for j in 0..2 { v = v * 2.0 } "
                "out = out + v  B[t, 0] = out }"),
           "pad t to=4");
  ASSERT_TRUE(s.after);
  RULE_EQ(
      "PAD-5",
      printed("var out: f32 = 0.0  for t in 0..8 { if t < 6 { A[t] = 1.0  var v: f32 = X[t]  for j in 0..2 { v = v * "
              "2.0 } out = out + v  B[t, 0] = out } }"),
      body(*s.after));
  // A scope and its loops are part of the statement.
  run(nest("for t in 0..6 { A[t] = scope s: f32 { s = X[t] for u in 0..t { s = s + X[u] } } }"), {"pad t to=4"});
  // The symbol of a loop in a scope.
  run(nest("A[0] = scope s: f32 { s = A[0] for t in 0..5 { s = s + X[t] } }"), {"pad t to=8", "split t factor=8"});
}

TEST(Pad, EveryKind) {
  for (const char* kind : {"", "@grid", "@vectorized", "@unrolled", "@workgroup"}) {
    const Program p = nest(fmt::format("for i in 2..7 {} {{ A[i] = X[i] }}", kind));
    const Step s = step(p, "pad i to=4");
    ASSERT_TRUE(s.after);
    RULE_TRUE("PAD-9", axis_of(p, "i") == axis_of(*s.after, "i"));
  }
  const Step reduce = step(nest("for i in 0..6 @reduce { A[0] += X[i] }"), "pad i to=4");
  RULE_TRUE("PAD-9", reduce.after.has_value());
}

TEST(Pad, CopiesAllOrNone) {
  const Program p = nest("for t in 0..6 { A[t] = X[t] } for t in 0..8 { A[t] = X[t] }");
  EXPECT_EQ(printed("for t in 0..8 { if t < 6 { A[t] = X[t] } } for t in 0..8 { A[t] = X[t] }"),
            body(*step(p, "pad t* to=8").after));
  RULE_EQ("PAD-6", "PAD-6",
          step(nest("for w in 0..4 @workgroup { for t in 0..5 { A[w] = X[t] } for t in 0..5 { if flag[t] == 1 { "
                    "barrier } } }"),
               "pad t* to=4")
              .code);
}

TEST(Pad, BadNumbers) {
  const Program p = nest("for t in 0..12 step 3 { A[t] = X[t] }");
  for (const char* to : {"0", "-2", "9223372036854775807"}) {
    const Step s = step(p, std::string("pad t to=") + to);
    RULE_EQ("PAD-1", "PAD-1", s.code);
    RULE_TRUE("SCH-14", s.error);
  }
  RULE_EQ("PAD-7", "PAD-7", step(nest("for t in 5..12 { A[t] = X[t] }"), "pad t to=9223372036854775807").code);
  RULE_EQ("SCH-10", "SCH-10", step(p, "pad t").code);
}

}  // namespace
}  // namespace assay::test
