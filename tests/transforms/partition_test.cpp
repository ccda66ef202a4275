// partition: segments, symbolic cuts, cut points from conditions, binders, names and refusals (spec/partition.md).
#include <fmt/format.h>

#include "steps.hpp"
#include "transforms/cuts.hpp"
#include "transforms/facts.hpp"

namespace assay::test {
namespace {

TEST(Partition, SegmentsHaveAbsoluteRanges) {
  const Step s = step(nest("for t in 0..14 { A[t] = X[t] }"), "partition t at=4,12 -> a, b, c");
  ASSERT_TRUE(s.after);
  RULE_EQ("PART-2",
          printed("for a in 0..4 { A[a] = X[a] } for b in 4..12 { A[b] = X[b] } for c in 12..14 { A[c] = X[c] }"),
          body(*s.after));
  RULE_EQ("PART-6", printed("for t_0 in 0..13 { A[t_0] = X[t_0] } for t_1 in 13..14 { A[t_1] = X[t_1] }"),
          body(*step(nest("for t in 0..14 { A[t] = X[t] }"), "partition t at=13").after));
}

// T39
TEST(Partition, CutsMustBeInside) {
  const Program p = nest("for t in 0..14 { A[t] = X[t] }");
  for (const char* at : {"0", "14", "-3", "99", "4,14"}) {
    const Step s = step(p, fmt::format("partition t at={}", at));
    RULE_EQ("PART-3", "PART-3", s.code);
    RULE_TRUE("SCH-14", !s.error);
  }
  for (const char* at : {"5,5", "9,4", "3,2,1"}) {
    const Step s = step(p, fmt::format("partition t at={}", at));
    RULE_EQ("PART-1", "PART-1", s.code);
    RULE_TRUE("SCH-14", s.error);
  }
  for (const char* line : {"partition t at=", "partition t at=x", "partition t at=auto,3", "partition t at=1.5"})
    EXPECT_FALSE(parse_source(std::string(line) + "\n", "t.sched") && step(p, line).after) << line;
  RULE_EQ("SCH-11", "SCH-11", step(p, "partition t at=x").code);
  RULE_EQ("SCH-11", "did you mean `auto`?", step(p, "partition t at=aut").refusal.diagnostic.help);
  for (const char* names : {"a", "a, b, c"})
    RULE_EQ("SCH-12", "SCH-12", step(p, fmt::format("partition t at=4 -> {}", names)).code);
  RULE_EQ("PART-3", "PART-3", step(nest("for t in 7..2 { A[t] = X[t] }"), "partition t at=4").code);
  RULE_EQ("PART-3", "PART-3", step(nest("for t in 0..9 step 4 { A[t] = X[t] }"), "partition t at=9").code);
  RULE_EQ("PART-3", "PART-3", step(nest("for t in 0..n { A[t] = X[t] }", "param n in 1..5"), "partition t at=4").code);
}

TEST(Partition, AnyBoundsAndSteps) {
  const std::string declarations = "param n in 1..14  param m in 0..4";
  for (const char* loop : {"for t in 3..10", "for t in -5..6", "for t in 2..17 step 3", "for t in -7..9 step 4",
                           "for t in 0..n", "for t in m..n", "for t in 2*m..n + 3 step 2", "for t in max(0, n - 6)..n",
                           "for t in 0..min(n, 3*m)", "for t in n - 12..n step 5"}) {
    for (const char* at : {"4", "4,5", "-1,4,7"}) {
      const Program p = nest(std::string(loop) + " { A[t + 12] = X[t + 12] }", declarations);
      const Step s = step(p, fmt::format("partition t at={}", at));
      if (!s.after) {
        EXPECT_EQ("PART-3", s.code) << loop << " " << at;
        continue;
      }
      RULE_EQ("PART-2", std::string(), difference(p, *s.after, true));
      fold(*s.after);
    }
  }
}

TEST(Partition, BoundsOfEnclosingLoops) {
  for (const char* loop : {"for t in i..9", "for t in 0..i + 1", "for t in i..3*i step 2",
                           "for t in max(i - 2, 0)..min(i + 3, 9)", "for t in 7 - i..i"}) {
    const Program p = nest(std::string("for i in 0..9 { ") + loop + " { B[i, t + 9] = Y[i, t + 9] } }");
    const Step s = step(p, "partition t at=3,6");
    ASSERT_TRUE(s.after) << loop << s.code;
    RULE_EQ("PART-2", std::string(), difference(p, *s.after, true));
    fold(*s.after);
  }
}

TEST(Partition, EveryKind) {
  for (const char* kind : {"", "@grid", "@vectorized", "@unrolled", "@workgroup"}) {
    const Step s = step(nest(fmt::format("for i in 2..6 {} {{ A[i] = X[i] }}", kind)), "partition i at=3 -> a, b");
    ASSERT_TRUE(s.after);
    RULE_EQ("PART-4", axis_of(*s.after, "a"),
            axis_of(nest(fmt::format("for i in 2..6 {} {{ A[i] = X[i] }}", kind)), "i"));
    RULE_TRUE("PART-4", axis_of(*s.after, "a") == axis_of(*s.after, "b"));
  }
  const Step reduce = step(nest("for i in 0..6 @reduce { A[0] += X[i] }"), "partition i at=3");
  RULE_TRUE("PART-4", reduce.after.has_value());
}

TEST(Partition, BindersOfLaterSegmentsAreFresh) {
  const Step s = step(nest("var total: f32 = 0.0 for k in 0..5 { var v: f32 = X[k] for j in 0..2 { total = total + v } "
                           "A[k] = scope s: f32 { s = v for u in 0..k { s = s + X[u] } } } A[9] = total"),
                      "partition k at=2,3");
  ASSERT_TRUE(s.after);
  for (const char* loop : {"j", "j.1", "j.2", "u", "u.1", "u.2"})
    RULE_EQ("PART-5", 1U, find_loops(*s.after, loop).size());
  int assigned = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    assigned += t->kind == StmtKind::assign && t->name == "total" ? 1 : 0;
    return true;
  };
  visit(s.after->body, v);
  RULE_EQ("PART-5", 3, assigned);
}

// T43, DEV-23, B4: the accumulator is rounded where it was before, and not at the seams.
TEST(Partition, OneAccumulatorAcrossTheSeams) {
  const Step s =
      step(nest("A[0] = scope v: f32 { v = A[0] for k in 0..20 { v = v + X[k] } }"), "partition k at=7 -> a, b");
  ASSERT_TRUE(s.after);
  RULE_EQ("PART-5",
          printed("A[0] = scope v: f32 { v = A[0] for a in 0..7 { v = v + X[a] } for b in 7..20 { v = v + X[b] } }"),
          body(*s.after));
  RULE_EQ("SCH-15", "SCH-15", step(*s.after, "retype a axis=grid").code);  // a loop in a scope is no thread
}

// T08
TEST(Partition, SegmentsCanBeSplitFurther) {
  Program p = run(nest("for t in 0..10 { A[t] = X[t] }"), {"partition t at=8 -> a, b", "split a factor=4"});
  EXPECT_EQ(0, count(p, StmtKind::branch));
  EXPECT_EQ(3, count(p, StmtKind::loop));
  EXPECT_EQ(0, count(run(p, {"split b factor=2"}), StmtKind::branch));
}

std::vector<std::string> cuts(const std::string& statements, const std::string& declarations = {},
                              const Symbol& loop = "t") {
  const Program p = nest(statements, declarations);
  EnumeratingQuery query;
  std::vector<std::string> out;
  for (const Index& c : cut_points(find_loops(p, loop).front(), *facts_at_loop(p, loop), query))
    out.push_back(c.text());
  return out;
}
using Cuts = std::vector<std::string>;

// T40, T41
TEST(Partition, CutPointsOfConditions) {
  const auto of = [](const std::string& condition, int extent = 8) {
    return cuts(fmt::format("for t in 0..{} {{ for w in 0..3 {{ if {} {{ B[t, w] = 1.0 }} }} }}", extent, condition));
  };
  RULE_EQ("PART-7", (Cuts{"4", "5"}), of("2*t + w < 9"));
  RULE_EQ("PART-7", (Cuts{"4"}), of("3*t < 10", 9));
  RULE_EQ("PART-7", (Cuts{"4"}), of("11 - 2*t < 4"));
  RULE_EQ("PART-7", (Cuts{"3", "4"}), of("2*t == 6"));
  RULE_EQ("PART-7", (Cuts{"3", "4"}), of("2*t != 6"));
  RULE_EQ("PART-7", Cuts{}, of("2*t == 7"));
  RULE_EQ("PART-7", Cuts{}, of("X[t] < 10.0"));
  RULE_EQ("PART-7", (Cuts{"4"}), of("X[t] < 10.0 && (t < 4 || X[w] > 0.0)"));
  RULE_EQ("PART-7", (Cuts{"2", "4"}), of("!(t >= 4) || t < 2"));
  RULE_EQ("PART-7", of("t <= 5"), of("t < 6"));
  RULE_EQ("PART-7", of("6 > t"), of("5 >= t"));
  RULE_EQ("PART-7", Cuts{}, of("floormod(t, 2) == 0"));
  RULE_EQ("PART-7", (Cuts{"6"}), of("floordiv(t, 3) < 2"));
  RULE_EQ("PART-7", (Cuts{"2", "5"}), of("min(t, 3) >= 2 && max(t - 1, 1) < 4"));
  RULE_EQ("PART-7", (Cuts{"3"}), cuts("for t in 0..8 { for w in 0..min(t, 3) { B[t, w] = 1.0 } }"));
  RULE_EQ("PART-7", (Cuts{"2"}), cuts("for t in 0..8 { A[t] = t < 2 ? 0.0 : 1.0 }"));
  RULE_EQ("PART-7", (Cuts{"2"}),
          cuts("for t in 0..8 { A[t] = scope s: f32 { if t < 2 { s = 0.0 } else { s = 1.0 } } }"));
  RULE_EQ("PART-7", Cuts{}, cuts("for t in 0..8 { A[t] = select(t < 2, 0.0, 1.0) }"));
  // T44: in a scope, the guard that pad leaves.
  RULE_EQ("PART-7", (Cuts{"5"}), cuts("A[0] = scope s: f32 { s = A[0] for t in 0..8 { if t < 5 { s = s + X[t] } } }"));
}

TEST(Partition, CutPointsMayBeSymbolic) {
  RULE_EQ("PART-7", (Cuts{"n"}), cuts("for t in 0..20 { if t < n { A[t] = 1.0 } }", "param n in 0..5"));
  RULE_EQ("PART-7", (Cuts{"14 - 4*o"}), cuts("for o in 0..4 { for t in 0..4 { if 4*o + t < 14 { A[t] = 1.0 } } }"));
  RULE_EQ("PART-7", (Cuts{"3"}), cuts("for t in 0..4 { for p in 0..4 { if 4*t + p < 14 { A[t] = 1.0 } } }"));
  RULE_EQ(
      "PART-10", (Cuts{"min(m, n)", "max(m, n)"}),
      cuts("for t in 0..20 { if t < n { A[t] = 1.0 } if t < m { A[t] = 2.0 } }", "param n in 0..5 param m in 0..5"));
  RULE_EQ("PART-10", (Cuts{"n", "n + 2"}),
          cuts("for t in 0..20 { if t < n + 2 { A[t] = 1.0 } if t < n { A[t] = 2.0 } }", "param n in 0..9"));
  for (const char* statements :
       {"for t in 0..9 { if t < n { A[t] = 1.0 } if m + t == 7 { A[t] = 3.0 } }",
        "for t in 0..9 { for j in max(t, m)..9 { B[t, j] = 1.0 } }",
        "for o in 0..m { for t in 0..4 { if 4*o + t < n { A[4*o + t] = 1.0 } else { A[4*o + t] = 2.0 } } }"}) {
    const Program p = nest(statements, "param n in 0..5 param m in 0..4");
    RULE_TRUE("PART-10", count(run(p, {"partition t at=auto"}), StmtKind::loop) > count(p, StmtKind::loop));
  }
}

TEST(Partition, AutoFoldsTheConditions) {
  // T42: the pieces of a concatenation.
  Program p = run(nest("for t in 0..5 { A[t] = t < 3 ? X[t] : Y[0, t - 3] }"), {"partition t at=auto -> a, b"});
  RULE_EQ("PART-7", printed("for a in 0..3 { A[a] = X[a] } for b in 3..5 { A[b] = Y[0, b - 3] }"), body(p));
  // T46: the blocks of a padded loop.
  p = run(nest("for i in 0..21 { A[i] = X[i] }"),
          {"pad i to=8", "split i factor=8 -> io, ii", "partition io at=auto -> ia, ib"});
  RULE_EQ(
      "PART-7",
      printed("for ia in 0..2 { for ii in 0..8 { A[8*ia + ii] = X[8*ia + ii] } } for ib in 2..3 { for ii.1 in 0..8 { "
              "if ii.1 + 16 < 21 { A[8*ib + ii.1] = X[8*ib + ii.1] } } }"),
      body(p));
  RULE_EQ("PART-8", "PART-8", step(nest("for t in 0..5 { A[t] = X[t] }"), "partition t at=auto").code);
  RULE_EQ("PART-8", "PART-8", step(nest("for t in 0..5 { if t < 9 { A[t] = X[t] } }"), "partition t at=auto").code);
}

TEST(Partition, CopiesHaveCutsOfTheirOwn) {
  // B7: every copy is looked at, not the first one alone.
  const Program p = nest("for t in 0..8 { if t < 2 { A[t] = 1.0 } } for t in 0..8 { if t < 5 { A[t] = 2.0 } }");
  const Program after = run(p, {"partition t* at=auto"});
  RULE_EQ("PART-7",
          printed("for t_0 in 0..2 { A[t_0] = 1.0 } for t_1 in 2..8 { } for t_0.1 in 0..5 { A[t_0.1] = 2.0 } for t_1.1 "
                  "in 5..8 { }"),
          body(after));
  RULE_EQ("PART-3", "PART-3",
          step(nest("for t in 0..8 { A[t] = X[t] } for t in 0..3 { A[t] = X[t] }"), "partition t* at=4").code);
}

TEST(Partition, Limits) {
  std::string at = "1";
  for (int i = 2; i <= 256; ++i) at += fmt::format(",{}", i);
  RULE_EQ("PART-9", "PART-9", step(nest("for t in 0..400 { A[0] = X[0] }"), "partition t at=" + at).code);
  std::string conditions;
  for (int i = 1; i <= 256; ++i) conditions += fmt::format(" if t < {} {{ A[0] = X[0] }}", i);
  EnumeratingQuery query;
  const auto s = apply_line(nest("for t in 0..400 { " + conditions + " }"), line("partition t at=auto"), query);
  ASSERT_FALSE(s);
  RULE_EQ("PART-9", "PART-9", s.error().diagnostic.code);
}

}  // namespace
}  // namespace assay::test
