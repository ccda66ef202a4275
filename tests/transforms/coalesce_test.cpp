// coalesce: one loop of two, bounds, guards between, kinds, names and refusals (spec/coalesce.md).
#include <fmt/format.h>

#include "steps.hpp"

namespace assay::test {
namespace {

// T49
TEST(Coalesce, OneLoopOfTwo) {
  const Step s = step(nest("for h in 0..3 { for e in 0..4 { B[h, e] = Y[e, h] * X[h] } }"), "coalesce h e -> he");
  ASSERT_TRUE(s.after);
  RULE_EQ("COA-2",
          printed("for he in 0..12 { B[floordiv(he, 4), floormod(he, 4)] = Y[floormod(he, 4), floordiv(he, 4)] * "
                  "X[floordiv(he, 4)] }"),
          body(*s.after));
  RULE_EQ(
      "COA-7", 1U,
      find_loops(*step(nest("for h in 0..3 { for e in 0..4 { B[h, e] = 1.0 } }"), "coalesce h e").after, "h_e").size());
}

TEST(Coalesce, AnyBoundsAndSteps) {
  const std::string declarations = "param n in 1..9  param m in 0..4";
  for (const char* outer :
       {"for i in 0..5", "for i in -2..6 step 3", "for i in m..n", "for i in 0..n step 2", "for i in n..m"}) {
    for (const char* inner :
         {"for j in 0..4", "for j in 3..14 step 4", "for j in i..i + 3", "for j in n - 2*i..n - 2*i + 5 step 2",
          "for j in max(i, 2)..max(i, 2) + 2", "for j in 5..2", "for j in 7..8"}) {
      const Program p = nest(
          fmt::format("{} {{ {} {{ B[i + 9, j + 22] = Y[j + 22, i + 9] + f32(j) }} }}", outer, inner), declarations);
      const Step s = step(p, "coalesce i j");
      ASSERT_TRUE(s.after) << outer << inner << s.code;
      RULE_EQ("COA-2", std::string(), difference(p, *s.after, true));
      fold(*s.after);
    }
  }
}

TEST(Coalesce, LoopsWithoutIterations) {
  for (const char* nests :
       {"for i in 0..5 { for j in 4..-9 { B[i, j] = 1.0 } }", "for i in 7..-9 { for j in 0..4 { B[i, j] = 1.0 } }",
        "for i in 7..-9 { for j in 4..-9 { B[i, j] = 1.0 } }"}) {
    const Step s = step(nest(nests), "coalesce i j -> ij");
    ASSERT_TRUE(s.after);
    const Stmt loop = find_loops(*s.after, "ij").at(0);
    RULE_TRUE("COA-5", loop->hi.is_constant() && loop->hi.constant() <= 0);
  }
}

TEST(Coalesce, TheInnerCountIsConstant) {
  const auto code = [](const char* inner, const char* declarations) {
    return step(nest(fmt::format("for i in 0..4 {{ {} {{ B[i, j] = 1.0 }} }}", inner), declarations), "coalesce i j")
        .code;
  };
  RULE_EQ("COA-3", "COA-3", code("for j in 0..n", "param n in 3..9"));
  RULE_EQ("COA-3", "COA-3", code("for j in 0..i + 1", ""));
  RULE_EQ("COA-3", "COA-3", code("for j in i..9", ""));
  RULE_EQ("COA-3", "", code("for j in 0..n", "param n in 5..6"));
  RULE_EQ("COA-3", "", code("for j in n..n + 3", "param n in 5..7"));
  RULE_EQ("COA-3", "", code("for j in 0..min(n, 4)", "param n in 5..7"));
}

TEST(Coalesce, ConditionsBetweenComeInside) {
  const Step s = step(nest("for i in 0..5 { if i < 3 { for j in 0..2 { B[i, j] = 1.0 } } }"), "coalesce i j -> ij");
  ASSERT_TRUE(s.after);
  RULE_EQ("COA-1", printed("for ij in 0..10 { if floordiv(ij, 2) < 3 { B[floordiv(ij, 2), floormod(ij, 2)] = 1.0 } }"),
          body(*s.after));
  // The condition is decided by a part of the range.
  EXPECT_EQ(printed("for a in 0..6 { B[floordiv(a, 2), floormod(a, 2)] = 1.0 } for b in 6..10 { }"),
            body(run(fold(*s.after), {"partition ij at=auto -> a, b"})));
}

TEST(Coalesce, PerfectNestsOnly) {
  RULE_EQ("COA-1", "COA-1",
          step(nest("for i in 0..4 { A[i] = 0.0 for j in 0..3 { B[i, j] = 1.0 } }"), "coalesce i j").code);
  RULE_EQ("COA-1", "COA-1",
          step(nest("for i in 0..4 { if flag[i] == 1 { for j in 0..3 { B[i, j] = 1.0 } } }"), "coalesce i j").code);
  RULE_EQ("COA-1", "COA-1",
          step(nest("for i in 0..4 { A[i] = 0.0 } for j in 0..3 { A[j] = 1.0 }"), "coalesce i j").code);
  const Step s = step(nest("for i in 0..4 { for j in 0..3 { B[i, j] = 1.0 } }"), "coalesce j i");
  RULE_EQ("COA-1", "COA-1", s.code);
  EXPECT_EQ("the outer loop comes first: `coalesce i j`", s.refusal.diagnostic.help);
  // SP-15: the inner body also uses what the outer one carries; then the nest is not perfect.
  RULE_EQ("COA-1", "COA-1",
          step(nest("var a: f32 = 1.0 for i in 0..2 { var b: f32 = a for j in 0..2 { b = b + a } a = b } A[0] = a"),
               "coalesce i j")
              .code);
}

TEST(Coalesce, Kinds) {
  for (const char* kind : {"@grid", "@vectorized", "@unrolled", "@workgroup"}) {
    const Program p = nest(fmt::format("for i in 0..3 {0} {{ for j in 0..2 {0} {{ B[i, j] = 1.0 }} }}", kind));
    const Step s = step(p, "coalesce i j -> ij");
    ASSERT_TRUE(s.after);
    RULE_TRUE("COA-4", axis_of(p, "i") == axis_of(*s.after, "ij"));
  }
  const Step mixed = step(nest("for i in 0..3 @grid { for j in 0..2 { B[i, j] = 1.0 } }"), "coalesce i j");
  RULE_EQ("COA-4", "COA-4", mixed.code);
  EXPECT_EQ("retype j axis=grid", mixed.refusal.diagnostic.help);
  const Step reduce = step(nest("for i in 0..3 @reduce { for j in 0..2 { A[0] += Y[i, j] } }"), "coalesce i j -> ij");
  ASSERT_TRUE(reduce.after);
  RULE_TRUE("COA-4", axis_of(*reduce.after, "ij") == Axis::reduce);
}

TEST(Coalesce, BackFromASplit) {
  const Program p = run(nest("for i in 0..12 { A[i] = X[i] }"), {"split i factor=4 -> o, k", "coalesce o k -> i"});
  EXPECT_TRUE(find_loops(p, "i").at(0)->hi == Index(12));
  EXPECT_EQ(1, count(p, StmtKind::loop));
}

TEST(Coalesce, CopiesAllOrNone) {
  const char* two =
      "for i in 0..3 { for j in 0..2 { B[i, j] = 1.0 } } for i in 0..3 { for j in 0..2 { B[i, j] += 1.0 } }";
  const Step s = step(nest(two), "coalesce i* j* -> ij");
  ASSERT_TRUE(s.after);
  EXPECT_EQ(2, count(*s.after, StmtKind::loop));
  RULE_EQ("COA-1", "COA-1", step(nest(two), "coalesce i j*").code);
}

TEST(Coalesce, Overflow) {
  EnumeratingQuery query;
  const auto s =
      apply_line(nest("for i in 0..4611686018427387904 { for j in 0..4 { A[0] = 1.0 } }"), line("coalesce i j"), query);
  ASSERT_FALSE(s);
  RULE_EQ("COA-6", "COA-6", s.error().diagnostic.code);
}

}  // namespace
}  // namespace assay::test
