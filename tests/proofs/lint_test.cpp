// Obligations of programs by themselves: each kind proved on a right program and refuted on its wrong twin.
#include <gtest/gtest.h>

#include "proofs/isl/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Status = Obligation::Status;

// The code of the first obligation that is not proved; empty when all are.
std::string lint(const std::string& text) {
  const auto query = make_isl_query();
  for (const Obligation& o : lint_obligations(test::program(text), *query)) {
    if (o.status != Status::proved) return o.code;
  }
  return {};
}

TEST(LintObligations, bounds) {
  RULE_EQ("PRF-20", std::string(), lint("program p { param n in 1..50 inout A: f32[n] for i in 0..n { A[i] = 0.0 } }"));
  RULE_EQ("BND-1", std::string("BND-1"),
          lint("program p { param n in 1..50 inout A: f32[n] for i in 0..n { A[i + 1] = 0.0 } }"));
  RULE_EQ("BND-1", std::string("BND-1"), lint("program p { inout A: f32[5] for i in 0..5 { A[i - 1] = 0.0 } }"));
  RULE_EQ("PRF-20", std::string(), lint("program p { inout A: f32[5] for i in 0..9 { if i < 5 { A[i] = 0.0 } } }"));
  RULE_EQ(
      "PRF-20", std::string(),
      lint("program p { input A: f32[5] output B: f32[7] for i in 0..7 { B[i] = i > 0 && i < 6 ? A[i - 1] : 0.0 } }"));
  RULE_EQ("PRF-20", std::string(),
          lint("program p { param n in 1..50 require floormod(n, 4) == 0 inout A: f32[n] for i in 0..floordiv(n, 4) { "
               "A[4 * i + 3] = 0.0 } }"));
  RULE_EQ("BND-1", std::string("BND-1"),
          lint("program p { param n in 1..50 inout A: f32[n] for i in 0..ceildiv(n, 4) { A[4 * i + 3] = 0.0 } }"));
}

TEST(LintObligations, variables_that_are_set_once) {
  const auto in = [](const std::string& body) {
    return lint("program p { param n in 1..9 input c: i32[8] in 0..8 inout A: f32[8] inout J: i32[8] for i in 0..8 { " +
                body + " } }");
  };
  RULE_EQ("PRF-118", std::string(), in("var k: i32 = 7 - i32(i) A[k] = 0.0"));
  RULE_EQ("PRF-118", std::string("BND-1"), in("var k: i32 = 8 - i32(i) A[k] = 0.0"));
  RULE_EQ("PRF-118", std::string(), in("var k: i32 = c[i] var m: i32 = 7 - k A[m] = A[c[m]]"));
  RULE_EQ("PRF-118", std::string(), in("var inside: bool = i < n && i > 2 if inside { A[i - 3] = 0.0 }"));
  RULE_EQ("PRF-118", std::string(),
          in("for j in 0..n { var k: i32 = c[i] if k > 0 { var m: i32 = k - 1 A[m] = 0.0 } }"));
  // Set again, or to what may change.
  RULE_EQ("PRF-118", std::string("BND-2"), in("var k: i32 = c[i] k = k + 1 A[k] = 0.0"));
  RULE_EQ("PRF-118", std::string("BND-2"), in("var k: i32 = J[i] A[k] = 0.0"));
  RULE_EQ("PRF-118", std::string("BND-2"), in("var k: i32 = floormod(J[i], 9) J[i] = 9 A[k] = 0.0"));
  // Variables of variables stop at 64 operations.
  std::string doubled = "var v0: i32 = i32(i) ";
  for (int k = 1; k < 40; ++k)
    doubled += "var v" + std::to_string(k) + ": i32 = v" + std::to_string(k - 1) + " + v" + std::to_string(k - 1) + " ";
  RULE_EQ("PRF-118", std::string("BND-2"), in(doubled + "A[v39] = 0.0"));
}

TEST(LintObligations, elements_of_constants) {
  const auto scatter = [](const std::string& table, const std::string& store) {
    return lint("program p { const P: i32[8] = " + table + " output Y: f32[8] for t in 0..8 @workgroup { " + store +
                " } }");
  };
  RULE_EQ("PRF-119", std::string(), scatter("{0, 4, 2, 6, 1, 5, 3, 7}", "Y[P[t]] = 1.0"));
  RULE_EQ("PRF-119", std::string(), scatter("{0, 4, 2, 6, 1, 5, 3, 7}", "Y[P[P[t]]] = 1.0"));
  RULE_EQ("PRF-119", std::string("DEF-2"), scatter("{0, 4, 2, 6, 1, 5, 3, 3}", "Y[P[t]] = 1.0"));
  RULE_EQ("PRF-119", std::string("BND-1"), scatter("{0, 4, 2, 6, 1, 5, 3, 8}", "Y[P[t]] = 1.0"));
  const auto rows = [](const std::string& store) {
    return lint("program p { const P: i16[2, 4] = {3, 2, 1, 0, 4, 6, 5, 7} output Y: f32[8] for t in 0..8 @grid { " +
                store + " } }");
  };
  RULE_EQ("PRF-119", std::string(), rows("Y[P[floordiv(t, 4), floormod(t, 4)]] = 1.0"));
  RULE_EQ("PRF-119", std::string("DEF-2"), rows("Y[P[floormod(t, 2), floormod(t, 4)]] = 1.0"));
}

// What is read may have been written, by a store that depends on data: not refuted, whether or not it is always so.
TEST(LintObligations, perhaps_written) {
  const std::string head = "program p { input c: i32[8] in 0..8 input x: f32[8] output y: f32[8] temp s: f32[9] ";
  const std::string read = " for j in 0..8 { y[j] = s[j] } }";
  RULE_EQ("PRF-21", std::string("DEF-3"),
          lint(head + "for i in 0..8 { if c[0] == 1 { s[i] = x[i] } else { s[7 - i] = x[i] } }" + read));
  RULE_EQ("PRF-21", std::string("DEF-3"),
          lint(head + "for i in 0..8 { if c[0] == 1 { s[i] = x[i] } } for k in 0..8 { if c[0] != 1 { s[k] = x[k] } }" +
               read));
  RULE_EQ("PRF-21", std::string("DEF-3"), lint(head + "for i in 0..8 { s[c[i]] = x[i] }" + read));
  // No store of any kind comes before, or none of this cell.
  RULE_EQ("PRF-21", std::string("DEF-1"),
          lint(head + "for j in 0..8 { y[j] = s[j] } for i in 0..8 { if c[0] == 1 { s[i] = x[i] } } }"));
  RULE_EQ("PRF-21", std::string("DEF-1"), lint(head + "for i in 0..8 { if c[0] == 1 { s[i + 1] = x[i] } }" + read));
}

TEST(LintObligations, stores_under_conditions_of_the_same_text) {
  const std::string head = "program p { input A: f32[8] input B: i32[9] temp T: f32[8] output O: f32[8] ";
  // The same condition twice, in another loop, and as the condition of a choice.
  RULE_EQ("PRF-21", std::string(),
          lint(head + "for i in 0..8 { O[i] = 0.0 if A[i] < 0.0 { T[i] = 1.0 } if A[i] < 0.0 { O[i] = T[i] } } }"));
  RULE_EQ("PRF-21", std::string(),
          lint(head + "for i in 0..8 { if A[i] < 0.0 { T[i] = 1.0 } } for j in 0..8 { O[j] = 0.0 if A[j] < 0.0 { O[j] "
                      "= T[j] } } }"));
  RULE_EQ("PRF-21", std::string(),
          lint(head + "for i in 0..8 { if B[i] < 0 { T[i] = 1.0 } O[i] = B[i] < 0 ? T[i] : 0.0 } }"));
  RULE_EQ("PRF-21", std::string(),
          lint(head + "for i in 0..8 { if B[i] < 0 { } else { T[i] = 1.0 } O[i] = B[i] < 0 ? 0.0 : T[i] } }"));
  // Another cell of the condition, the other arm, another constant, and a condition on what is stored in between.
  RULE_EQ("PRF-21", std::string("DEF-3"),
          lint(head + "for i in 0..8 { O[i] = 0.0 if B[i + 1] < 0 { T[i] = 1.0 } if B[i] < 0 { O[i] = T[i] } } }"));
  RULE_EQ("PRF-21", std::string("DEF-3"),
          lint(head + "for i in 0..8 { if B[i] < 0 { T[i] = 1.0 } O[i] = B[i] < 0 ? 0.0 : T[i] } }"));
  RULE_EQ("PRF-21", std::string("DEF-3"),
          lint(head + "for i in 0..8 { if B[i] < 1 { T[i] = 1.0 } O[i] = B[i] < 0 ? T[i] : 0.0 } }"));
  RULE_EQ(
      "PRF-21", std::string("DEF-3"),
      lint(head +
           "for i in 0..8 { O[i] = A[i] if O[i] < 0.0 { T[i] = 1.0 } O[i] = -1.0 if O[i] < 0.0 { O[i] = T[i] } } }"));
}

// Whatever the condition is made of: its parts say no more than the whole in the arm where it holds.
TEST(LintObligations, both_arms_of_mixed_conditions) {
  const std::string head = "program p { param n in 1..9 input A: f32[8] input c: i32[8] output Y: f32[8] ";
  const auto arms = [&](const std::string& condition, const std::string& before = "") {
    return lint(head + "for i in 0..8 { " + before + " if " + condition + " { Y[i] = 1.0 } else { Y[i] = 2.0 } } }");
  };
  for (const char* condition :
       {"i < 3 && A[i] > 0.0", "A[i] > 0.0 && i < 3", "i < 3 || A[i] > 0.0", "!(i < n && A[i] > 0.0)",
        "i < n && (c[i] == 2 || i > 5) && A[i] > 0.0", "i32(i) * i32(i) < 9 && c[i] > 0"})
    RULE_TRUE("PRF-21", arms(condition).empty()) << condition;
  RULE_EQ("PRF-21", std::string(), arms("i < n && v > 0.0", "var v: f32 = A[i]"));
  const auto nested = [&](const std::string& a, const std::string& b, const std::string& c) {
    return lint(head + "for i in 0..8 { if i < n && A[i] > 0.0 { if c[i] > 1 || i > 2 { " + a + " } else { " + b +
                " } } else { if i > 4 { Y[i] = 3.0 } else { if c[i] < 0 && i < 2 { " + c +
                " } else { Y[i] = 4.0 } } } } }");
  };
  RULE_EQ("PRF-21", std::string(), nested("Y[i] = 1.0", "Y[i] = 2.0", "Y[i] = 5.0"));
  // A store is missing in an arm, or goes to another cell, or stands under a further condition there.
  RULE_EQ("PRF-21", std::string("DEF-4"), nested("Y[i] = 1.0", "", "Y[i] = 5.0"));
  RULE_EQ("PRF-21", std::string("DEF-4"), nested("Y[i] = 1.0", "Y[i] = 2.0", ""));
  RULE_EQ("PRF-21", std::string("DEF-4"), nested("Y[i] = 1.0", "Y[7 - i] = 2.0", "Y[i] = 5.0"));
  RULE_EQ("PRF-21", std::string("DEF-4"), nested("if i < 3 { Y[i] = 1.0 }", "Y[i] = 2.0", "Y[i] = 5.0"));
  RULE_EQ("PRF-21", std::string("DEF-4"),
          lint(head + "for i in 0..8 { if i < 3 && A[i] > 0.0 { if i < 2 { Y[i] = 1.0 } } else { Y[i] = 2.0 } } }"));
}

TEST(LintObligations, conditions_and_their_negations) {
  const std::string head = "program p { input c: bool[9] input d: i32[8] output Y: f32[8] temp T: bool[9] ";
  RULE_EQ("PRF-21", std::string(), lint(head + "for i in 0..8 { if c[i] { Y[i] = 1.0 } if !c[i] { Y[i] = 2.0 } } }"));
  RULE_EQ("PRF-21", std::string(),
          lint(head + "for i in 0..8 { if c[i] { Y[i] = 1.0 } } for j in 0..8 { if c[j] { } else { Y[j] = 2.0 } } }"));
  RULE_EQ("PRF-21", std::string(),
          lint(head + "for i in 0..8 { if c[i] && d[i] < 3 { Y[i] = 1.0 } if !c[i] { Y[i] = 2.0 } if c[i] && !(d[i] < "
                      "3) { Y[i] = 3.0 } } }"));
  // Another cell of the condition, the same arm twice, one of the two for some iterations, and a condition that is stored.
  RULE_EQ("PRF-21", std::string("DEF-4"),
          lint(head + "for i in 0..8 { if c[i] { Y[i] = 1.0 } if !c[i + 1] { Y[i] = 2.0 } } }"));
  RULE_EQ("PRF-21", std::string("DEF-4"),
          lint(head + "for i in 0..8 { if c[i] { Y[i] = 1.0 } if c[i] { Y[i] = 2.0 } } }"));
  RULE_EQ("PRF-21", std::string("DEF-4"),
          lint(head + "for i in 0..8 { if c[i] { Y[i] = 1.0 } if i < 4 { if !c[i] { Y[i] = 2.0 } } } }"));
  RULE_EQ(
      "PRF-21", std::string("DEF-4"),
      lint(head + "for i in 0..8 { T[i] = c[i] if T[i] { Y[i] = 1.0 } T[i] = c[i + 1] if !T[i] { Y[i] = 2.0 } } }"));
}

TEST(LintObligations, straight_line_stores_are_one_box) {
  const auto stores = [](int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += "O[" + std::to_string(i / 10) + ", " + std::to_string(i % 10) + "] = 1.0 ";
    return text;
  };
  RULE_EQ("PRF-22", std::string(), lint("program p { output O: f32[30, 10] " + stores(0, 300) + "}"));
  RULE_EQ("PRF-22", std::string("DEF-2"),
          lint("program p { output O: f32[30, 10] " + stores(0, 123) + stores(124, 300) + "}"));
  RULE_EQ("PRF-21", std::string(),
          lint("program p { temp O: f32[30, 10] output y: f32[30] " + stores(0, 300) +
               "for i in 0..30 { y[i] = O[i, floormod(i, 10)] } }"));
  RULE_EQ("PRF-21", std::string("DEF-1"),
          lint("program p { temp O: f32[30, 10] output y: f32[30] " + stores(0, 55) + stores(56, 300) +
               "for i in 0..30 { y[i] = O[i, floormod(i, 10)] } }"));
  // A later store does not count, whatever its cell.
  RULE_EQ("PRF-21", std::string("DEF-1"),
          lint("program p { temp O: f32[30, 10] output y: f32[30] " + stores(0, 290) +
               "for i in 0..30 { y[i] = O[i, 3] } " + stores(290, 300) + "}"));
}

TEST(LintObligations, shapes_and_widths) {
  RULE_EQ("PRF-27", std::string("BND-3"),
          lint("program p { param n in -3..5 temp T: f32[n] output y: f32[1] y[0] = 1.0 }"));
  RULE_EQ("BND-3", std::string(), lint("program p { param n in 0..5 temp T: f32[n] output y: f32[1] y[0] = 1.0 }"));
  // Bounds of loops that hold nothing are computed all the same.
  const std::string head = "program p { param n in 0..9000000000000000000 output y: i64[1] y[0] = 1 ";
  RULE_EQ("WID-1", std::string("WID-1"), lint(head + "for i in 0..3*n { } }"));
  RULE_EQ("WID-1", std::string("WID-1"), lint(head + "for i in 0..4 { for j in 0..floordiv(7*n, 9000) { } } }"));
  RULE_EQ("WID-1", std::string(), lint(head + "for i in 0..4 { for j in 0..floordiv(3*n, 9000) { } } }"));
  RULE_EQ("WID-1", std::string(), lint(head + "for i in 0..0 { for j in 0..3*n { } } }"));
}

TEST(LintObligations, widths_know_conditions) {
  const std::string head = "program p { param n in 0..9000000000000000000 output y: i64[1] y[0] = 1 ";
  // Code that never runs, by its condition alone, by several together, or by a loop around it.
  RULE_EQ("PRF-17", std::string(), lint(head + "if false { y[0] = i64(3*n) } }"));
  RULE_EQ("PRF-17", std::string(), lint(head + "if n < 5 { if n > 7 { y[0] = i64(3*n) } } }"));
  RULE_EQ("PRF-17", std::string(), lint(head + "for i in 0..4 { if 2*i == 5 { y[0] = i64(3*n) } } }"));
  // Conditions narrow ranges, in arms of choices too; the other arm has the rest.
  RULE_EQ("PRF-17", std::string(), lint(head + "if n < 1000 { y[0] = i64(3*n) } else { y[0] = i64(n) } }"));
  RULE_EQ("PRF-17", std::string(), lint(head + "y[0] = n < 1000 ? i64(3*n) : 0 }"));
  RULE_EQ("PRF-17", std::string("WID-1"), lint(head + "if n < 1000 { y[0] = i64(n) } else { y[0] = i64(3*n) } }"));
  RULE_EQ("PRF-17", std::string("WID-1"), lint(head + "y[0] = n < 1000 ? 0 : i64(3*n) }"));
  // `select` computes both, and so may lanes.
  RULE_EQ("PRF-17", std::string("WID-1"), lint(head + "y[0] = select(n < 1000, i64(3*n), i64(0)) }"));
  RULE_EQ("PRF-17", std::string("WID-1"),
          lint("program p { param n in 0..9000000000000000000 output y: i64[4] for l in 0..4 @vectorized { y[l] = 1 if "
               "n < 1000 { "
               "y[l] = i64(3*n) } } }"));
  // A loop's symbol ends at the first value at or after the upper bound.
  const std::string loop =
      "program p { output y: i64[1] y[0] = 1 for i in 9223372036854775800..9223372036854775806 step ";
  RULE_EQ("PRF-17", std::string(), lint(loop + "3 { } }"));
  RULE_EQ("PRF-17", std::string("WID-1"), lint(loop + "4 { } }"));
}

TEST(LintObligations, dynamic_indices) {
  RULE_EQ("PRF-26", std::string(),
          lint("program p { input ids: i32[8] in 0..10 input T: f32[10, 4] output O: f32[8, 4] for i in 0..8 { for j "
               "in 0..4 { O[i, j] = T[ids[i], j] } } }"));
  RULE_EQ("PRF-26", std::string(),
          lint("program p { input ids: i32[8] in 0..4 input T: f32[10] output O: f32[8] for i in 0..8 { O[i] = "
               "T[ids[i] * 2 + 1] } }"));
  RULE_TRUE("BND-1", lint("program p { input ids: i32[8] in 0..11 input T: f32[10] output O: f32[8] for i in 0..8 { "
                          "O[i] = T[ids[i]] } }") == "BND-1");
  RULE_EQ("PRF-26", std::string("BND-1"),
          lint("program p { output O: f32[160] for g in 0..10 { for t in 0..16 { O[i8(g * 16 + t)] = 1.0 } } }"));
  RULE_EQ("PRF-26", std::string(),
          lint("program p { inout O: f32[160] for g in 0..10 { for t in 0..16 { O[i16(g * 16 + t)] = 1.0 } } }"));
  RULE_EQ("BND-2", std::string("BND-2"),
          lint("program p { inout m: i32[4] inout O: f32[4] for i in 0..4 { O[m[i]] = 1.0 } }"));
}

TEST(LintObligations, conditions_on_the_elements_that_an_index_reads) {
  const auto guarded = [](const std::string& ids, const std::string& condition) {
    return lint("program p { " + ids + " input T: f32[5] inout O: f32[9] for i in 0..9 { if " + condition +
                " { O[i] = T[any[i]] } } }");
  };
  RULE_EQ("PRF-115", std::string(), guarded("input any: i32[9]", "0 <= any[i] && any[i] <= 4"));
  RULE_EQ("PRF-115", std::string("BND-2"), guarded("input any: i32[9]", "0 <= any[i] && any[i] <= 5"));
  RULE_EQ("PRF-115", std::string("BND-2"), guarded("input any: i32[9]", "any[i] <= 4"));
  RULE_EQ("PRF-115", std::string("BND-2"), guarded("input any: i32[10]", "0 <= any[i + 1] && any[i + 1] <= 4"));
  RULE_EQ("PRF-115", std::string(), guarded("inout any: i32[9]", "0 <= any[i] && any[i] <= 4"));
}

TEST(LintObligations, definedness) {
  RULE_EQ("PRF-21", std::string(),
          lint("program p { input A: f32[4] temp T: f32[4] output C: f32[4] for i in 0..4 { T[i] = A[i] } for j in "
               "0..4 { C[j] = T[3 - j] } }"));
  RULE_EQ("DEF-1", std::string("DEF-1"),
          lint("program p { input A: f32[4] temp T: f32[4] output C: f32[4] for i in 1..4 { T[i] = A[i] } for j in "
               "0..4 { C[j] = T[j] } }"));
  RULE_EQ("DEF-1", std::string("DEF-1"),
          lint("program p { output C: f32[4] var s: f32 for j in 0..4 { C[j] = s s = 1.0 } }"));
  RULE_EQ("PRF-21", std::string(),
          lint("program p { output C: f32[4] var s: f32 = 0.0 for j in 0..4 { C[j] = s s = s + 1.0 } }"));
  RULE_EQ("DEF-1", std::string("DEF-1"),
          lint("program p { input A: f32[4] output C: f32[4] for j in 0..4 { var s: f32 if j > 0 { s = A[j] } C[j] = s "
               "} }"));
  RULE_EQ("PRF-21", std::string(),
          lint("program p { input A: f32[4] output C: f32[4] for j in 0..4 { var s: f32 if A[j] > 0.0 { s = A[j] } "
               "else { s = 0.0 } C[j] = s } }"));
  // The store and the read stand under conditions on data that a proof does not compare.
  RULE_EQ(
      "DEF-3", std::string("DEF-3"),
      lint("program p { input A: f32[4] temp T: f32[4] inout C: f32[4] for j in 0..4 { if A[j] > 0.0 { T[j] = A[j] } } "
           "for k in 0..4 { if A[k] > 1.0 { C[k] = T[k] } } }"));
  RULE_EQ("PRF-21", std::string(),
          lint("program p { input A: f32[4] inout C: f32[4] for j in 0..4 { if A[j] > 0.0 { var s: f32 = A[j] C[j] = s "
               "} } }"));
  RULE_EQ("PRF-21", std::string(),
          lint("program p { input A: f32[4] temp T: f32[4] inout C: f32[4] for j in 0..4 { if A[j] > 0.0 { T[j] = A[j] "
               "C[j] = T[j] } } }"));
  RULE_EQ("DEF-3", std::string("DEF-3"),
          lint("program p { input A: f32[4] temp T: f32[4] output C: f32[4] for j in 0..4 { if A[j] > 0.0 { T[j] = "
               "A[j] } C[j] = T[j] } }"));
  RULE_EQ("PRF-21", std::string(),
          lint("program p { output C: f32[4] for i in 0..4 { C[i] = scope x: f32 { x = 0.0 for k in 0..3 { x = x + 1.0 "
               "} } } }"));
  RULE_EQ("DEF-1", std::string("DEF-1"),
          lint("program p { output C: f32[4] for i in 0..4 { C[i] = scope x: f32 { for k in 0..i { x = 1.0 } } } }"));
  RULE_EQ("PRF-21", std::string(), lint("program p { output C: f32[4] zero C for i in 0..4 { C[i] += 1.0 } }"));
}

TEST(LintObligations, output_coverage) {
  RULE_EQ("PRF-22", std::string(),
          lint("program p { param n in 1..40 output C: f32[n] for i in 0..ceildiv(n, 4) { for j in 0..4 { if 4 * i + j "
               "< n { C[4 * i + j] = 0.0 } } } }"));
  RULE_EQ("DEF-2", std::string("DEF-2"), lint("program p { output C: f32[5] for w in 0..4 { C[w] = 1.0 } }"));
  RULE_EQ("DEF-4", std::string("DEF-4"),
          lint("program p { input A: f32[5] output C: f32[5] for w in 0..5 { if A[w] > 0.0 { C[w] = 1.0 } } }"));
  RULE_EQ("PRF-22", std::string(),
          lint("program p { input A: f32[5] output C: f32[5] for w in 0..5 { if A[w] > 0.0 { C[w] = 1.0 } else { C[w] "
               "= 2.0 } } }"));
}

// A store of one iteration happens, if that iteration is there, and for whoever is not in its loop.
TEST(LintObligations, stores_of_one_iteration) {
  const auto code = [](const std::string& range, const std::string& body, const std::string& more = {}) {
    return lint("program p { param n in 9..20 input ids: i32[9] in " + range +
                " inout other: i32[9] input T: f32[20] output C: f32[9] " + more + " " + body + " }");
  };
  const std::string one = "for i in 0..9 { for k in 0..9 { if i32(k) == ids[i] { C[i] = T[k] } } }";
  RULE_EQ("PRF-117", std::string(), code("0..9", one));
  RULE_EQ("PRF-117", std::string(), code("3..5", one));
  RULE_EQ("PRF-117", std::string("DEF-4"), code("0..10", one));
  RULE_EQ("PRF-117", std::string("DEF-4"), code("-1..9", one));
  RULE_EQ("PRF-117", std::string(),
          code("0..9", "for i in 0..9 { for k in 0..n { if ids[i] == i32(k) { C[i] = T[k] } } }"));
  RULE_EQ("PRF-117", std::string("DEF-4"),
          code("0..9", "for i in 0..9 { for k in 0..n - 1 { if i32(k) == ids[i] { C[i] = T[k] } } }"));
  // The cell is that of the iteration; the value that selects changes; steps leave iterations out; two conditions.
  RULE_EQ("PRF-117", std::string("DEF-4"),
          code("0..9", "for i in 0..9 { for k in 0..9 { if i32(k) == ids[i] { C[k] = T[i] } } }"));
  RULE_EQ("PRF-117", std::string("DEF-4"),
          code("0..9", "for i in 0..9 { for k in 0..9 { if i32(k) == floormod(other[i], 9) { C[i] = T[k] } } }"));
  RULE_EQ("PRF-117", std::string("DEF-4"),
          code("0..9", "for i in 0..9 { for k in 0..9 step 2 { if i32(k) == ids[i] { C[i] = T[k] } } }"));
  RULE_EQ("PRF-117", std::string("DEF-4"),
          code("0..9", "for i in 0..9 { for k in 0..9 { if i32(k) == ids[i] && T[k] > 0.0 { C[i] = T[k] } } }"));
  RULE_EQ("PRF-117", std::string("DEF-4"),
          code("0..9", "for i in 0..9 { for k in 0..9 { if i32(k) == ids[k] { C[i] = T[k] } } }"));
  // Read behind the loop, and in it.
  RULE_EQ("PRF-117", std::string(),
          code("0..9", "for i in 0..9 { for k in 0..9 { if i32(k) == ids[i] { W[i] = T[k] } } C[i] = W[i] }",
               "temp W: f32[9]"));
  RULE_EQ("PRF-117", std::string("DEF-3"),
          code("0..9",
               "for i in 0..9 { C[i] = 0.0 for k in 0..9 { if i32(k) == ids[i] { W[0] = i == 0 && k == 0 ? "
               "T[k] : W[0] } } }",
               "temp W: f32[9]"));
  RULE_EQ("PRF-117", std::string("DEF-1"),
          code("0..9", "for i in 0..9 { C[i] = W[i] for k in 0..9 { if i32(k) == ids[i] { W[i] = T[k] } } }",
               "temp W: f32[9]"));
}

TEST(LintObligations, divisions) {
  RULE_EQ("PRF-23", std::string(),
          lint("program p { input A: i32[5] in 1..9 inout C: i32[5] for w in 0..5 { C[w] = floordiv(C[w], A[w]) } }"));
  RULE_EQ("DIV-1", std::string("DIV-1"),
          lint("program p { input A: i32[5] in 0..9 inout C: i32[5] for w in 0..5 { C[w] = floordiv(C[w], A[w]) } }"));
  RULE_EQ("PRF-23", std::string(),
          lint("program p { input A: i32[5] inout C: i32[5] for w in 0..5 { C[w] = A[w] != 0 ? truncdiv(C[w], A[w]) : "
               "0 } }"));
  RULE_EQ("DIV-2", std::string("DIV-2"),
          lint("program p { inout C: i32[5] for w in 0..5 { C[w] = floordiv(7, C[w] + C[w]) } }"));
}

TEST(LintObligations, grids_and_lanes) {
  RULE_EQ("PRF-24", std::string(),
          lint("program p { param n in 1..40 input A: f32[n] output C: f32[n] for i in 0..n @grid { C[i] = A[i] } }"));
  RULE_EQ("PRF-24", std::string("RACE-1"),
          lint("program p { inout C: f32[9] for i in 0..8 @grid { C[i] = C[i + 1] } }"));
  RULE_EQ("PRF-24", std::string(),
          lint("program p { input A: f32[8] temp T: f32[8] output C: f32[8] for i in 0..8 @grid { T[i] = A[i] } for j "
               "in 0..8 @grid { C[j] = T[j] } }"));
  RULE_EQ("PRF-24", std::string("RACE-1"),
          lint("program p { input A: f32[8] inout T: f32[8] output C: f32[8] for i in 0..8 @grid { T[i] = A[i] } for j "
               "in 0..8 @grid { C[j] = T[7 - j] } }"));
  RULE_EQ("PRF-24", std::string("RACE-1"),
          lint("program p { inout Y: f32[7] for k in 0..3 { var v: f32 = Y[k] } for i in 0..5 @grid { Y[i] = 1.0 } }"));
  RULE_EQ("COV-1", std::string("COV-1"),
          lint("program p { inout Z: f32[1] output C: f32[8] for i in 0..8 @grid { C[i] = 1.0 } Z[0] = 1.0 }")
              .substr(0, 5));
  RULE_EQ("PRF-25", std::string(), lint("program p { inout C: f32[9] for i in 0..8 @vectorized { C[i] = C[i + 1] } }"));
  RULE_EQ("PRF-25", std::string("IND-2"),
          lint("program p { inout C: f32[9] for i in 0..8 @vectorized { C[floordiv(i, 2)] = 1.0 } }"));
  RULE_EQ("PRF-25", std::string(),
          lint("program p { inout C: f32[9] for i in 0..8 @vectorized { for k in 0..2 { C[i + k] = f32(k) } } }"));
}

TEST(LintObligations, name_the_engines_that_answered) {
  // The second question of the obligation is answered by another engine than the first.
  class Alternating final : public Query {
   public:
    Answer solve(const Formula& f, const std::vector<Symbol>& first) override {
      Answer out = isl_->solve(f, first);
      out.engine = ++asked_ % 2 == 0 ? "even" : "odd";
      return out;
    }

   private:
    std::unique_ptr<Query> isl_ = make_isl_query();
    int asked_ = 0;
  } engine;
  const Program p = test::program("program p { inout A: f32[9, 9] for i in 0..9 { A[i, 0] = A[0, i] } }");
  const std::vector<Obligation> list = lint_obligations(p, engine);
  RULE_EQ("PRF-5", std::string("odd, even"), list.at(0).engine);
}

}  // namespace
}  // namespace assay
