// swap: headers, triangular bounds, steps, imperfect nests and copies (spec/swap.md).
#include <fmt/format.h>

#include "steps.hpp"

namespace assay::test {
namespace {

TEST(Swap, ExchangesHeaders) {
  const Step s =
      step(nest("for i in 0..3 { for j in 1..9 step 2 @unrolled { B[i, j] = Y[j, i] } }"), "swap i j", false);
  ASSERT_TRUE(s.after);
  RULE_EQ("SWP-2", printed("for j in 1..9 step 2 @unrolled { for i in 0..3 { B[i, j] = Y[j, i] } }"), body(*s.after));
}

TEST(Swap, NeedsAPerfectNest) {
  struct {
    const char* text;
    int line;  // of the other statement; the statements begin on line 8
  } cases[] = {
      {"for i in 0..3 {\n A[i] = 0.0\n for j in 0..5 { B[i, j] = Y[i, j] } }", 9},
      {"for i in 0..3 {\n for j in 0..5 { B[i, j] = Y[i, j] }\n A[i] = 0.0 }", 10},
      {"for i in 0..3 {\n var s: f32\n for j in 0..5 { B[i, j] = Y[i, j] } }", 9},
      {"for i in 0..3 {\n if Y[i, 0] > 1.0 { for j in 0..5 { B[i, j] = Y[i, j] } } }", 9},
      {"for i in 0..3 {\n if i < 2 { for j in 0..5 { B[i, j] = Y[i, j] } } else { A[i] = 0.0 } }", 9},
  };
  for (const auto& c : cases) {
    const Step s = step(nest(c.text), "swap i j");
    RULE_EQ("SWP-1", "SWP-1", s.code);
    RULE_TRUE("SWP-1", !s.error);
    RULE_EQ("SWP-1", c.line, s.refusal.program_note.line);
    EXPECT_EQ("`swap i j` does not apply: `j` is not the only statement inside `i`", s.refusal.diagnostic.message);
  }
  const Step wrong_order = step(nest("for i in 0..3 { for j in 0..5 { B[i, j] = Y[i, j] } }"), "swap j i");
  RULE_EQ("SWP-1", "SWP-1", wrong_order.code);
  EXPECT_NE(std::string::npos, wrong_order.refusal.diagnostic.help.find("swap i j"));
  const Step apart = step(nest("for i in 0..3 { A[i] = 0.0 } for j in 0..5 { B[0, j] = 1.0 }"), "swap i j");
  RULE_EQ("SWP-1", "SWP-1", apart.code);
  RULE_EQ("SWP-1", "SWP-1", step(nest("for i in 0..3 { }  for j in 0..3 { }"), "swap i j").code);
}

TEST(Swap, MovesGuardsOnIndicesInside) {
  const Program p = run(nest("for i in 0..3 { if i < n { for j in 0..5 { B[i, j] = Y[i, j] } } }", "param n in 1..5"),
                        {"swap i j"}, false);
  RULE_EQ("SWP-1", printed("for j in 0..5 { for i in 0..3 { if i < n { B[i, j] = Y[i, j] } } }", "param n in 1..5"),
          body(p));
  // Tiles of a parametric nest: the guard of the outer split stands between the loops to exchange.
  run(nest("for i in 0..n { for j in 0..7 { B[i, j] = Y[i, j] } }", "param n in 1..8"),
      {"split i factor=4 -> io, ii", "split j factor=3 -> jo, ji", "swap ii jo"}, false);
}

TEST(Swap, TriangleBecomesTheOtherTriangle) {
  const Program p = run(nest("for i in 0..7 { for j in 0..i + 1 { B[i, j] = Y[j, i] } }"), {"swap i j"}, false);
  RULE_EQ("SWP-4", printed("for j in 0..7 { for i in j..7 { B[i, j] = Y[j, i] } }"), body(p));
  const Program q = run(nest("for i in 0..7 { for j in i..7 { B[i, j] = Y[j, i] } }"), {"swap i j"}, false);
  RULE_EQ("SWP-4", printed("for j in 0..7 { for i in 0..j + 1 { B[i, j] = Y[j, i] } }"), body(q));
  const Program r =
      run(nest("for i in 0..n { for j in i + 1..n { B[i, j] = Y[j, i] } }", "param n in 1..12"), {"swap i j"}, false);
  RULE_EQ("SWP-3", printed("for j in 1..n { for i in 0..j { B[i, j] = Y[j, i] } }", "param n in 1..12"), body(r));
}

// Every combination of these bounds and steps, compared by enumeration.
TEST(Swap, KeepsTheDomainForAllBounds) {
  const char* outer_bounds[] = {"0..7", "2..6", "-3..4", "3..3", "5..1", "1..n", "n - 3..n"};
  const char* lower[] = {"0",    "i", "-i", "2*i - 3", "floordiv(i, 2)", "max(0, i - 2)", "min(i, 3)", "floormod(i, 3)",
                         "n - i"};
  const char* upper[] = {
      "6", "i + 1", "8 - i", "3*i", "floordiv(i + 5, 2)", "min(9, i + 3)", "max(i, 4)", "i - 2*floormod(i, 2) + 3",
      "n"};
  int guarded = 0;
  int all = 0;
  for (const char* o : outer_bounds) {
    for (const char* step_i : {"1", "2", "3"}) {
      for (const char* lo : lower) {
        for (const char* hi : upper) {
          for (const char* step_j : {"1", "2", "3"}) {
            const Program p =
                nest(fmt::format("for i in {} step {} {{ for j in {}..{} step {} {{ B[i + 9, j + 9] = 1.0 }} }}", o,
                                 step_i, lo, hi, step_j),
                     "param n in 3..6");
            EnumeratingQuery query;
            const StepResult s = apply_line(p, line("swap i j"), query);
            ASSERT_TRUE(s);
            ASSERT_EQ(std::string(), difference(p, s->program, false)) << print(p) << print(s->program);
            guarded += count(s->program, StmtKind::branch) > 0 ? 1 : 0;
            ++all;
          }
        }
      }
    }
  }
  RULE_TRUE("SWP-4", guarded > 0 && guarded < all);  // both forms occur
  EXPECT_EQ(7 * 3 * 9 * 9 * 3, all);
}

TEST(Swap, StepsThatDoNotLineUp) {
  const Step s = step(nest("for i in 0..5 { for j in i..9 step 2 { B[i, j] = Y[i, j] } }"), "swap i j", false);
  ASSERT_TRUE(s.after);
  RULE_EQ("SWP-5",
          printed("for j in 0..9 { for i in 0..min(5, j + 1) { if floormod(j - i, 2) == 0 { B[i, j] = Y[i, j] } } }"),
          body(*s.after));
  const Step aligned = step(nest("for i in 1..5 { for j in 2*i..9 step 2 { B[i, j] = Y[i, j] } }"), "swap i j", false);
  ASSERT_TRUE(aligned.after);
  RULE_EQ("SWP-5", 0, count(*aligned.after, StmtKind::branch));
}

TEST(Swap, TwiceIsTheSame) {
  const Program p = nest("for i in 0..7 { for j in 0..i + 1 { B[i, j] = Y[j, i] } }");
  EXPECT_EQ(body(p), body(run(p, {"swap i j", "swap j i"}, false)));
}

TEST(Swap, BoundsBeyond64Bits) {
  const Step s = step(nest("for i in 0..9000000000000000000 { for j in 4*i..4*i + 2 { A[0] = X[0] } }"), "swap i j");
  RULE_EQ("SWP-6", "SWP-6", s.code);
  RULE_TRUE("SWP-6", !s.error);
}

TEST(Swap, KindsAndBarriers) {
  RULE_EQ("SCH-15", "SCH-15",
          step(nest("for i in 0..4 @grid { for j in 0..4 @vectorized { B[i, j] = 1.0 } }"), "swap i j").code);
  // A bound that is not linear becomes a guard, which must not stand around a barrier.
  RULE_EQ(
      "SWP-7", "SWP-7",
      step(nest("for w in 0..4 @workgroup { for i in 0..4 { for j in 0..floormod(i, 3) { A[w] = X[j] barrier } } }"),
           "swap i j")
          .code);
  RULE_TRUE("SWP-7", step(nest("for w in 0..4 @workgroup { for i in 0..4 { for j in 0..i { A[w] = X[j] barrier } } }"),
                          "swap i j", false)
                         .after.has_value());
}

TEST(Swap, Copies) {
  const Program p = run(nest("for k in 0..2 { for i in 0..3 { for j in i..4 { B[i, j] += Y[j, k] } } }"),
                        {"unroll k materialize=true", "swap i* j*"}, false);
  RULE_TRUE("SWP-1",
            find_loops(p, "j").at(0)->body.at(0)->name == "i" && find_loops(p, "j.1").at(0)->body.at(0)->name == "i.1");
  const Program copies = run(nest("for k in 0..2 { for i in 0..3 { for j in i..4 { B[i, j] += Y[j, k] } } }"),
                             {"unroll k materialize=true"});
  RULE_EQ("SWP-1", "SWP-1", step(copies, "swap i j*").code);
  RULE_EQ("SCH-9", "SWP-1", step(copies, "swap i* j").code);
}

}  // namespace
}  // namespace assay::test
