// split: rewritten text, guards, dead loops, bounds, kinds, names and refusals (spec/split.md).
#include "steps.hpp"

namespace assay::test {
namespace {

TEST(Split, DividingFactorNeedsNoGuard) {
  const Step s = step(nest("for t in 0..12 { A[t] = 2.0 * X[t] }"), "split t factor=4");
  ASSERT_TRUE(s.after);
  RULE_EQ("SPLIT-2", printed("for t_o in 0..3 { for t_i in 0..4 { A[4*t_o + t_i] = 2.0 * X[4*t_o + t_i] } }"),
          body(*s.after));
  RULE_EQ("SPLIT-3", 0, count(*s.after, StmtKind::branch));
  RULE_EQ("SPLIT-7", 1U, find_loops(*s.after, "t_i").size());
}

TEST(Split, RemainderIsGuardedAsAWhole) {
  const Step s = step(nest("for t in 0..14 { A[t] = X[t]  B[t, 0] = A[t] }"), "split t factor=4 -> o, p");
  ASSERT_TRUE(s.after);
  RULE_EQ("SPLIT-3",
          printed("for o in 0..4 { for p in 0..4 { if 4*o + p < 14 { A[4*o + p] = X[4*o + p]  B[4*o + p, 0] = A[4*o + "
                  "p] } } }"),
          body(*s.after));
  EXPECT_EQ(body(*s.after), body(fold(*s.after)));
}

TEST(Split, FactorBeyondTheExtentKeepsAGuardOnTheInnerLoop) {
  const Program p = run(nest("for t in 0..14 { A[t] = X[t] }"), {"split t factor=20"});
  RULE_EQ("FOLD-7",
          printed("for t_o in 0..1 { for t_i in 0..20 { if t_i < 14 { A[20*t_o + t_i] = X[20*t_o + t_i] } } }"),
          body(p));
}

TEST(Split, FactorOneAndFactorExtentNeedNoGuard) {
  for (const char* factor : {"1", "10"}) {
    const Step s = step(nest("for t in 0..10 { A[t] = X[t] }"), std::string("split t factor=") + factor);
    ASSERT_TRUE(s.after);
    RULE_EQ("SPLIT-3", 0, count(*s.after, StmtKind::branch));
    EXPECT_EQ(2, count(*s.after, StmtKind::loop));
  }
}

TEST(Split, BadFactorsAreErrors) {
  const Program p = nest("for t in 0..12 step 3 { A[t] = X[t] }");
  for (const char* factor : {"0", "-2", "9223372036854775807"}) {
    const Step s = step(p, std::string("split t factor=") + factor);
    RULE_EQ("SPLIT-1", "SPLIT-1", s.code);
    RULE_TRUE("SCH-14", s.error);
  }
}

TEST(Split, HugeFactorsThatFitAreFine) {
  EnumeratingQuery query;
  const StepResult s =
      apply_line(nest("for t in 0..12 { A[t] = X[t] }"), line("split t factor=9223372036854775807"), query);
  ASSERT_TRUE(s);
  RULE_TRUE("SPLIT-1", find_loops(s->program, "t_o").at(0)->hi == Index(1));
}

TEST(Split, AnyLowerBoundAndStep) {
  for (const char* loop : {"for t in 3..10", "for t in -5..6", "for t in 2..17 step 3", "for t in -7..8 step 4",
                           "for t in 5..6", "for t in 4..5 step 9"}) {
    for (const char* factor : {"1", "2", "3", "4", "7", "16"}) {
      const Program p = nest(std::string(loop) + " { A[t + 8] = X[t + 8] }");
      const Step s = step(p, std::string("split t factor=") + factor);
      ASSERT_TRUE(s.after);
      RULE_EQ("SPLIT-2", std::string(), difference(p, *s.after, true));
      fold(*s.after);
    }
  }
}

TEST(Split, DeadLoopsStayDead) {
  for (const char* loop : {"for t in 0..0", "for t in 0..-1", "for t in 5..-20", "for t in 9..2 step 5"}) {
    for (const char* factor : {"1", "3", "4"}) {
      const Program p = nest(std::string(loop) + " { A[t] = X[t] }");
      const Step s = step(p, std::string("split t factor=") + factor);
      ASSERT_TRUE(s.after);
      const Stmt outer = find_loops(*s.after, "t_o").at(0);
      RULE_TRUE("SPLIT-4", outer->hi.is_constant() && outer->hi.constant() <= 0);
      RULE_EQ("FOLD-5", 2, count(fold(*s.after), StmtKind::loop));
    }
  }
  // The dead loop of T05: nothing is guarded after folding.
  EXPECT_EQ(0, count(run(nest("for t in 0..-1 { A[t] = X[t] }"), {"split t factor=4"}), StmtKind::branch));
}

TEST(Split, SymbolicExtents) {
  const std::string declarations = "param n in 1..20  param m in 0..5";
  for (const char* loop : {"for t in 0..n", "for t in m..n", "for t in 2*m..n + 3 step 2", "for t in floordiv(n, 3)..n",
                           "for t in 0..min(n, 3*m)", "for t in max(0, n - 4)..n"}) {
    for (const char* factor : {"1", "4", "5"}) {
      const Program p = nest(std::string(loop) + " { A[t] = X[t] }", declarations);
      const Step s = step(p, std::string("split t factor=") + factor);
      ASSERT_TRUE(s.after);
      RULE_EQ("SPLIT-2", std::string(), difference(p, *s.after, true));
      fold(*s.after);
    }
  }
}

TEST(Split, BoundsOfEnclosingLoops) {
  for (const char* loop : {"for t in i..9", "for t in 0..i + 1", "for t in i..3*i step 2",
                           "for t in max(i - 2, 0)..min(i + 3, 9)", "for t in 7 - i..i"}) {
    const Program p = nest(std::string("for i in 0..9 { ") + loop + " { B[i, t + 9] = Y[i, t + 9] } }");
    const Step s = step(p, "split t factor=3");
    ASSERT_TRUE(s.after);
    RULE_EQ("SPLIT-2", std::string(), difference(p, *s.after, true));
    fold(*s.after);
  }
}

TEST(Split, GuardGoesWhereARequirementDividesTheExtent) {
  const Program p =
      run(nest("for t in 0..n { A[t] = X[t] }", "param n in 1..65  require floormod(n, 4) == 0"), {"split t factor=4"});
  RULE_EQ("FOLD-1", 0, count(p, StmtKind::branch));
}

TEST(Split, InsideOthers) {
  // A loop in a scope, a loop whose symbol bounds an inner one, and one that is used as data.
  run(nest("for i in 0..5 { A[i] = scope s: f32 { s = 0.0 for k in 1..6 { s = s + Y[i, k] } } }"),
      {"split k factor=2", "split i factor=2"});
  run(nest("for i in 0..7 { for j in i..2*i step 2 { B[i, j] = f32(i) + f32(3*i + j) } }"), {"split i factor=3"});
  run(nest("for i in 0..7 { if i < 4 { A[i] = X[i] } else { A[i] = i < 6 ? X[i] : 0.0 } }"), {"split i factor=2"});
}

TEST(Split, EveryCopyOrNone) {
  const Program p = run(nest("for i in 0..3 { for j in 0..6 { B[i, j] = Y[i, j] } }"),
                        {"unroll i materialize=true", "split j* factor=2 -> jo, ji"});
  RULE_EQ("SCH-9", 6, count(p, StmtKind::loop));
  RULE_TRUE("SCH-13",
            find_loops(p, "jo").size() == 1 && find_loops(p, "jo.1").size() == 1 && find_loops(p, "ji.2").size() == 1);
  // One name, one loop: the copies stay.
  const Program one = run(nest("for i in 0..3 { for j in 0..6 { B[i, j] = Y[i, j] } }"),
                          {"unroll i materialize=true", "split j.1 factor=2"});
  RULE_TRUE("SCH-9", find_loops(one, "j").size() == 1 && find_loops(one, "j_o").size() == 1 &&
                         find_loops(one, "j.2").size() == 1);
}

TEST(Split, KindsOfTheResults) {
  for (const char* kind : {"grid", "unrolled", "vectorized"}) {
    const Axis wanted = parse_axis(kind).value();
    const Step s = step(nest(std::string("for i in 0..6 @") + kind + " { A[i] = X[i] }"), "split i factor=4");
    ASSERT_TRUE(s.after);
    RULE_EQ("SPLIT-5", wanted, axis_of(*s.after, "i_o"));
    RULE_EQ("SPLIT-5", wanted, axis_of(*s.after, "i_i"));
  }
  const Step s = step(nest("for k in 0..6 @reduce { A[0] += X[k] }"), "split k factor=4");
  ASSERT_TRUE(s.after);
  RULE_TRUE("SPLIT-5", axis_of(*s.after, "k_o") == Axis::reduce && axis_of(*s.after, "k_i") == Axis::serial);
}

TEST(Split, NoFourthWorkgroupSlot) {
  const Program p =
      nest("for a in 0..2 @workgroup { for b in 0..2 @workgroup { for c in 0..4 @workgroup { A[c] = X[c] } } }");
  const Step s = step(p, "split c factor=2");
  RULE_EQ("SCH-15", "SCH-15", s.code);
  RULE_TRUE("SCH-15", !s.error);
}

TEST(Split, BarrierUnderAGuard) {
  const auto loop = [](const char* bounds, const char* declarations) {
    return nest(std::string("for w in 0..4 @workgroup { for t in ") + bounds + " { A[w] = X[t] barrier } }",
                declarations);
  };
  RULE_EQ("SPLIT-6", "SPLIT-6", step(loop("0..10", ""), "split t factor=4").code);
  RULE_TRUE("SPLIT-6", step(loop("0..12", ""), "split t factor=4").after.has_value());
  RULE_EQ("SPLIT-6", "SPLIT-6", step(loop("0..n", "param n in 1..20"), "split t factor=4").code);
  const Step proved = step(loop("0..n", "param n in 1..20  require floormod(n, 4) == 0"), "split t factor=4");
  ASSERT_TRUE(proved.after);
  RULE_EQ("SPLIT-6", 0, count(*proved.after, StmtKind::branch));
}

}  // namespace
}  // namespace assay::test
