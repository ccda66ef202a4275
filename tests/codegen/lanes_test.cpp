// @vectorized and @grid loops in compiled code against values worked out by hand.
#include "support.hpp"

namespace assay::codegen::test {
namespace {

using V = std::vector<double>;

TEST(Lanes, AllLoadThenAllStore) {
  // A shift by one within one statement: serially every cell would become A[0].
  const TensorMap a{{"A", tensor(Type::i32, {1, 2, 3, 4, 5})}};
  RULE_EQ("CGEN-11", (V{1, 1, 2, 3, 4}),
          run_text("program p { inout A: i32[5] for i in 0..4 @vectorized { A[i + 1] = A[i] } }", "A", a));
  RULE_EQ("CGEN-11", (V{1, 1, 1, 1, 1}),
          run_text("program p { inout A: i32[5] for i in 0..4 { A[i + 1] = A[i] } }", "A", a));
  // The dynamic index of the store is evaluated before any lane stores.
  RULE_EQ("CGEN-11", (V{1, 2, 3, 0, 0}),
          run_text("program p { inout A: i32[5] for i in 0..3 @vectorized { A[floormod(A[i], 5)] = A[i] } A[0] = 1 "
                   "A[4] = 0 A[3] = 0 A[2] = 3 A[1] = 2 }",
                   "A", a));
  // Symbolic and large numbers of lanes, steps and lower bounds.
  V expected(3000, 0.0);
  for (int i = 2; i < 3000; i += 7) expected[static_cast<std::size_t>(i)] = i + 0.5;
  RULE_EQ(
      "CGEN-11", expected,
      run_text(
          R"(program p { param n in 1..4000 output C: f32[n] zero C for i in 2..n step 7 @vectorized { var s: f32 = 0.5  s = s + f32(i)  C[i] = s } })",
          "C", {}, {{"n", 3000}}));
  RULE_EQ("CGEN-11", (V{0, 0}),
          run_text("program p { param n in 0..9 output C: i32[2] zero C for i in 5..n @vectorized { C[floordiv(1, "
                   "i32(n))] = 1 } }",
                   "C", {}, {{"n", 0}}));
}

TEST(Lanes, VariablesArePerLane) {
  RULE_EQ("CGEN-11", (V{0, 1, 4, 9}),
          run_text(R"(program p { output C: i32[4]
      for i in 0..4 @vectorized { var s: i32 = 0  for k in 0..4 { if k < 3 { s = s + i32(i) } }  var q: i32  q = 0  for k in 0..i { q = q + i32(i) }  C[i] = s * 0 + q } })",
                   "C"));
  // One active lane may assign a variable from outside.
  RULE_EQ("CGEN-11", (V{12}),
          run_text("program p { output C: i32[1] var s: i32 = 5 for i in 0..4 @vectorized { if i == 2 { s = s + 7 } } "
                   "C[0] = s }",
                   "C"));
}

TEST(Lanes, BranchesDecideForAllLanesFirst) {
  // The first arm clears what the condition of other lanes read.
  const TensorMap a{{"A", tensor(Type::i32, {1, 1, 0, 1})}};
  RULE_EQ("CGEN-12", (V{9, 9, 5, 9}),
          run_text(R"(program p { inout A: i32[4]
      for i in 0..4 @vectorized { if A[floormod(i, 4)] == 1 { A[i] = 0  A[i] = 9 } else { A[i] = A[i] + 5 } } })",
                   "A", a));
  // Divisions in inactive lanes, nested branches, else branches.
  RULE_EQ("CGEN-12", (V{-1, 12, 6, 4, 3}),
          run_text(R"(program p { output C: i32[5]
      for i in 0..5 @vectorized { if i == 0 { C[i] = -1 } else { if floordiv(12, i32(i)) > 100 { C[i] = floordiv(1, i32(0) * i32(i)) } else { C[i] = floordiv(12, i32(i)) } } } })",
                   "C"));
  // A uniform condition, and one that no lane meets: then not even what is uniform below it is evaluated.
  RULE_EQ("CGEN-12", (V{2, 2}),
          run_text(R"(program p { param n in 0..9 input A: i32[2] output C: i32[2] for i in 0..2 @vectorized { C[i] = 1
      if n > 3 { C[i] = 2 } else { C[i] = 3 }
      if A[i] > 7 { if A[n * 1000000000] > 0 { C[i] = 4 } } } })",
                   "C", {{"A", tensor(Type::i32, {1, 1})}}, {{"n", 5}}));
}

TEST(Lanes, SerialLoopsRunByIterationCount) {
  // In iteration t lane i is at k = i + t: lane 1 reads in iteration 0 what lane 0 writes in iteration 0 only afterwards.
  RULE_EQ("CGEN-13", (V{0, 1, 2, 3, 0, 0}),
          run_text(R"(program p { output C: i32[6] zero C
      for i in 0..2 @vectorized { for k in i * 2..i * 2 + 2 { C[k] = i32(k) } } })",
                   "C"));
  // Lane i starts at i and logs the iteration in which it reaches its own end.
  RULE_EQ("CGEN-13", (V{4, 3, 2, 1}),
          run_text(R"(program p { output C: i32[4]
      for i in 0..4 @vectorized { var t: i32 = 0  for k in i..4 { t = t + 1 }  C[i] = t } })",
                   "C"));
  // Lanes that an `if` left out do not run, whatever their bounds.
  RULE_EQ("CGEN-13", (V{0, 3, 0, 1}),
          run_text(R"(program p { output C: i32[4] zero C
      for i in 0..4 @vectorized { if floormod(i, 2) == 1 { for k in i..4 { C[i] = C[i] + 1 } } } })",
                   "C"));
  // All lanes of one iteration load before they store: a wavefront over one buffer.
  RULE_EQ("CGEN-13", (V{1, 1, 1, 1, 2, 2}),
          run_text(R"(program p { inout A: i32[6]
      for i in 0..2 @vectorized { for k in i..i + 4 step 2 { A[k + 1] = A[k] } } })",
                   "A", {{"A", tensor(Type::i32, {1, 1, 1, 2, 3, 2})}}));
}

TEST(Lanes, NestedLoopsMultiplyLanes) {
  RULE_EQ("CGEN-13", (V{0, 1, 2, 10, 11, 12, 20, 21, 22}),
          run_text(R"(program p { output C: i32[3, 3]
      for i in 0..3 @vectorized { for j in 0..3 @vectorized { C[i, j] = 10 * i32(i) + i32(j) } } })",
                   "C"));
  // A transposition in place is right only when all pairs load first; triangular inner bounds; inactive outer lanes.
  RULE_EQ("CGEN-13", (V{1, 4, 7, 2, 5, 8, 3, 6, 9}),
          run_text(R"(program p { inout C: i32[3, 3]
      for i in 0..3 @vectorized { for j in 0..3 @vectorized { C[i, j] = C[j, i] } } })",
                   "C", {{"C", [] {
                            Tensor t(Type::i32, {3, 3});
                            for (int i = 0; i < 9; ++i) t.set(i, wrap_int(Type::i32, i + 1));
                            return t;
                          }()}}));
  RULE_EQ("CGEN-13", (V{0, 0, 0, 0, 11, 0, 0, 21, 22}),
          run_text(R"(program p { output C: i32[3, 3] zero C
      for i in 0..3 @vectorized { var s: i32 = i32(i) * 10  if i > 0 { for j in 1..i + 1 @vectorized { var q: i32 = s + i32(j)  if q > 0 { C[i, j] = q } } } } })",
                   "C"));
}

TEST(Lanes, ScopesRunLaneByLane) {
  RULE_EQ("CGEN-11", (V{0, 3, 6, 9}),
          run_text(R"(program p { output C: i32[4]
      for i in 0..4 @vectorized { var w: i32 = i32(i)
        C[i] = scope x: i32 { x = 0  for k in 0..3 { x = x + w }  for z in 0..1 @vectorized { x = x + i32(z) } } } })",
                   "C"));
}

TEST(Grid, RunsInPlaceInOrder) {
  RULE_EQ("CGEN-14", (V{0, 1, 2, 10, 11, 12}),
          run_text(R"(program p { output C: i32[2, 3] local r: i32[1]
      for i in 0..2 @grid { for j in 0..3 @grid { r[0] = 10 * i32(i)  C[i, j] = r[0] + i32(j) } } })",
                   "C"));
}

TEST(Grid, LaunchesRunOneAfterTheOther) {
  // The second launch has groups of its own; the first statement runs once.
  RULE_EQ("CGEN-40", (V{5, 4, 3, 2, 1, 0}),
          run_text(R"(program p { output C: i32[6] temp T: i32[6] output S: i32[1] S[0] = 7 launch
      for i in 0..6 @grid { T[i] = i32(i) } launch for j in 0..6 @grid { C[j] = T[5 - j] } })",
                   "C"));
  // Local copies per group in one launch, none in the other.
  RULE_EQ("CGEN-40", (V{0, 1, 4, 9}),
          run_text(R"(program p { output C: i32[4] local r: i32[1] var v: i32 = 7  r[0] = v  C[3] = r[0] launch
      for i in 0..4 @grid { r[0] = i32(i) * i32(i) }  for j in 0..4 @grid { C[j] = r[0] } })",
                   "C"));
}

TEST(Grid, LocalsThatLiveAcrossTheLaunchGetOneCopyPerGroup) {
  // Written in one nest, read in a sibling nest by the same group.
  RULE_EQ("CGEN-14", (V{0, 1, 4, 9}),
          run_text(R"(program p { output C: i32[4] local r: i32[1]
      for i in 0..4 @grid { r[0] = i32(i) * i32(i) }  for j in 0..4 @grid { C[j] = r[0] } })",
                   "C"));
  // Carried by a group over a serial loop around the grid loop.
  RULE_EQ("CGEN-14", (V{0, 3, 6}),
          run_text(R"(program p { output C: i32[3] local r: i32[1] r[0] = 0
      for t in 0..3 { for i in 0..3 @grid { r[0] = r[0] + i32(i)  C[i] = r[0] } } })",
                   "C"));
  // Different trip counts guard; the extent is the maximum over the enclosing loop's values; slots by nesting.
  RULE_EQ("CGEN-14", (V{0, 1, 2, 103, 104}),
          run_text(R"(program p { param n in 1..9 output C: i32[n] local r: i32[1]
      r[0] = 0  for t in 0..2 { for i in 0..1 + 4 * t @grid { r[0] = i32(i) + i32(t) * 0 } }
      for j in 0..3 @grid { C[j] = r[0] }  for j in 3..n @grid { r[0] = 100 + i32(j)  C[j] = r[0] } })",
                   "C", {}, {{"n", 5}}));
  RULE_EQ("CGEN-14", (V{0, 1, 10, 11, 20, 21}),
          run_text(R"(program p { output C: i32[3, 2] local r: i32[2]
      for i in 0..3 step 1 @grid { r[0] = 7  for j in 0..2 @grid { r[1] = 10 * i32(i) + i32(j) } }
      for i in 2..8 step 2 @grid { for j in 0..2 @grid { C[floordiv(i, 2) - 1, j] = r[1] } } })",
                   "C"));
}

}  // namespace
}  // namespace assay::codegen::test
