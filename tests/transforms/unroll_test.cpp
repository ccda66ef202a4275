// unroll: the mark, and copies in the program (spec/unroll.md).
#include "steps.hpp"

namespace assay::test {
namespace {

TEST(Unroll, MarkOnAnyKind) {
  for (const char* kind : {"", "@grid", "@vectorized", "@unrolled", "@workgroup"}) {
    const Step s = step(nest(std::string("for i in 2..6 step 3 ") + kind + " { A[i] = X[i] }"), "unroll i");
    ASSERT_TRUE(s.after);
    RULE_EQ("UNR-1", printed("for i in 2..6 step 3 @unrolled { A[i] = X[i] }"), body(*s.after));
  }
  RULE_EQ("SCH-15", "SCH-15", step(nest("for w in 0..4 @workgroup { A[w] = 1.0 barrier }"), "unroll w").code);
}

TEST(Unroll, CopiesInOrder) {
  const Step s =
      step(nest("for k in 1..8 step 3 { A[k] = X[k] + f32(k)  B[k, 2*k + 1] = A[k] }"), "unroll k materialize=true");
  ASSERT_TRUE(s.after);
  RULE_EQ("UNR-2",
          printed("A[1] = X[1] + f32(1) B[1, 3] = A[1] A[4] = X[4] + f32(4) B[4, 9] = A[4] A[7] = X[7] + f32(7) B[7, "
                  "15] = A[7]"),
          body(*s.after));
}

TEST(Unroll, NoIterationLeavesNothing) {
  for (const char* loop : {"for k in 0..0", "for k in 0..-1", "for k in 4..-40", "for k in 9..2 step 5"}) {
    const Step s =
        step(nest(std::string("A[0] = 1.0 ") + loop + " { A[0] += X[0] } A[1] = 2.0"), "unroll k materialize=true");
    ASSERT_TRUE(s.after);
    RULE_EQ("UNR-2", printed("A[0] = 1.0 A[1] = 2.0"), body(*s.after));
  }
  // The last statement of a loop, an arm, a scope.
  run(nest("for i in 0..3 { for k in 0..0 { A[i] = X[i] } } if flag[0] == 1 { for k in 0..0 { A[0] = 1.0 } }"),
      {"unroll k* materialize=true"});
}

TEST(Unroll, OneIterationLeavesTheBody) {
  const Step s = step(nest("for k in 3..4 { var v: f32 = X[k] A[k] = v }"), "unroll k materialize=true");
  ASSERT_TRUE(s.after);
  RULE_EQ("UNR-2", printed("var v: f32 = X[3] A[3] = v"), body(*s.after));
}

TEST(Unroll, NumberOfIterationsMustBeConstant) {
  const std::string n = "param n in 1..9";
  RULE_EQ("UNR-3", "UNR-3", step(nest("for k in 0..n { A[k] = X[k] }", n), "unroll k materialize=true").code);
  RULE_EQ("UNR-3", "UNR-3",
          step(nest("for i in 0..4 { for k in 0..i { A[k] = X[k] } }"), "unroll k materialize=true").code);
  const Step moved = step(nest("for k in n..n + 3 { A[k] = X[k] }", n), "unroll k materialize=true");
  ASSERT_TRUE(moved.after);
  RULE_EQ("UNR-3", printed("A[n] = X[n] A[n + 1] = X[n + 1] A[n + 2] = X[n + 2]", n), body(*moved.after));
  RULE_TRUE("UNR-3",
            step(nest("for i in 0..4 { for k in 2*i..2*i + 5 step 2 { A[k] = X[k] } }"), "unroll k materialize=true")
                .after.has_value());
  RULE_TRUE("UNR-3", step(nest("for i in 0..4 { for k in max(i, 2)..max(i, 2) + 2 { A[k] = X[k] } }"),
                          "unroll k materialize=true")
                         .after.has_value());
}

TEST(Unroll, NumberOfIterationsFixedByFacts) {
  const auto copies = [](const char* text, const char* declarations) {
    const Step s = step(nest(text, declarations), "unroll k materialize=true");
    return s.after ? count(*s.after, StmtKind::store) : -1;
  };
  RULE_EQ("UNR-3", 4, copies("for k in 0..n { A[k] = X[k] }", "param n in 4..5"));
  RULE_EQ("UNR-3", 3, copies("for k in 0..n { A[k] = X[k] }", "param n in 0..9  require n + 1 > 3 && n < 4"));
  RULE_EQ("UNR-3", 8, copies("for k in 0..min(n, 8) { A[k] = X[k] }", "param n in 8..40"));
  RULE_EQ("UNR-3", 0, copies("for k in n..4 { A[k] = X[k] }", "param n in 4..9"));
  RULE_EQ("UNR-3", 2, copies("for i in 0..9 { if i == 2 { for k in 0..i { B[i, k] = 1.0 } } }", ""));
  RULE_EQ("UNR-3", 0, copies("for i in 0..9 { if i > 12 { for k in 0..i { B[i, k] = 1.0 } } }", ""));
  RULE_EQ("UNR-3", -1, copies("for k in 0..n { A[k] = X[k] }", "param n in 4..6"));
  RULE_EQ("UNR-3", -1, copies("for k in n..4 { A[k] = X[k] }", "param n in 3..9"));
}

TEST(Unroll, Limits) {
  RULE_TRUE("UNR-4", step(nest("for k in 0..4096 { A[0] = X[0] }"), "unroll k materialize=true").after.has_value());
  RULE_EQ("UNR-4", "UNR-4", step(nest("for k in 0..4097 { A[0] = X[0] }"), "unroll k materialize=true").code);
  RULE_EQ("UNR-4", "UNR-4",
          step(nest("for k in 0..9223372036854775807 { A[0] = X[0] }"), "unroll k materialize=true").code);
  // 4096 copies of 300 statements of 4 nodes each.
  std::string many;
  for (int i = 0; i < 300; ++i) many += "A[0] = X[0] ";
  RULE_EQ("UNR-4", "UNR-4", step(nest("for k in 0..4096 { " + many + "}"), "unroll k materialize=true").code);
  // Loops that are fine one by one.
  std::string loops;
  for (int i = 0; i < 80; ++i) loops += "for k in 0..4096 { A[0] = X[0] } ";
  RULE_EQ("UNR-4", "UNR-4", step(nest(loops), "unroll k* materialize=true").code);
}

TEST(Unroll, BindersOfCopiesAreFresh) {
  const Step s = step(nest("var outside: f32 = 0.0 for k in 0..3 { var v: f32 = X[k] for j in 0..2 { outside = outside "
                           "+ v } A[k] = scope s: f32 { s = v for u in 0..k { s = s + X[u] } } }"),
                      "unroll k materialize=true");
  ASSERT_TRUE(s.after);
  for (const char* loop : {"j", "j.1", "j.2", "u", "u.1", "u.2"})
    RULE_EQ("UNR-5", 1U, find_loops(*s.after, loop).size());
  for (const char* name : {"v", "v.2", "s", "s.2"}) RULE_EQ("UNR-5", 1U, s.after->bound_names().count(name));
  RULE_EQ("UNR-5", 0U, s.after->bound_names().count("outside.1"));
}

TEST(Unroll, AccumulationsArePlainCopies) {
  const Step s =
      step(nest("for k in 0..3 { S[2] += h[k] }", "inout S: f16[4] input h: f16[6]"), "unroll k materialize=true");
  ASSERT_TRUE(s.after);
  RULE_EQ("UNR-6", printed("S[2] += h[0] S[2] += h[1] S[2] += h[2]", "inout S: f16[4] input h: f16[6]"),
          body(*s.after));
}

TEST(Unroll, NestsAndGuards) {
  // A guard that is fixed for the nest, and one that lanes decide.
  run(nest("for k in 0..4 { if n < 5 { A[0] += X[k] } }", "param n in 0..9"), {"unroll k materialize=true"});
  const Program lanes =
      run(nest("for w in 0..4 { for k in 0..3 { if w + k < 5 { A[w] += X[k] } } }"), {"unroll k materialize=true"});
  RULE_EQ("FOLD-1", 1, count(lanes, StmtKind::branch));  // only w + 2 < 5 can fail
  // A loop that bounds an inner one, unrolled from the inside and from the outside.
  run(nest("for i in 0..4 { for j in 0..3 { for k in i..5 { B[i, j] += Y[j, k] } } }"),
      {"unroll j materialize=true", "unroll i materialize=true", "unroll k* materialize=true"});
  run(nest("for i in 0..3 { for j in 0..6 { B[i, j] = Y[i, j] } }"),
      {"unroll i materialize=true", "split j* factor=2", "unroll j_i* materialize=true"});
  // Lanes, groups.
  run(nest("for i in 0..3 @grid { for j in 0..4 @vectorized { B[i, j] = Y[i, j] } }"),
      {"unroll j materialize=true", "unroll i materialize=true"});
}

}  // namespace
}  // namespace assay::test
