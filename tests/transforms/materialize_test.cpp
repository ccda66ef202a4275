// materialize: what it makes and refuses (MAT-…), and what its obligations say.
#include <fmt/format.h>

#include "ir/analysis/canonical.hpp"
#include "moves.hpp"

namespace assay::test {
namespace {

Moved stored(const std::string& statements, const std::string& l, const std::string& more = {}) {
  return moved(nest(statements, more), l);
}
std::string value(const std::string& name, const std::string& e) {
  return "scope " + name + ": f32 { " + name + " = " + e + " }";
}

TEST(Materialize, ScopesShareABuffer) {
  const Moved m =
      stored("for j in 0..8 { A[j] = " + value("v", "X[j] * 2.0") + " + " + value("v.1", "X[j + 1] * 2.0") + " }",
             "materialize v* -> T");
  RULE_EQ(
      "MAT-7",
      printed("for j.1 in 0..9 { T[j.1] = X[j.1] * 2.0 } for j in 0..8 { A[j] = T[j] + T[j + 1] }", "temp T: f32[9]"),
      m.text);
  RULE_EQ("MAT-8", std::string(), m.code);
  // A condition on integers that are computed from symbols stays behind: the nest computes more cells than are read.
  const Moved chosen =
      stored("for j in 0..8 { for k in 0..4 { if i32(k) == i32(floormod(j, 4)) { A[j] = " + value("v", "X[j] * 2.0") +
                 " } } }",
             "materialize v -> T");
  RULE_EQ("MAT-8", std::string(), chosen.code);
  // Mirrored, from another start, and read in two nests.
  const Moved mirrored = stored("for j in 2..8 { A[j] = " + value("v", "X[8 - j]") +
                                    " } for k in 0..3 { B[0, k] = " + value("v.1", "X[k]") + " }",
                                "materialize v* -> T");
  EXPECT_EQ("", mirrored.code);
  RULE_EQ("MAT-6",
          printed("for j.1 in 2..9 { T[j.1 - 2] = X[8 - j.1] } for j in 2..8 { A[j] = T[j - 2] } for k in 0..3 { "
                  "B[0, k] = T[6 - k] }",
                  "temp T: f32[7]"),
          mirrored.text);
}

TEST(Materialize, OneScopeKeepsItsBounds) {
  const Moved m =
      stored("for i in 0..9 { for j in 0..i { if j > 1 { B[i, j] = " + value("v", "Y[i, j] + 1.0") + " } } }",
             "materialize v -> T");
  EXPECT_EQ("", m.code);
  RULE_EQ("MAT-8",
          printed("for i.1 in 0..9 { for j.1 in 0..i.1 { if j.1 > 1 { T[i.1, j.1] = Y[i.1, j.1] + 1.0 } } } for i in "
                  "0..9 { for j in 0..i { if j > 1 { B[i, j] = T[i, j] } } }",
                  "temp T: f32[9, 8]"),
          m.text);
  // A condition in the expression; a scope that does more is stored as it is.
  const Moved arm = stored("for i in 0..64 { A[i] = i < 9 ? " + value("v", "X[i]") + " : 0.0 }", "materialize v");
  EXPECT_EQ("", arm.code);
  const Moved sum = stored("for i in 0..9 { A[i] = scope s: f32 { s = 0.0 for k in 0..9 { s = s + Y[i, k] } } }",
                           "materialize s -> T");
  EXPECT_EQ("", sum.code);
  RULE_TRUE("MAT-9", sum.text.find("T[i.1] = scope s") != std::string::npos) << sum.text;
  RULE_EQ("MAT-11", std::string(""), stored("A[0] = " + value("v", "X[1]"), "materialize v kind=local").code);
}

TEST(Materialize, OtherLoopsGiveThePlace) {
  const std::string statements = "for t in 0..9 { for j in 0..8 { B[t, j] = " + value("v", "Y[t, j]") + " + " +
                                 value("v.1", "Y[t, j + 1]") + " } }";
  const Moved m = stored(statements, "materialize v* over=j kind=local -> T");
  EXPECT_EQ("", m.code);
  RULE_EQ(
      "MAT-5",
      printed("for t in 0..9 { for j.1 in 0..9 { T[j.1] = Y[t, j.1] } for j in 0..8 { B[t, j] = T[j] + T[j + 1] } }",
              "local T: f32[9]"),
      m.text);
  RULE_EQ("MAT-5", std::string("MAT-5"), stored(statements, "materialize v* over=t").code);
  RULE_EQ("MAT-5", std::string("MAT-5"),
          stored("for q in 0..1 { A[q] = 0.0 } " + statements, "materialize v* over=q").code);
}

TEST(Materialize, RefusesWhatIsNotOneValue) {
  RULE_EQ("MAT-1", std::string("MAT-1"), stored("A[0] = " + value("v", "X[1]"), "materialize w").code);
  RULE_EQ("MAT-1", std::string("MAT-1"), stored("A[0] = " + value("v", "X[1]"), "materialize A").code);
  RULE_EQ("MAT-2", std::string("MAT-2"),
          stored("var v: f32 = X[0] A[0] = v + " + value("v.1", "X[1]"), "materialize v*").code);
  const auto two = [&](const std::string& a, const std::string& b) {
    return stored("for j in 0..8 { A[j] = " + value("v", a) + " + " + value("v.1", b) + " }", "materialize v*").code;
  };
  RULE_EQ("MAT-3", std::string("MAT-3"), two("X[j] * 2.0", "X[j] * 3.0"));
  RULE_EQ("MAT-3", std::string("MAT-3"), two("X[2 * j]", "X[2 * j + 1]"));
  RULE_EQ("MAT-3", std::string("MAT-3"), two("Y[j, j]", "Y[j, j + 1]"));
  RULE_EQ("MAT-3", std::string("MAT-3"), two("Y[j, 1]", "Y[1, j]"));
  RULE_EQ("MAT-4", std::string("MAT-4"),
          stored("for j in 0..8 { var w: f32 = X[j] A[j] = " + value("v", "w * 2.0") + " }", "materialize v").code);
  const auto in_scope = [&](const std::string& over) {
    return stored("A[0] = scope s: f32 { s = 0.0 for k in 0..9 { for j in 0..9 { s = s + " + value("v", "Y[k, j]") +
                      " } } }",
                  "materialize v " + over)
        .code;
  };
  RULE_EQ("MAT-6", std::string("MAT-6"), in_scope("over=j"));
  RULE_EQ("MAT-7", std::string(), in_scope("over=k,j"));
}

TEST(Materialize, ObligationsSeeWhatTheOperationDoesNot) {
  // The value changes between the store and the use.
  RULE_EQ("W-5", std::string("W-10"),
          stored("for j in 1..9 { A[j] = " + value("v", "A[j - 1] * 2.0") + " }", "materialize v").code);
  RULE_EQ("W-5", std::string("W-10"),
          stored("for i in 0..9 { A[i] = X[i] B[0, i] = " + value("v", "A[i] * 2.0") + " }", "materialize v").code);
  // Computed where the old program would not have: what a guarded read protects is not in bounds.
  RULE_EQ("W-7", std::string("BND-1"),
          stored("for i in 0..64 { A[i] = (i < 9 ? " + value("v", "X[i]") + " : 0.0) + (i < 8 ? " +
                     value("v.1", "X[i + 1]") + " : 0.0) }",
                 "materialize v*")
              .code);
}

TEST(Materialize, ExpressionsNeedNoName) {
  // Everywhere it is computed, and nowhere else.
  const std::string twice = "for j in 0..8 { A[j] = 0.5 * X[j] + 0.5 * X[j + 1] B[0, j] = max(0.5 * X[j], 0.0) }";
  const Moved same = stored(twice, "materialize (0.5 * X[j]) -> T");
  EXPECT_EQ("", same.code);
  RULE_EQ("MAT-13",
          printed("for j.1 in 0..8 { T[j.1] = 0.5 * X[j.1] } for j in 0..8 { A[j] = T[j] + 0.5 * X[j + 1] B[0, j] = "
                  "max(T[j], 0.0) }",
                  "temp T: f32[8]"),
          same.text);
  const Moved all = stored(twice, "materialize (0.5 * X[j]) instances -> T");
  EXPECT_EQ("", all.code);
  RULE_EQ("MAT-13",
          printed("for j.1 in 0..9 { T[j.1] = 0.5 * X[j.1] } for j in 0..8 { A[j] = T[j] + T[j + 1] B[0, j] = "
                  "max(T[j], 0.0) }",
                  "temp T: f32[9]"),
          all.text);
  // A form of the index does not matter, the order of operands does; an iteration that nothing computes is nowhere.
  RULE_EQ("SCH-17", same.text, stored(twice, "materialize (0.5*X[-1 + j + 1]) -> T").text);
  RULE_EQ("MAT-14", std::string("MAT-14"), stored(twice, "materialize (X[j] * 0.5) instances").code);
  RULE_EQ("MAT-14", std::string("MAT-14"), stored(twice, "materialize (0.5 * X[j + 2])").code);
  // At other values of the loops that get an axis alone.
  const std::string rows = "for t in 1..9 { for j in 0..8 { B[t, j] = 2.0 * Y[t, j + 1] + 2.0 * Y[t - 1, j] } }";
  const Moved inner = stored(rows, "materialize (2.0 * Y[t, j]) instances over=j -> T");
  EXPECT_EQ("", inner.code);
  RULE_EQ("MAT-13",
          printed("for t in 1..9 { for j.1 in 0..8 { T[j.1] = 2.0 * Y[t, j.1 + 1] } for j in 0..8 { B[t, j] = T[j] + "
                  "2.0 * Y[t - 1, j] } }",
                  "temp T: f32[8]"),
          inner.text);
  // Cells from a least value that parameters tell.
  const Moved from = stored("for i in 0..n { for j in max(0, 2 - i)..5 { B[i, j] = 2.0 * X[j] } }",
                            "materialize (2.0 * X[j]) over=j -> T", "param n in 1..9");
  RULE_EQ("W-5", std::string(), from.code);
  // In a condition, in a scope; of bools.
  RULE_EQ("MAT-13", std::string(),
          stored("for j in 0..8 { if X[j] * 2.0 > 1.0 { A[j] = 0.0 } }", "materialize (X[j] * 2.0)").code);
  RULE_EQ("MAT-13", std::string(),
          stored("for j in 0..8 { if X[j] * 2.0 > 1.0 { A[j] = 0.0 } }", "materialize (X[j] * 2.0 > 1.0)").code);
  RULE_EQ("MAT-13", std::string(),
          stored("for i in 0..9 { A[i] = scope s: f32 { s = 0.0 for k in 0..9 { s = s + 2.0 * Y[i, k] } } }",
                 "materialize (2.0 * Y[i, k]) -> T")
              .code);
  // What is written is what the others are compared with, wherever it stands.
  RULE_EQ(
      "MAT-13", std::string(),
      stored("A[0] = 2.0 * X[3] for j in 0..8 { B[0, j] = 2.0 * X[j] }", "materialize (2.0 * X[j]) instances").code);
  RULE_EQ("MAT-11", std::string("value"), stored(twice, "materialize (0.5 * X[j])").after->buffers.back().name);
}

TEST(Materialize, RefusesTextsThatNameNoValue) {
  const std::string statements = "for j in 0..8 { var w: f32 = X[j] A[j] = w * 2.0 + X[j] }";
  const auto code = [&](const std::string& l) { return stored(statements, l).code; };
  for (const char* l : {"materialize (j)", "materialize (w)", "materialize (f32(2.0))", "materialize (n + 1)",
                        "materialize w instances"})
    RULE_EQ("MAT-13", fmt::format("{}: MAT-13", l),
            fmt::format("{}: {}", l, stored(statements, l, "param n in 1..9").code));
  RULE_EQ("MAT-4", std::string("MAT-4"), code("materialize (w * 2.0)"));
  RULE_EQ("MAT-13", std::string(), code("materialize (X[j])"));
  RULE_EQ("SCH-17", std::string("NAME-1"), code("materialize (Z[j] * 2.0)"));
  RULE_EQ("SCH-17", std::string("TYPE-2"), code("materialize (1.0 + 2.0)"));
  RULE_EQ("SCH-17", std::string("SYN-3"), code("materialize (X[j] X[j])"));
  RULE_EQ("SCH-17", std::string("SYN-3"), code("materialize (X[j] +)"));
  RULE_EQ("SCH-17", std::string("TYPE-1"), code("materialize (X[j] + i32(j))"));
  RULE_EQ("SCH-8", std::string("SCH-8"), code("unroll (j)"));
}

TEST(Materialize, ObligationsSeeWhatAnExpressionReads) {
  RULE_EQ("W-5", std::string("W-10"),
          stored("for i in 0..9 { A[i] = X[i] B[0, i] = A[i] * 2.0 }", "materialize (A[i] * 2.0)").code);
  RULE_EQ("W-5", std::string("W-10"),
          stored("for i in 0..8 { A[i] = A[i + 1] * 2.0 B[0, i] = A[i + 1] * 2.0 + A[i] * 2.0 }",
                 "materialize (A[i + 1] * 2.0) instances")
              .code);
  RULE_EQ("W-7", std::string("BND-1"),
          stored("for i in 0..64 { A[i] = (i < 9 ? X[i] * 2.0 : 0.0) + (i < 8 ? X[i + 1] * 2.0 : 0.0) }",
                 "materialize (X[i] * 2.0) instances")
              .code);
}

TEST(Materialize, InlineTakesAnExpressionBack) {
  const Program p = nest("for i in 0..9 { for j in 0..8 { B[i, j] = exp(Y[i, j]) - exp(Y[i, j + 1]) } }");
  const Moved cells = moved(p, "materialize (exp(Y[i, j])) instances -> T");
  EXPECT_EQ("", cells.code);
  const Moved back = moved(*cells.after, "inline T");
  EXPECT_EQ("", back.code);
  RULE_EQ("MAT-15", print(canonical(p)), print(canonical(*back.after)));
}

TEST(Materialize, AVariableGetsACellForEachInstance) {
  const Moved m =
      stored("for i in 0..9 { var s: f32 = 0.0 for k in 0..9 { s = s + Y[i, k] } A[i] = s }", "materialize s -> T");
  EXPECT_EQ("", m.code);
  RULE_EQ("MAT-10",
          printed("for i in 0..9 { T[i] = 0.0 for k in 0..9 { T[i] = T[i] + Y[i, k] } A[i] = T[i] }", "temp T: f32[9]"),
          m.text);
  const Moved local =
      stored("for i in 0..9 { var s: f32 s = X[i] for k in 0..9 { s = s + Y[i, k] } A[i] = s X2[i] = 0.0 }",
             "materialize s kind=local -> T", "output X2: f32[9]");
  EXPECT_EQ("", local.code);
  RULE_EQ("MAT-10",
          printed("for i in 0..9 { T[] = X[i] for k in 0..9 { T[] = T[] + Y[i, k] } A[i] = T[] X2[i] = 0.0 }",
                  "local T: f32[] output X2: f32[9]"),
          local.text);
  // What it was computed from may change: the cell holds the value.
  RULE_EQ("MAT-10", std::string(),
          stored("for i in 0..9 { var s: f32 = A[i] A[i] = 0.0 B[0, i] = s }", "materialize s").code);
}

TEST(Materialize, TakesInliningBack) {
  const Program p = nest(
      "for i in 0..9 { T[i] = scope s: f32 { s = 0.0 for k in 0..9 { s = s + Y[i, k] } } } for j in 0..8 { A[j] = T[j] "
      "+ T[j + 1] }",
      "temp T: f32[9]");
  const Moved away = moved(p, "inline T named");
  EXPECT_EQ("", away.code);
  RULE_TRUE("INL-8", away.text.find("scope T: f32") != std::string::npos &&
                         away.text.find("scope T.1: f32") != std::string::npos)
      << away.text;
  const Moved back = moved(*away.after, "materialize T*");
  EXPECT_EQ("", back.code);
  RULE_EQ("MAT-12", print(canonical(p)), print(canonical(*back.after)));
}

}  // namespace
}  // namespace assay::test
