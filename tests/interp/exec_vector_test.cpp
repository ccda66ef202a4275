// Vectorized loops: lanes load before they store, whatever stands inside.
#include "exec_support.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;

TEST(ExecVector, AllLanesLoadThenAllStore) {
  // A lane that reads what an earlier lane stores sees the old value, within a statement; not across statements.
  const TensorMap x{{"X", row(Type::i32, {1, 2, 3, 4, 5})}};
  RULE_EQ("EXEC-20", (Values{1, 1, 2, 3, 4}),
          output(run_text("program p { inout X: i32[5]  for v in 1..5 @vectorized { X[v] = X[v - 1] } }", x), "X"));
  RULE_EQ("EXEC-20", (Values{1, 1, 1, 1, 1}),
          output(run_text("program p { inout X: i32[5]  for v in 1..5 { X[v] = X[v - 1] } }", x), "X"));
  RULE_EQ("EXEC-20", (Values{9, 9, 9, 9, 9}),
          output(run_text("program p { inout X: i32[5]  for v in 0..5 @vectorized { X[v] = 9  X[4 - v] = X[v] } }", x),
                 "X"));
  // Reversal in place needs one load before any store.
  RULE_EQ("EXEC-20", (Values{5, 4, 3, 2, 1}),
          output(run_text("program p { inout X: i32[5]  for v in 0..5 @vectorized { X[v] = X[4 - v] } }", x), "X"));
  RULE_EQ("EXEC-20", (Values{1, 2, 3, 4, 5}),
          output(run_text("program p { inout X: i32[5]  for v in 3..3 @vectorized { X[v] = 0 } }", x), "X"));
}

TEST(ExecVector, StepsAndLowerBounds) {
  const auto o = run_text("program p { output C: i32[8]  zero C  for v in 1..8 step 3 @vectorized { C[v] = i32(v) } }");
  RULE_EQ("EXEC-20", (Values{0, 1, 0, 0, 4, 0, 0, 7}), output(o, "C"));
}

TEST(ExecVector, VariablesArePerLane) {
  const auto o = run_text(R"(program p { input A: i32[4]  output C: i32[4]
    for v in 0..4 @vectorized {
      var s: i32 = A[v]
      s = s * 10
      var t: i32
      if v > 1 { t = s } else { t = -s }
      C[v] = s + t
    } })",
                          {{"A", row(Type::i32, {1, 2, 3, 4})}});
  RULE_EQ("EXEC-21", (Values{0, 0, 60, 80}), output(o, "C"));
  const auto undefined = run_text(R"(program p { output C: i32[4]
    for v in 0..4 @vectorized { var t: i32
      if v != 2 { t = 1 }
      C[v] = t } })");
  RULE_EQ("RUN-2", std::string("RUN-2 statement 4 line 4 v=2 t"), describe(undefined));
}

TEST(ExecVector, BothArmsRunOneAfterTheOther) {
  // The first arm stores to what the second reads, and the condition was evaluated by every lane before.
  const auto o = run_text(R"(program p { inout X: i32[4]
    for v in 0..4 @vectorized {
      if X[v] > 0 { X[3 - v] = 0 - X[v] } else { X[v] = X[v] * 100 }
    } })",
                          {{"X", row(Type::i32, {1, 2, -3, -4})}});
  RULE_EQ("EXEC-22", (Values{1, 2, -200, -100}), output(o, "X"));
  const auto order = run_text(R"(program p { output C: i32[1]
    zero C
    for v in 0..2 @vectorized { if v == 1 { C[0] = C[0] * 10 + 1 } else { C[0] = C[0] * 10 + 2 } } })");
  RULE_EQ("EXEC-22", (Values{12}), output(order, "C"));
}

TEST(ExecVector, SerialLoopsRunByIterationNumber) {
  // Lane v has v + 1 iterations from 2·v on.
  const auto o = run_text(R"(program p { output C: i32[3]  output turn: i32[3]  inout X: i32[1]
    zero C  zero turn
    for v in 0..3 @vectorized {
      for k in 2*v..3*v + 1 {
        C[v] = C[v] * 10 + i32(k)
        turn[v] += 1
      }
    } })",
                          {{"X", row(Type::i32, {0})}});
  RULE_EQ("EXEC-23", (Values{0, 23, 456}), output(o, "C"));
  RULE_EQ("EXEC-23", (Values{1, 2, 3}), output(o, "turn"));
  // Lanes meet in iteration k: lane 1 reads in its iteration k what lane 0 stored in its iteration k − 1.
  const auto meet = run_text(R"(program p { output S: i32[8]  output C: i32[8]
    zero S  zero C
    for v in 0..2 @vectorized {
      for k in 4*v..4*v + 3 {
        S[k] = i32(k) + 1
        C[k] = S[max(0, k - 4)]
      }
    } })");
  RULE_EQ("EXEC-23", (Values{1, 1, 1, 0, 1, 2, 3, 0}), output(meet, "C"));
  // The same within one statement: the load of lane 1 precedes the store of lane 0.
  const auto shift = run_text(R"(program p { inout X: i32[6]
    for v in 0..2 @vectorized { for k in v..v + 4 { X[k + 1] = X[k] } } })",
                              {{"X", row(Type::i32, {1, 2, 3, 4, 5, 6})}});
  RULE_EQ("EXEC-23", (Values{1, 1, 1, 1, 1, 2}), output(shift, "X"));
}

TEST(ExecVector, LanesThatHaveDroppedOutDoNothing) {
  const auto o = run_text(R"(program p { output n: i32[4]
    zero n
    for v in 0..4 @vectorized { for k in 0..3 - v { if k < 2 { n[v] += 1 } else { n[v] += 10 } } } })");
  RULE_EQ("EXEC-23", (Values{12, 2, 1, 0}), output(o, "n"));
}

TEST(ExecVector, NestedLanesMultiply) {
  const TensorMap x{{"X", row(Type::i32, {1, 2, 3, 4, 5, 6})}};
  RULE_EQ("EXEC-24", (Values{6, 5, 4, 3, 2, 1}),
          output(run_text(R"(program p { inout X: i32[6]
    for v in 0..2 @vectorized { for w in 0..3 @vectorized { X[3*v + w] = X[5 - 3*v - w] } } })",
                          x),
                 "X"));
  // A variable of the outer lane is shared by its inner lanes; the outer lanes have their own.
  RULE_EQ("EXEC-24", (Values{10, 11, 20, 21}),
          output(run_text(R"(program p { output C: i32[4]
    for v in 0..2 @vectorized { var s: i32 = 10 * i32(v + 1)  for w in 0..2 @vectorized { var t: i32 = i32(w)  C[2*v + w] = s + t } } })"),
                 "C"));
  RULE_EQ("EXEC-24", (Values{1, 1, 1, 0, 0, 1, 0, 0, 0}),
          output(run_text(R"(program p { output C: i32[3, 3]
    zero C  for v in 0..3 @vectorized { for w in 2*v..3 @vectorized { if w < 3 { C[v, w] = 1 } } } })"),
                 "C"));
}

TEST(ExecVector, ScopesRunLaneByLane) {
  // Both lanes load X[0] in the scope before either stores.
  const auto o = run_text(R"(program p { inout X: i32[2]
    for v in 0..2 @vectorized {
      X[v] = scope s: i32 { s = 0  for k in 0..2 { s = s * 10 + X[k] } } + i32(v)
    } })",
                          {{"X", row(Type::i32, {3, 4})}});
  RULE_EQ("EXEC-25", (Values{34, 35}), output(o, "X"));
}

TEST(ExecVector, TwoLanesStoringOneCell) {
  const TensorMap v4{{"V", row(Type::i32, {1, 1, 1, 1})}};
  RULE_EQ(
      "RUN-7", std::string("RUN-7 statement 1 line 1 k=1 o[0]"),
      describe(run_text("program p { input V: i32[4]  inout o: i32[1]  for k in 0..4 @vectorized { o[0] += V[k] } }",
                        {{"V", row(Type::i32, {1, 1, 1, 1})}, {"o", row(Type::i32, {0})}})));
  // Equal values are no excuse, and the later lane is named; its partner need not be its neighbour.
  RULE_EQ("RUN-7", std::string("RUN-7 statement 2 line 2 k=3 C[1]"), describe(run_text(R"(program p { output C: i32[4]
    zero C  for k in 0..6 @vectorized { C[floormod(k + 1, 3)] = 5 } })")));
  RULE_EQ(
      "RUN-7", std::string("RUN-7 statement 2 line 1 v=1 w=0 C[1]"),
      describe(run_text(
          "program p { output C: i32[4]  for v in 0..2 @vectorized { for w in 0..2 @vectorized { C[v + w] = 5 } } }")));
  // Variables outside the lanes have one copy; those inside have not.
  RULE_EQ("RUN-7", std::string("RUN-7 statement 2 line 1 v=1 s"),
          describe(run_text(
              "program p { output C: i32[1]  var s: i32 = 0  for v in 0..2 @vectorized { s = s + 1 }  C[0] = s }")));
  RULE_EQ("RUN-7", std::string("RUN-7 statement 3 line 1 v=0 w=1 s"),
          describe(run_text(
              "program p { for v in 0..2 @vectorized { var s: i32 = 0  for w in 0..2 @vectorized { s = 1 } } }")));
  RULE_EQ("RUN-7", std::string("RUN-7 statement 2 line 1 v=1 C[0]"),
          describe(run_text("program p { output C: i32[4]  zero C  for v in 0..2 @vectorized { zero C } }")));
  // One active lane stores alone, and different instances do not meet.
  RULE_EQ("RUN-7", (Values{3}),
          output(run_text("program p { output C: i32[1]  var s: i32 = 0  for v in 0..4 @vectorized { if v == 3 { s = "
                          "i32(v) } }  C[0] = s }"),
                 "C"));
  RULE_EQ("RUN-7", (Values{2, 2, 7}),
          output(run_text(R"(program p { output C: i32[3]  zero C
    for v in 0..2 @vectorized { if v == 0 { C[2] = 6 } else { C[2] = 7 }  for k in 0..2 { C[floormod(k + v, 2)] += 1 } } })"),
                 "C"));
}

}  // namespace
}  // namespace assay::test
