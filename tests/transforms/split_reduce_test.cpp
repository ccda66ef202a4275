// split_reduce: what it makes, what it refuses (SRD-…), and that its obligations follow from what it made.
#include "moves.hpp"

namespace assay::test {
namespace {

TEST(SplitReduce, StartsInPlaceAndCombinesTheSameCells) {
  const Moved m = moved(nest("for i in 0..7 { for k in 0..46 { A[i] += Y[i, k] } }"),
                        "split_reduce k blocks=5 target=A combine=c -> kb, ki, P");
  const std::string tree = "P[0, c] + P[1, c] + (P[2, c] + (P[3, c] + P[4, c]))";
  const std::string text =
      "for i in 0..7 { for kb in 0..5 { P[kb, i] = -0.0 for ki in 0..10 { if 10 * kb + ki < 46 { P[kb, i] += Y[i, 10 * "
      "kb + ki] "
      "} } } } for c in 0..7 { A[c] += " +
      tree + " }";
  for (const char* rule : {"SRD-5", "SRD-7"}) RULE_EQ(rule, printed(text, "temp P: f32[5, 64]"), m.text);
  RULE_EQ("SRD-4", printed(text, "temp P: f32[5, 64]"), m.text);
  RULE_TRUE("SRD-6", m.text.find(tree) != std::string::npos);
  EXPECT_EQ("", m.code);
  const Buffer& p = *m.after->find_buffer("P");
  RULE_TRUE("SRD-5",
            p.kind == BufferKind::temp && p.type == Type::f32 && p.dims == std::vector<Index>({Index(5), Index(64)}));
}

TEST(SplitReduce, DealsOutIterationsWhereTheirNumberIsNone) {
  const Moved m = moved(nest("for k in 2..n step 3 { A[0] = max(A[0], X[k]) }", "param n in 0..60"),
                        "split_reduce k blocks=4 target=A -> kb, ki, P");
  RULE_TRUE("SRD-4", m.text.find("X[3*kb + 12*ki + 2]") != std::string::npos) << m.text;
  RULE_TRUE("SRD-9", m.text.find("if 2 < n") != std::string::npos) << m.text;
  EXPECT_EQ("", m.code);
  // A size that the parameters fix is a number.
  const Moved fixed = moved(nest("for k in 0..n { A[0] += X[k] }", "param n in 0..60 require n == 12"),
                            "split_reduce k blocks=4 target=A -> kb, ki, P");
  RULE_TRUE("SRD-4", fixed.text.find("X[3*kb + ki]") != std::string::npos) << fixed.text;
  EXPECT_EQ("", fixed.code);
}

TEST(SplitReduce, IdleBlocksHoldTheIdentity) {
  const Moved m =
      moved(nest("for k in 0..5 { A[3] *= X[k] }"), "split_reduce k blocks=8 target=A combine=c -> kb, ki, P");
  RULE_TRUE("SRD-4", m.text.find("if kb < 5") != std::string::npos) << m.text;
  RULE_TRUE("SRD-7", m.text.find("for c in 3..4") != std::string::npos) << m.text;
  EXPECT_EQ("", m.code);
}

TEST(SplitReduce, TheIdentityOfEveryTypeAndOperator) {
  struct {
    const char *type, *update, *identity;
  } cases[] = {{"f32", "T[0] += U[k]", "-0.0"},
               {"f8e4m3fn", "T[0] max= U[k]", "-450.0"},
               {"f8e5m2", "T[0] min= U[k]", "inf"},
               {"i8", "T[0] max= U[k]", "-128"},
               {"u16", "T[0] min= U[k]", "65535"},
               {"i64", "T[0] *= U[k]", "1"},
               {"bf16", "T[0] = T[0] - U[k]", "-0.0"},
               {"f16", "T[0] = maxnum(T[0], U[k])", "nan"},
               {"f64", "T[0] = fma(U[k], U[0], T[0])", "-0.0"},
               {"u8", "T[0] = T[0] + U[k]", "0"}};
  for (const auto& c : cases) {
    const Moved m = moved(program(std::string("program p { input U: ") + c.type + "[9] inout T: " + c.type +
                                  "[1] for k in 0..9 { " + c.update + " } }"),
                          "split_reduce k blocks=2 target=T -> kb, ki, P");
    RULE_TRUE("SRD-5", m.text.find(std::string("P[kb, 0] = ") + c.identity + "\n") != std::string::npos)
        << c.type << " " << m.text;
    EXPECT_EQ("", m.code) << c.type << " " << c.update;
  }
}

TEST(SplitReduce, StartsEverywhereWhereACellHasNoPlaceOfItsOwn) {
  const std::string scatter = "input ids: i32[60] in 0..64 param n in 0..60";
  struct {
    const char *text, *declarations, *loop;
  } cases[] = {
      {"for t in 0..n { A[ids[t]] += X[t] }", scatter.c_str(), "t"},
      {"for t in 0..3 { for k in 0..9 { A[0] += Y[t, k] } }", "", "k"},
      {"for i in 0..8 { for j in 0..3 { A[2 * i + j] += Y[i, j] } }", "", "j"},
      {"for i in 0..8 { for k in 0..9 { B[i, i] += Y[i, k] } }", "", "k"},
      {"for i in 0..8 { if flag[i] > 0 { for k in 0..9 { A[i] += Y[i, k] } } }", "", "k"},
      {"for k in 0..9 { A[0] += X[k] A[1] += X[k] }", "", "k"},
  };
  for (const auto& c : cases) {
    const Moved m = moved(nest(c.text, c.declarations),
                          std::string("split_reduce ") + c.loop +
                              " blocks=2 target=" + (std::string(c.text).find("B[") == std::string::npos ? "A" : "B"));
    RULE_TRUE("SRD-8", m.text.rfind("for " + std::string(c.loop) + "_s in 0..2", 0) == 0) << m.text;
    EXPECT_EQ("", m.code) << c.text;
  }
}

TEST(SplitReduce, CellsInsideTheLoopAreATile) {
  const Moved m = moved(nest("for k in 0..9 { for j in 0..5 { if j < 4 { B[j, 2] += Y[k, j] } } }"),
                        "split_reduce k blocks=3 target=B combine=r,c -> kb, ki, P");
  RULE_TRUE("SRD-7",
            m.text.find("for j.1 in 0..5 {\n    if j.1 < 4 {\n      P[kb, j.1, 2] = -0.0") != std::string::npos)
      << m.text;
  RULE_TRUE("SRD-7", m.text.find("for r in 0..5 {\n  for c in 2..3 {\n    if r < 4 {") != std::string::npos) << m.text;
  EXPECT_EQ("", m.code);
  // The tile's loop depends on k: its cells are not the same in every block.
  const Moved triangle =
      moved(nest("for k in 0..9 { for j in k..9 { A[j] += X[k] } }"), "split_reduce k blocks=3 target=A");
  RULE_TRUE("SRD-8", triangle.text.rfind("for k_s in 0..3", 0) == 0) << triangle.text;
  EXPECT_EQ("", triangle.code);
}

// Loops that a split made are one dimension of the target: only the cells that the loop updates need be defined.
TEST(SplitReduce, DigitsOfOneDimension) {
  const auto proved = [](const std::string& statements, const std::string& declarations) {
    const Moved m = moved(nest(statements, declarations), "split_reduce k blocks=3 target=T combine=c -> kb, ki, P");
    EXPECT_EQ("", m.code) << statements << m.text;
    return m.text;
  };
  const std::string partly = "param n in 1..20 temp T: f32[40]";
  const std::string defined = "for z in 0..n { T[z] = 0.0 } ";
  const std::string split = proved(defined +
                                       "for io in 0..ceildiv(n, 4) { for ii in 0..4 { if 4 * io + ii < n { for k in "
                                       "0..12 { T[4 * io + ii] += X[k] } } } }",
                                   partly);
  RULE_TRUE("SRD-7", split.find("for c in 0..4*ceildiv(n, 4) {\n  if ") != std::string::npos &&
                         split.find("T[c] += P[0, c] + (P[1, c] + P[2, c])") != std::string::npos)
      << split;
  RULE_TRUE("SRD-11", split.find("P[kb, 4*io + ii] = -0.0") != std::string::npos ||
                          split.find("P[kb, ii + 4*io] = -0.0") != std::string::npos)
      << split;
  // One digit inside the loop, and three of them, the middle one outermost.
  proved(defined +
             "for io in 0..ceildiv(n, 4) { for k in 0..12 { for ii in 0..4 { if 4 * io + ii < n { T[4 * io + ii] += "
             "X[k] } } } }",
         partly);
  proved(
      "for z in 0..24 { T[z + 3] = 0.0 } for b in 0..3 { for a in 0..2 { for d in 0..4 { for k in 0..12 { T[12 * a + 4 "
      "* b + d + 3] "
      "+= X[k] } } } }",
      "temp T: f32[40]");
  // A unit and bounds of their own.
  proved(
      "for z in 0..6 { T[2 * z + 1] = 0.0 } for a in 1..3 { for b in 2..5 { for k in 0..12 { T[6 * a + 2 * b - 9] += "
      "X[k] } } }",
      "temp T: f32[40]");
  // Digits that leave gaps or meet are none; all cells are combined, and that needs all of them.
  const auto refuted = [](const char* index) {
    return moved(nest(std::string("for z in 0..20 { T[z] = 0.0 } for a in 0..3 { for b in 0..4 { for k in 0..12 { T[") +
                          index + "] += X[k] } } }",
                      "temp T: f32[40]"),
                 "split_reduce k blocks=3 target=T");
  };
  for (const char* index : {"5 * a + b", "3 * a + b", "4 * a - b + 3"}) {
    const Moved m = refuted(index);
    RULE_TRUE("SRD-8", m.text.find("for k_s in 0..3") != std::string::npos &&
                           m.text.find("for T_c0 in 0..40") != std::string::npos)
        << m.text;
    RULE_TRUE("SRD-8", m.code == std::string("DEF-1")) << index;
  }
}

// The cells are known though a loop comes back to them, and though a condition reads data.
TEST(SplitReduce, CellsThatALoopComesBackTo) {
  const auto made = [](const std::string& statements, const std::string& declarations) {
    const Moved m = moved(nest("for z in 0..5 { T[z] = 0.0 } " + statements, "temp T: f32[40] " + declarations),
                          "split_reduce k blocks=3 target=T combine=c");
    EXPECT_EQ("", m.code) << statements << m.text;
    RULE_TRUE("SRD-8", m.text.find("for k_s in 0..3") != std::string::npos) << m.text;
    RULE_TRUE("SRD-7", m.text.find("for c in 0..5") != std::string::npos) << m.text;
    return m.text;
  };
  made("for t in 0..3 { for i in 0..5 { for k in 0..9 { T[i] += Y[t, k] } } }", "");
  made("for i in 0..5 { if flag[i] > 0 { for k in 0..9 { T[i] += X[k] } } }", "");
  const std::string none =
      made("for t in 0..n { for i in 0..5 { for k in 0..9 { T[i] += X[k] } } }", "param n in 0..4");
  RULE_TRUE("SRD-9", none.find("if 0 < n") != std::string::npos) << none;
}

TEST(SplitReduce, ALoopThatNeverRunsUsesNothing) {
  const Moved m = moved(nest("for i in 0..4 { for k in 3..3 { A[i] += X[k] } }"), "split_reduce k blocks=2 target=A");
  RULE_TRUE("SRD-9", m.text.find("A[A_c0]") == std::string::npos) << m.text;
  EXPECT_EQ("", m.code);
  const Moved triangle =
      moved(nest("for i in 0..4 { for k in 0..i { A[i] += X[k] } }"), "split_reduce k blocks=2 target=A combine=c");
  RULE_TRUE("SRD-9", triangle.text.find("if 0 < c") != std::string::npos) << triangle.text;
  EXPECT_EQ("", triangle.code);
}

TEST(SplitReduce, Names) {
  const Moved m = moved(nest("for k in 0..9 { B[0, 1] += X[k] }"), "split_reduce k blocks=3 target=B");
  for (const char* name : {"for k_b in", "for k_i in", "B_p[k_b", "for B_c0 in", "for B_c1 in"})
    RULE_TRUE("SRD-10", m.text.find(name) != std::string::npos) << name << m.text;
  const auto code = [](const std::string& l) { return moved(nest("for k in 0..9 { B[0, 1] += X[k] }"), l).code; };
  RULE_EQ("SCH-12", std::string("SCH-12"), code("split_reduce k blocks=3 target=B combine=c"));
  RULE_EQ("SCH-12", std::string("SCH-12"), code("split_reduce k blocks=3 target=B combine=c,c"));
  RULE_EQ("SCH-12", std::string("SCH-12"), code("split_reduce k blocks=3 target=B combine=c,d -> c, e, f"));
  RULE_EQ("SCH-12", std::string("SCH-12"), code("split_reduce k blocks=3 target=B combine=c,X"));
  RULE_EQ("SCH-8", std::string("SCH-8"), code("split_reduce k blocks=3 target=Q"));
  RULE_EQ("SCH-10", std::string("SCH-10"), code("split_reduce k blocks=3"));
}

TEST(SplitReduce, Refusals) {
  const auto code = [](const std::string& statements, const std::string& l = "split_reduce k blocks=3 target=A") {
    return moved(nest(statements), l).code;
  };
  RULE_EQ("SRD-1", std::string("SRD-1"), code("for k in 0..9 { A[0] += X[k] }", "split_reduce k blocks=1 target=A"));
  RULE_EQ("SRD-1", std::string("SRD-1"), code("for k in 0..9 { A[0] += X[k] }", "split_reduce k blocks=1025 target=A"));
  RULE_EQ("SRD-2", std::string("SRD-2"), code("for k in 0..9 @grid { A[0] += X[k] }"));
  RULE_EQ("SRD-2", std::string("SRD-2"), code("A[0] = scope s: f32 { s = 0.0 for k in 0..9 { s = s + X[k] } }"));
  RULE_EQ("SRD-2", std::string("SRD-2"), code("for w in 0..2 @workgroup { for k in 0..9 { A[w] += X[k] barrier } }"));
  RULE_EQ("SRD-2", std::string("SRD-2"),
          code("for k in 0..9 { A[0] += X[k] } for k in 0..9 { A[0] += X[k] }", "split_reduce k* blocks=3 target=A"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { A[0] = A[0] * 0.5 + X[k] }"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { A[0] = X[k] - A[0] }"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { A[0] += X[k] A[0] *= X[k] }"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { A[0] += X[k] B[0, k] = A[0] }"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { A[0] += X[k] if A[1] > 0.0 { B[0, 0] = 1.0 } }"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { B[0, k] = A[0] }"));
  RULE_EQ("SRD-3", std::string("SRD-3"), code("for k in 0..9 { A[0] += X[k] zero A }"));
}

TEST(SplitReduce, WhatComesInBetweenIsAnObligation) {
  const auto code = [](const std::string& statements) {
    return moved(nest(statements), "split_reduce k blocks=3 target=A").code;
  };
  EXPECT_EQ("ACC-3", code("for i in 0..4 { for k in 0..9 { A[i] += X[k] } B[i, 0] = A[i] }"));
  EXPECT_EQ("ACC-3", code("for i in 0..4 { for k in 0..9 { A[i] += X[k] } A[i] *= 2.0 }"));
  // Before the loop, or at other cells, it may be used.
  EXPECT_EQ("", code("for i in 0..4 { A[i] = A[i + 8] for k in 0..9 { A[i] += X[k] } }"));
  // Another update by the same operator may come first.
  RULE_EQ("PRF-53", std::string(), code("for i in 0..4 { for k in 0..9 { A[i] += X[k] } A[i] += 2.0 }"));
}

}  // namespace
}  // namespace assay::test
