// Schema W: other expressions of the same value are proved, at the types at which they are; nothing wrong is.
#include <gtest/gtest.h>

#include "claimed_pairs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Status = Obligation::Status;

const std::string head =
    "input X: f32[64] input Y: f32[64, 64] input K: i32[64] in 0..10 inout A: f32[64] inout B: f32[64] ";

// One store in a loop over 0..16.
std::string values(const std::string& before, const std::string& after) {
  const auto text = [&](const std::string& value) { return head + "for i in 0..16 { A[i] = " + value + " }"; };
  return judge(text(before), text(after), {0, 1}).codes();
}

TEST(Rewrite, LawsOfTheTableAreMatchedAnew) {
  const Judged j =
      judge(head + "for i in 0..16 { A[i] = -(-X[i]) * 1.0 }", head + "for i in 0..16 { A[i] = X[i] }", {0, 1});
  RULE_EQ("W-3", std::string(), j.codes());
  const Obligation* named = nullptr;
  for (const Obligation& o : j.validation.obligations) {
    if (o.engine == "rule table") named = &o;
  }
  ASSERT_NE(nullptr, named);
  RULE_EQ("W-8", std::string("proved laws of the table: mul-one, neg-neg"), named->claim);
  // Under another operation, and with operands that are equal only after reductions.
  RULE_EQ("W-3", std::string(), values("X[i] + (X[i + 1] - 0.0)", "X[i] + X[i + 1]"));
  RULE_EQ("W-3", std::string(), values("max(X[i] * 1.0, -(-X[i]))", "X[i]"));
  // Not at floats; not backwards; not by another law.
  RULE_EQ("W-3", std::string("CLAIM-1"), values("X[i] + 0.0", "X[i]"));
  RULE_EQ("W-3", std::string("CLAIM-1"), values("X[i] * 0.0", "0.0"));
  RULE_EQ("W-3", std::string("CLAIM-1"), values("X[i]", "-(-X[i])"));
  RULE_EQ("W-3", std::string("CLAIM-1"), values("X[i] - X[i + 1]", "X[i + 1] - X[i]"));
  RULE_EQ("W-3", std::string("CLAIM-1"), values("fma(X[i], X[i], X[i + 1])", "X[i] * X[i] + X[i + 1]"));
  // A law repeats an operand: here they are two cells. That the law does not fit does not say that the values differ.
  RULE_EQ("W-3", std::string("W-11"), values("max(X[i], X[i + 1])", "X[i]"));
  RULE_EQ("W-3", std::string("CLAIM-1"), values("max(X[i], A[i])", "X[i]"));
}

TEST(Rewrite, TheOldExpressionInNormalForm) {
  const auto same = [](const std::string& old, const std::string& now) {
    return values("f32(" + old + ")", "f32(" + now + ")");
  };
  for (const auto& [old, now] : {std::pair{"abs(K[i] * -1)", "abs(K[i])"},
                                 {"max(K[i] - K[i], 1)", "i32((1))"},
                                 {"-(K[i] * 0)", "i32((0))"},
                                 {"(i < 16 ? 1 : K[i]) + 2", "i32((3))"},
                                 {"eucmod(K[i] * 0 - 7, 3)", "i32((2))"},
                                 {"u64((0)) - 1", "u64((18446744073709551615))"},
                                 {"K[i] * i32(floordiv(i, 16)) + 4", "i32((4))"}})
    RULE_TRUE("W-12", same(old, now).empty()) << old << " " << same(old, now);
  // One more or less is another value.
  RULE_EQ("W-12", std::string("W-10"), same("u64((0)) - 1", "u64((18446744073709551614))"));
  RULE_TRUE("W-12", !same("eucmod(K[i] * 0 - 7, 3)", "i32((1))").empty());
  RULE_TRUE("W-12", !same("(i < 15 ? 1 : K[i]) + 2", "i32((3))").empty());
  RULE_TRUE("W-12", !same("K[i] * i32(floordiv(i, 15)) + 4", "i32((4))").empty());
  // That a law does not fit says nothing about the values.
  RULE_EQ("W-13", std::string("W-11"), values("max(X[i], X[i + 1])", "X[i]"));
  RULE_EQ("W-13", std::string("W-10"), values("-(-X[i + 1])", "X[i]"));
}

TEST(Rewrite, FormsOfIndicesAndConditions) {
  RULE_EQ("W-2", std::string(), values("-(-X[4 * floordiv(i, 4) + floormod(i, 4)])", "X[i]"));
  RULE_EQ("W-10", std::string("W-10"), values("-(-X[i + 1])", "X[i]"));
  RULE_EQ("W-2", std::string(), values("-(-(i < 16 ? X[i] : X[0]))", "X[i]"));
  RULE_EQ("W-2", std::string("W-10"), values("-(-(i < 15 ? X[i] : X[0]))", "X[i]"));
  // Only where the arm is evaluated.
  RULE_EQ("W-2", std::string(), values("-(-(i < 4 ? X[floordiv(i, 4)] : X[1]))", "i < 4 ? X[0] : X[1]"));
  RULE_EQ("W-2", std::string("W-10"), values("-(-(i < 5 ? X[floordiv(i, 4)] : X[1]))", "i < 5 ? X[0] : X[1]"));
  // Integers in another way, with the wrapping of their type.
  RULE_EQ("W-2", std::string(), values("f32(i32(i) * 2 + 2) * 1.0", "f32(2 * i32(i + 1))"));
  RULE_EQ("W-2", std::string("W-10"), values("f32(i8(i) * 16 + 16) * 1.0", "f32(i8(i) * 16)"));
  RULE_EQ("W-2", std::string(), values("K[i] < 10 ? X[i] : X[0]", "X[i]"));
  RULE_TRUE("W-11", values("K[i] < 9 ? X[i] : X[0]", "X[i]") == "W-11");
  // The bounds of a loop, and a condition around.
  const auto loops = [&](const std::string& bound) {
    return judge(head + "for i in 0..16 { for j in 0..4 * floordiv(i, 4) + floormod(i, 4) { A[j] = -(-X[i]) } }",
                 head + "for i in 0..16 { for j in 0.." + bound + " { A[j] = X[i] } }", {0, 1, 2})
        .codes();
  };
  RULE_EQ("W-1", std::string(), loops("i"));
  RULE_EQ("W-1", std::string("W-10"), loops("i + 1"));
  RULE_EQ(
      "W-1", std::string("W-10"),
      judge(head + "for i in 0..16 { A[i] = -(-X[i]) }", head + "for i in 0..16 { A[i + 1] = X[i] }", {0, 1}).codes());
}

TEST(Rewrite, ScopesUpToNames) {
  const auto scope = [](const std::string& s, const std::string& k, const std::string& l, const std::string& cell) {
    return "scope " + s + ": f32 { " + s + " = 0.0 for " + k + " in 0..8 { for " + l + " in 0..8 { " + s + " = " + s +
           " * 2.0 + Y[" + cell + "] } } }";
  };
  const auto code = [&](const std::string& a, const std::string& b) {
    return judge(head + "A[0] = -(-" + a + ")", head + "A[0] = " + b, {0, -1, -1, -1, -1}).codes();
  };
  RULE_EQ("W-4", std::string(), code(scope("s", "k", "l", "k, l"), scope("t", "m", "n", "m, n")));
  RULE_TRUE("W-4", !code(scope("s", "k", "l", "k, l"), scope("t", "m", "n", "n, m")).empty());
  RULE_TRUE("W-4", !code(scope("s", "k", "l", "k, l"), scope("t", "m", "n", "m, m")).empty());
  RULE_TRUE("W-4", !code(scope("s", "k", "l", "k, k"), scope("t", "m", "n", "m, n")).empty());
  RULE_EQ("W-4", std::string(),
          judge(head + "A[0] = scope s: f32 { s = X[0] } + 1.0", head + "A[0] = X[0] + 1.0", {0}).codes());
}

// T is filled, then read: the old program computes on the spot.
std::string through(const std::string& fill, const std::string& read, const std::string& value,
                    std::vector<int> sources, const std::string& between = {}) {
  return judge(head + between + "for j in 0..8 { B[j] = " + value + " }",
               head + "temp T: f32[64] " + fill + " " + between + "for j in 0..8 { B[j] = " + read + " }", sources)
      .codes();
}

TEST(Rewrite, ValuesThroughStorageOfTheirOwn) {
  RULE_EQ(
      "W-5", std::string(),
      through("for i in 0..9 { T[i] = X[i] * 2.0 }", "T[j] + T[j + 1]", "X[j] * 2.0 + X[j + 1] * 2.0", {-1, -1, 0, 1}));
  // Digits of a mixed radix, filled from the end.
  RULE_EQ("W-5", std::string(),
          through("for a in 0..3 { for b in 0..4 { T[4 * a + b] = X[4 * a + b] * 2.0 } }", "T[j]", "X[j] * 2.0",
                  {-1, -1, -1, 0, 1}));
  RULE_EQ("W-5", std::string(),
          through("for a in 0..20 { T[40 - a] = X[a] * 2.0 }", "T[40 - j]", "X[j] * 2.0", {-1, -1, 0, 1}));
  // Not all cells, the wrong one, filled afterwards.
  RULE_TRUE(
      "W-5",
      through("for i in 0..8 { T[i] = X[i] * 2.0 }", "T[j + 1]", "X[j + 1] * 2.0", {-1, -1, 0, 1}).find("W-10") == 0);
  RULE_TRUE("W-5",
            through("for i in 0..9 { T[i] = X[i] * 2.0 }", "T[j]", "X[j + 1] * 2.0", {-1, -1, 0, 1}).find("W-10") == 0);
  RULE_TRUE("W-5", judge(head + "for j in 0..8 { B[j] = X[j] * 2.0 }",
                         head + "temp T: f32[8] for j in 0..8 { B[j] = T[j] } for i in 0..8 { T[i] = X[i] * 2.0 }",
                         {0, 1, -1, -1})
                           .codes()
                           .find("W-10") == 0);
  // What it was computed from changes.
  const std::string change = "for k in 0..16 { A[k] = 0.0 } ";
  RULE_TRUE(
      "W-5",
      through("for i in 0..9 { T[i] = A[i] * 2.0 }", "T[j]", "A[j] * 2.0", {-1, -1, 0, 1, 2, 3}, change).find("W-10") ==
          0);
  RULE_EQ(
      "W-5", std::string(),
      through("for i in 20..30 { T[i] = A[i] * 2.0 }", "T[j + 20]", "A[j + 20] * 2.0", {-1, -1, 0, 1, 2, 3}, change));
  // Two statements fill it.
  RULE_EQ("W-5", std::string("CLAIM-1"),
          through("for i in 0..9 { T[i] = X[i] * 2.0 } T[40] = X[1] * 3.0", "T[j]", "X[j] * 2.0", {-1, -1, -1, 0, 1}));
  // What is computed in addition is right by itself.
  RULE_EQ("W-7", std::string("BND-1"),
          through("for i in 0..60 { T[i] = X[i + 9] * 2.0 }", "T[j]", "X[j + 9] * 2.0", {-1, -1, 0, 1}));
  RULE_EQ("W-7", std::string("DIV-1"),
          through("for i in 0..9 { T[i] = f32(floordiv(i32(7), K[i])) }", "T[j]", "f32(floordiv(i32(7), K[j]))",
                  {-1, -1, 0, 1}));
}

// What several statements store in T is computed on the spot.
std::string gone(const std::string& fill, const std::string& value, std::vector<int> sources) {
  return judge(head + "temp T: f32[64] " + fill + " for j in 0..8 { B[j] = T[j] }",
               head + "for j in 0..8 { B[j] = " + value + " }", sources)
      .codes();
}

TEST(Rewrite, SeveralStatementsThatFillACell) {
  const auto sum = [](const std::string& from, const std::string& n, const std::string& cell) {
    return "scope s: f32 { s = " + from + " for l in 0.." + n + " { s = s + Y[" + cell + "] } }";
  };
  const std::string run = "for i in 0..9 { T[i] = 1.0 for k in 0..5 { T[i] += Y[i, k] } }";
  const std::vector<int> claims = {4, 5, -1, -1, -1};
  RULE_EQ("W-14", std::string(), gone(run, sum("1.0", "5", "j, l"), claims));
  for (const std::string& wrong :
       {sum("0.0", "5", "j, l"), sum("1.0", "4", "j, l"), sum("1.0", "5", "j + 1, l"), sum("1.0", "5", "l, j"),
        std::string("scope s: f32 { s = 1.0 s = s + Y[j, 0] s = 1.0 }")})
    RULE_TRUE("W-14", !gone(run, wrong, claims).empty()) << wrong;
  // Not all cells, and statements that are no run.
  RULE_EQ("W-14", std::string("W-10"),
          gone("for i in 0..7 { T[i] = 1.0 for k in 0..5 { T[i] += Y[i, k] } }", sum("1.0", "5", "j, l"), claims));
  for (const char* apart : {"for i in 0..9 { T[i] = T[i] * 1.0 for k in 0..5 { T[i] += Y[i, k] } }",
                            "for i in 0..9 { T[i] = 1.0 for k in 0..5 { T[k] += Y[i, k] } }"})
    RULE_TRUE("W-14", !gone(apart, sum("1.0", "5", "j, l"), claims).empty()) << apart;
  // What stands in between sets what the first statement reads.
  const std::string between =
      head + "temp T: f32[64] for i in 0..9 { T[i] = A[i] A[i] = 2.0 T[i] += 1.0 } for j in 0..9 { B[j] = T[j] }";
  RULE_TRUE("W-14",
            !judge(between,
                   head + "for i in 0..9 { A[i] = 2.0 } for j in 0..9 { B[j] = scope s: f32 { s = A[j] s = s + 1.0 } }",
                   {0, 2, 4, 5, -1, -1})
                 .codes()
                 .empty());

  const std::string zeroed = "zero T for i in 0..64 { for k in 0..5 { T[i] += Y[i, k] } }";
  RULE_EQ("W-15", std::string(), gone(zeroed, sum("0.0", "5", "j, l"), claims));
  RULE_TRUE("W-15", !gone(zeroed, sum("-0.0", "5", "j, l"), claims).empty());
  RULE_TRUE("W-15", !gone("zero T for t in 0..2 { for i in 0..64 { T[i] += Y[i, t] } }",
                          "scope s: f32 { s = 0.0 s = s + Y[j, 1] }", {4, 5, -1, -1})
                         .empty());
  RULE_EQ("W-15", std::string(), gone("zero T", "0.0", {1, 2}));
  RULE_TRUE("W-15", !gone("zero T", "-0.0", {1, 2}).empty());
}

TEST(Rewrite, SumsOfIntegers) {
  const auto code = [](const std::string& before, const std::string& after) {
    const auto text = [&](const std::string& value) {
      return head + "inout I: i32[64] for i in 0..16 { I[i] = " + value + " }";
    };
    return judge(text(before), text(after), {0, 1}).codes();
  };
  RULE_EQ("W-16", std::string(), code("10 - (3 + I[i])", "7 - I[i]"));
  RULE_EQ("W-16", std::string(), code("2 * (3 * I[i]) - I[i + 1]", "I[i] * 6 - I[i + 1]"));
  RULE_EQ("W-16", std::string(), code("I[i] + I[i + 1] - I[i]", "I[i + 1]"));
  RULE_EQ("W-16", std::string(), code("2147483647 + I[i] + 1", "-2147483648 + I[i]"));
  for (const char* wrong : {"7 + I[i]", "I[i] - 7", "8 - I[i]", "7 - I[i + 1]", "7 - I[i] + (I[i + 1] - I[i + 1])"})
    RULE_TRUE("W-16", !code("10 - (3 + I[i])", wrong).empty()) << wrong;
}

TEST(Rewrite, ArmsOfOneCondition) {
  const auto code = [](const std::string& read) {
    const auto text = [&](const std::string& fill, const std::string& value) {
      return head + fill + "for j in 0..8 { if K[j] > 3 { A[j] = 1.0 } else { B[j] = " + value + " } }";
    };
    return judge(text("", "A[" + read + "] * 2.0"),
                 text("temp T: f32[64] for i in 0..8 { T[i] = A[" +
                          std::string(read == "j"       ? "i"
                                      : read == "j + 1" ? "i + 1"
                                                        : "0") +
                          "] * 2.0 } ",
                      "T[j]"),
                 {-1, -1, 0, 1, 2, 3})
        .codes();
  };
  RULE_EQ("W-17", std::string(), code("j"));
  RULE_EQ("W-17", std::string(), code("j + 1"));
  RULE_TRUE("W-17", !code("0").empty());
}

TEST(Rewrite, StatementsOfTheirOwnTouchNothingElse) {
  RULE_TRUE("W-6", !judge(head + "for j in 0..8 { B[j] = X[j] * 2.0 }",
                          head + "for j in 0..8 { var t: f32 = X[j] * 2.0 B[j] = t A[j] = t }", {0, -1, 1, -1})
                        .codes()
                        .empty());
  const auto launch = [&](const std::string& storage) {
    return judge(head + "for z in 0..9 { A[z] = 1.0 } launch for j in 0..8 { B[j] = X[j] * 2.0 }",
                 head + storage +
                     " T: f32[8] for z in 0..9 { A[z] = 1.0 } for i in 0..8 { T[i] = X[i] * 2.0 } launch for j in 0..8 "
                     "{ B[j] = T[j] }",
                 {0, 1, -1, -1, 2, 3, 4})
        .codes();
  };
  RULE_EQ("W-6", std::string(), launch("temp"));
  RULE_TRUE("W-6", !launch("local").empty());
  // Under a condition on data that the reader shares, and under one that it does not.
  const std::string shared = "for j in 0..8 { if K[j] > 3 { B[j] = X[j] * 2.0 + X[j] * 2.0 } }";
  RULE_EQ("W-5", std::string(),
          judge(head + shared, head + "for j in 0..8 { if K[j] > 3 { var t: f32 = X[j] * 2.0 B[j] = t + t } }",
                {0, 1, -1, 2})
              .codes());
}

// A variable has one instance for each iteration around its declaration: what one held is not what the next one holds.
TEST(Rewrite, VariablesOfOtherIterations) {
  const auto code = [](const std::string& value) {
    return judge(head +
                     "temp T: f32[16] for i in 0..16 { var v: f32 = X[i] T[i] = v * 2.0 if i > 0 { B[i] = T[i - 1] } }",
                 head + "for i in 0..16 { var v: f32 = X[i] if i > 0 { B[i] = " + value + " } }", {0, 1, 3, 4})
        .codes();
  };
  RULE_EQ("W-4", std::string("W-10"), code("v * 2.0"));
  const auto own = judge(head + "temp T: f32[16] for i in 0..16 { var v: f32 = X[i] T[i] = v * 2.0 B[i] = T[i] }",
                         head + "for i in 0..16 { var v: f32 = X[i] B[i] = v * 2.0 }", {0, 1, 3});
  RULE_EQ("W-4", std::string(), own.codes());
}

// T is filled by threads t and read by threads u: what `inline` makes of it.
std::string threads(const std::string& fill, const std::string& between, const std::string& read,
                    const std::string& value, std::vector<int> sources, const std::string& after = {}) {
  const std::string loop = "for t in 0..8 @workgroup { ";
  const std::string tile = "shared S: f32[8] local r: f32[1] ";
  return judge(head + tile + "temp T: f32[64] " + loop + fill + between + "B[t] = " + read + after + " }",
               head + tile + loop + between + "B[t] = " + value + after + " }", std::move(sources))
      .codes();
}

TEST(Rewrite, ThreadsComputeWhatOthersComputed) {
  // X does not change; A is written by the thread that has read it, behind the barrier.
  RULE_EQ("PLL-21", std::string(), threads("T[t] = X[t] * 2.0 ", "barrier ", "T[7 - t]", "X[7 - t] * 2.0", {0, 2, 3}));
  RULE_EQ("PLL-21", std::string("RACE-2"),
          threads("T[t] = A[t] * 2.0 ", "barrier ", "T[7 - t]", "A[7 - t] * 2.0", {0, 2, 3, 4}, " A[t] = 0.0"));
  RULE_EQ(
      "PLL-21", std::string(),
      threads("T[t] = A[t] * 2.0 ", "barrier ", "T[7 - t]", "A[7 - t] * 2.0", {0, 2, 3, 4, 5}, " barrier A[t] = 0.0"));
  RULE_TRUE("PLL-21",
            threads("T[t] = A[t] * 2.0 ", "barrier A[t] = 0.0 barrier ", "T[7 - t]", "A[7 - t] * 2.0", {0, 2, 3, 4, 5})
                    .find("W-10") == 0);
  // Groups in launches of their own.
  const auto groups = [&](const std::string& target) {
    return judge(head + "temp T: f32[8] for i in 0..8 @grid { T[i] = A[i] * 2.0 } launch for j in 0..8 @grid { " +
                     target + "[j] = T[7 - j] }",
                 head + "launch for j in 0..8 @grid { " + target + "[j] = A[7 - j] * 2.0 }", {2, 3, 4})
        .codes();
  };
  RULE_EQ("PLL-21", std::string(), groups("B"));
  RULE_EQ("PLL-21", std::string("RACE-1"), groups("A"));
  // Needs no other thread, and makes no race, but the barrier that all reached stands no more where all reach it.
  RULE_EQ("PLL-21", std::string("W-10 BAR-1"),
          judge(head + "for t in 0..8 @workgroup { for k in 0..4 { barrier A[t] = -(-X[t]) } }",
                head + "for t in 0..8 @workgroup { for k in 0..t { barrier A[t] = X[t] } }", {0, 1, 2, 3})
              .codes());
}

TEST(Rewrite, CopiesOfOtherThreads) {
  const std::string tile = "shared S: f32[8] local r: f32[1] ", loop = "for t in 0..8 @workgroup { ";
  const auto code = [&](const std::string& kept, const std::string& cell, const std::string& value) {
    return judge(head + tile + "temp T: f32[8] " + loop + kept + " = X[t] T[t] = " + kept + " * 2.0 barrier B[t] = T[" +
                     cell + "] }",
                 head + tile + loop + kept + " = X[t] barrier B[t] = " + value + " * 2.0 }", {0, 1, 3, 4})
        .codes();
  };
  // What a thread keeps for itself is not what another thread keeps; a tile is one for the group.
  RULE_EQ("PLL-22", std::string(), code("r[0]", "t", "r[0]"));
  RULE_EQ("PLL-22", std::string("W-10"), code("r[0]", "7 - t", "r[0]"));
  RULE_EQ("PLL-22", std::string(), code("S[t]", "7 - t", "S[7 - t]"));
  // A launch later there is no copy any more.
  const auto later = [&](const std::string& kept, const std::string& again) {
    return judge(head + tile + "temp T: f32[8] " + loop + kept + " = X[t] T[t] = " + kept +
                     " * 2.0 } launch for u in 0..8 @workgroup { B[u] = T[u] }",
                 head + tile + loop + kept + " = X[t] } launch for u in 0..8 @workgroup { B[u] = " + again + " * 2.0 }",
                 {0, 1, 3, 4, 5})
        .codes();
  };
  RULE_EQ("PLL-22", std::string("W-10"), later("r[0]", "r[0]"));
  RULE_EQ("PLL-22", std::string("W-10"), later("S[t]", "S[u]"));
  RULE_EQ("PLL-22", std::string(), later("A[t]", "A[u]"));
}

}  // namespace
}  // namespace assay
