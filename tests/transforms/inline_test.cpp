// inline: what it makes and refuses (INL-…), and what its obligations say.
#include "moves.hpp"

namespace assay::test {
namespace {

const std::string scratch = "temp T: f32[70] temp U: f32[9, 9]";
Moved inlined(const std::string& statements, const std::string& l = "inline T", const std::string& more = {}) {
  return moved(nest(statements, scratch + " " + more), l);
}

TEST(Inline, ComputesCellsWhereTheyAreRead) {
  const Moved m = inlined("for i in 0..9 { T[i] = X[i] * 2.0 } for j in 0..8 { A[j] = T[j] + T[j + 1] }");
  RULE_EQ("INL-6", printed("for j in 0..8 { A[j] = X[j] * 2.0 + X[j + 1] * 2.0 }", "temp U: f32[9, 9]"), m.text);
  EXPECT_EQ("", m.code);
  RULE_TRUE("INL-6", m.after->find_buffer("T") == nullptr);
  // Both signs, transposed, and an iteration that the loop around gives.
  const Moved u = inlined(
      "for i in 0..9 { for j in 0..9 { U[8 - j, i] = Y[i, j] * X[i] } } for p in 0..9 { for q in 0..9 { B[p, q] = U[p, "
      "q] } }",
      "inline U");
  RULE_EQ("INL-3", printed("for p in 0..9 { for q in 0..9 { B[p, q] = Y[q, 8 - p] * X[q] } }", "temp T: f32[70]"),
          u.text);
  EXPECT_EQ("", u.code);
  // One index after the other, and beside what parameters and loops around both say.
  const Moved skewed = inlined(
      "for i in 0..4 { for j in 0..4 { U[i, i + j] = Y[i, j] } } for p in 0..4 { for q in p..p + 4 { B[p, q] = U[p, q] "
      "} }",
      "inline U");
  RULE_EQ("INL-3", printed("for p in 0..4 { for q in p..p + 4 { B[p, q] = Y[p, -p + q] } }", "temp T: f32[70]"),
          skewed.text);
  EXPECT_EQ("", skewed.code);
  const Moved shifted = inlined(
      "for t in 0..3 { for i in 0..9 { T[i + max(0, n - t)] = Y[t, i] } for j in 0..9 { B[t, j] = T[j + max(0, n - t)] "
      "} }",
      "inline T", "param n in 0..9");
  RULE_EQ("INL-3",
          printed("for t in 0..3 { for j in 0..9 { B[t, j] = Y[t, j] } }", "temp U: f32[9, 9] param n in 0..9"),
          shifted.text);
  EXPECT_EQ("", shifted.code);
  const Moved around = inlined("for t in 0..9 { for i in 0..9 { T[i] = Y[t, i] } for j in 0..9 { B[t, j] = T[j] } }");
  RULE_EQ("INL-3", printed("for t in 0..9 { for j in 0..9 { B[t, j] = Y[t, j] } }", "temp U: f32[9, 9]"), around.text);
  EXPECT_EQ("", around.code);
}

TEST(Inline, CopiesHaveNamesOfTheirOwn) {
  const Moved m = inlined(
      "for i in 0..9 { T[i] = scope s: f32 { s = 0.0 for k in 0..9 { s = s + Y[i, k] } } } for j in 0..4 { A[j] = T[2 "
      "* j] + T[2 * j + 1] }");
  EXPECT_EQ("", m.code);
  RULE_TRUE("INL-6", m.text.find("for k.1 in") != std::string::npos && m.text.find("for k.2 in") != std::string::npos)
      << m.text;
  // Read inside a scope, and in a condition.
  const Moved inner = inlined(
      "for i in 0..9 { T[i] = X[i] * 2.0 } for j in 0..4 { if T[j] > 1.0 { A[j] = scope s: f32 { s = 0.0 for k in 0..5 "
      "{ s = s + T[k + j] } } } }");
  EXPECT_EQ("", inner.code);
  RULE_TRUE("INL-6", inner.text.find("X[j + k] * 2.0") != std::string::npos ||
                         inner.text.find("X[k + j] * 2.0") != std::string::npos)
      << inner.text;
}

TEST(Inline, RefusesWhatHasNoSingleOrigin) {
  RULE_EQ("INL-1", std::string("INL-1"),
          inlined("for i in 0..9 { A[i] = X[i] } for i in 0..9 { B[0, i] = A[i] }", "inline A").code);
  RULE_EQ("INL-2", std::string("INL-2"),
          inlined("for i in 0..9 { T[i] = X[i] } for i in 9..18 { T[i] = X[i] } for p in 0..18 { A[p] = T[p] }").code);
  RULE_EQ("INL-2", std::string("INL-2"),
          inlined("zero T for i in 0..9 { T[i] = X[i] } for p in 0..9 { A[p] = T[p] }").code);
  RULE_EQ("INL-2", std::string("INL-2"), inlined("A[0] = 1.0").code);
  RULE_EQ("INL-2", std::string("INL-2"), inlined("for i in 0..9 { if flag[i] > 0 { T[i] = X[i] A[i] = T[i] } }").code);
  RULE_EQ("INL-2", std::string("INL-2"),
          inlined("for i in 0..9 { T[ids[i]] = X[i] A[i] = T[ids[i]] }", "inline T", "input ids: i32[9] in 0..9").code);
  RULE_EQ("INL-3", std::string("INL-3"),
          inlined("for i in 0..3 { for j in 0..3 { T[i + j] = X[i] * X[j] } } for k in 0..5 { A[k] = T[k] }").code);
  RULE_EQ("INL-3", std::string("INL-3"),
          inlined("for r in 0..2 { for i in 0..9 { T[i] = X[r] } } for k in 0..9 { A[k] = T[k] }").code);
  RULE_EQ("INL-4", std::string("INL-4"), inlined("for i in 0..9 { T[i] = X[i] }").code);
  RULE_EQ("INL-4", std::string("INL-4"),
          inlined("for i in 0..9 { T[i] = X[i] } A[0] = T[ids[0]]", "inline T", "input ids: i32[9] in 0..9").code);
  RULE_EQ("INL-5", std::string("INL-5"), inlined("for i in 1..9 { T[i] = T[i - 1] + X[i] } A[0] = T[8]").code);
}

TEST(Inline, SolvesForDigitsQuotientsAndConditions) {
  const std::string rest = "temp U: f32[9, 9]";
  const Moved digits =
      inlined("for i in 0..3 { for j in 0..3 { T[3 * i + j] = Y[i, j] } } for p in 0..9 { A[p] = T[p] }");
  RULE_EQ("INL-3", printed("for p in 0..9 { A[p] = Y[floordiv(p, 3), floormod(p, 3)] }", rest), digits.text);
  EXPECT_EQ("", digits.code);
  // Split and coalesced producers; three digits.
  const Moved split =
      inlined("for i in 0..2 { for j in 0..4 { T[4 * i + j] = X[4 * i + j] } } for p in 0..8 { A[p] = T[7 - p] }");
  EXPECT_EQ("", split.code);
  const Moved joined = inlined(
      "for i in 0..63 { U[floordiv(i, 9), floormod(i, 9)] = X[i] } for p in 0..7 { for q in 0..9 { B[p, q] = U[p, q] } "
      "}",
      "inline U");
  RULE_EQ("INL-3", printed("for p in 0..7 { for q in 0..9 { B[p, q] = X[9 * p + q] } }", "temp T: f32[70]"),
          joined.text);
  EXPECT_EQ("", joined.code);
  const Moved three = inlined(
      "for i in 0..60 { V[floordiv(i, 20), floormod(floordiv(i, 5), 4), floormod(i, 5)] = X[i] } for p in 0..3 { for q "
      "in "
      "0..4 { for r in 0..5 { B[p, q] = V[p, q, r] } } }",
      "inline V", "temp V: f32[3, 4, 5]");
  EXPECT_EQ("", three.code);
  RULE_TRUE("INL-3", three.text.find("X[20*p + 5*q + r]") != std::string::npos) << three.text;
  // A condition says what the cell does not.
  const Moved fixed =
      inlined("for i in 0..9 { for l in 0..8 { if l == 2 { T[i] = Y[i, l] } } } for p in 0..9 { A[p] = T[p] }");
  RULE_EQ("INL-3", printed("for p in 0..9 { A[p] = Y[p, 2] }", rest), fixed.text);
  EXPECT_EQ("", fixed.code);
  // The loop does not run as far as the digits.
  RULE_EQ("INL-3", std::string("W-10"),
          inlined("for i in 0..3 { for j in 0..2 { T[3 * i + j] = Y[i, j] } } for p in 0..9 { A[p] = T[p] }").code);
}

TEST(Inline, SeveralStatementsThatComputeACell) {
  const std::string rest = "temp U: f32[9, 9]";
  const Moved sum = inlined(
      "for i in 0..9 { T[i] = 0.0 for k in 0..9 { T[i] += Y[i, k] } } for p in 0..9 { for q in 0..9 { B[p, q] = Y[p, "
      "q] / "
      "T[p] } }");
  RULE_EQ(
      "INL-2",
      printed("for p in 0..9 { for q in 0..9 { B[p, q] = Y[p, q] / scope T: f32 { T = 0.0 for k.1 in 0..9 { T = T + "
              "Y[p, k.1] } } } }",
              rest),
      sum.text);
  EXPECT_EQ("", sum.code);
  // What stands in between stays, conditions and variables of their own go along; read twice, it is computed twice.
  const Moved more = inlined(
      "for i in 0..9 { T[i] = X[i] A[i] = 1.0 for k in 0..9 { var v: f32 = Y[i, k] if v > 0.0 { T[i] max= v } } } for "
      "p in "
      "0..8 { B[0, p] = T[p] + T[p + 1] }");
  EXPECT_EQ("", more.code);
  RULE_TRUE("W-14",
            more.text.find("scope T.1") != std::string::npos && more.text.find("A[i] = 1.0") != std::string::npos)
      << more.text;
  const Moved zeroed = inlined(
      "zero U for i in 0..9 { for j in 0..9 { for k in 0..9 { U[i, j] += Y[i, k] * Y[k, j] } } } for p in 0..9 { for q "
      "in "
      "0..9 { B[p, q] = U[p, q] + 1.0 } }",
      "inline U");
  EXPECT_EQ("", zeroed.code);
  RULE_TRUE("W-15", zeroed.text.find("zero") == std::string::npos) << zeroed.text;
  const Moved only = inlined("zero T for p in 0..9 { A[p] = T[p] * X[p] }");
  RULE_EQ("W-15", printed("for p in 0..9 { A[p] = 0.0 * X[p] }", rest), only.text);
  EXPECT_EQ("", only.code);
  // Names for `materialize`.
  EXPECT_EQ("", moved(*sum.after, "materialize T").code);

  for (const char* apart :
       {"for i in 0..9 { T[i] = A[i] A[i] = 1.0 T[i] += 2.0 } for p in 0..9 { B[0, p] = T[p] }",
        "for i in 0..9 { T[i] = 1.0 B[0, i] = T[i] T[i] += 2.0 } for p in 0..9 { B[1, p] = T[p] }",
        "for i in 0..9 { T[i] = 1.0 for k in 0..9 { T[k] += 2.0 } } for p in 0..9 { B[1, p] = T[p] }",
        "for i in 0..9 { T[i] = 1.0 for k in 0..9 { T[i] += 2.0 A[k] = 0.0 } } for p in 0..9 { B[1, p] = T[p] }",
        "for i in 0..9 { for k in 0..9 { T[i] += 2.0 } zero T } for p in 0..9 { B[1, p] = T[p] }",
        "zero T for t in 0..2 { for i in 0..70 { T[i] += 2.0 } } for p in 0..9 { B[1, p] = T[p] }",
        "zero T for i in 0..60 { for k in 0..9 { T[i] += 2.0 } } for p in 0..9 { B[1, p] = T[p] }",
        "for i in 0..70 { for k in 0..9 { T[i] += 2.0 } } zero T for p in 0..9 { B[1, p] = T[p] }"}) {
    const std::string code = inlined(apart).code;
    RULE_TRUE("W-14", code == "INL-2" || code == "INL-5") << apart << " " << code;
  }
  // The obligations see what changed since.
  RULE_EQ("W-14", std::string("W-10"),
          inlined("for i in 0..9 { T[i] = 0.0 for k in 0..9 { T[i] += A[k] } } for p in 0..9 { A[p] = T[p] }").code);
}

TEST(Inline, ObligationsSeeWhatTheOperationDoesNot) {
  // What the expression reads changed in between.
  RULE_EQ("INL-7", std::string("W-10"),
          inlined("for i in 0..9 { T[i] = A[i] } for j in 0..9 { A[j] = 0.0 } for k in 0..9 { B[0, k] = T[k] }").code);
  RULE_EQ("INL-7", std::string("W-10"),
          inlined("for i in 0..9 { T[i] = A[i] } for j in 1..9 { A[j] = T[j - 1] }").code);
  // Another part of the same buffer.
  RULE_EQ("INL-7", std::string(""), inlined("for i in 0..9 { T[i] = A[i] } for j in 0..9 { A[j + 9] = T[j] }").code);
  RULE_EQ("INL-7", std::string(""), inlined("for i in 0..9 { T[i] = A[i] } for j in 0..9 { A[j] = T[j] * T[j] }").code);
  // Cells that nothing stored, or that a later iteration stored again.
  RULE_EQ("INL-7", std::string("W-10"), inlined("for i in 0..9 { T[i] = X[i] } for k in 0..10 { A[k] = T[k] }").code);
  RULE_EQ("INL-7", std::string("W-10"), inlined("for t in 0..9 { A[t] = T[3] for i in 0..9 { T[i] = Y[t, i] } }").code);
  // Loops and conditions stay where they hold something else.
  const Moved m =
      inlined("for i in 0..9 { if i < 8 { T[i] = X[i] } for e in 0..0 { A[0] = 1.0 } } for k in 0..8 { A[k] = T[k] }");
  RULE_EQ("INL-7",
          printed("for i in 0..9 { for e in 0..0 { A[0] = 1.0 } } for k in 0..8 { A[k] = X[k] }", "temp U: f32[9, 9]"),
          m.text);
  EXPECT_EQ("", m.code);
}

}  // namespace
}  // namespace assay::test
