// Programs whose indices and conditions are integer arithmetic on loop symbols and parameters, products included.
#include <gtest/gtest.h>

#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Status = Obligation::Status;

// The code of the first obligation that is not proved; empty when all are.
std::string lint(const std::string& text) {
  const auto query = make_portfolio_query();
  for (const Obligation& o : lint_obligations(test::program(text), *query)) {
    if (o.status != Status::proved) return o.code + (o.status == Status::violated ? " violated" : " open");
  }
  return {};
}

const std::string sizes = "program p { param m in 1..33 param n in 1..33 inout O: f32[1024] ";
// One group each for i: a race where two values of i use one cell.
std::string grid(const std::string& index) {
  return sizes + "for i in 0..m @grid { for j in 0..n { O[" + index + "] = 0.0 } } }";
}

TEST(Flattened, bounds) {
  const auto at = [](const std::string& index) {
    return lint(sizes + "for i in 0..m { for j in 0..n { O[" + index + "] = 0.0 } } }");
  };
  RULE_EQ("PRF-26", std::string(), at("i64(i) * i64(n) + i64(j)"));
  RULE_EQ("PRF-26", std::string("BND-1 violated"), at("i64(i) * i64(n) + i64(j) + i64(1)"));
  RULE_EQ("PRF-26", std::string(), at("i32(n) * i32(i) + i32(j)"));
  // 8 bits are too few for what the product takes.
  RULE_EQ("PRF-26", std::string("BND-1 violated"), at("i8(i) * i8(n) + i8(j)"));
  RULE_EQ("PRF-26", std::string(), at("u8(i) * u8(n)"));
  RULE_EQ("PRF-26", std::string(), at("u8(i) * u8(n) + u8(j)"));
}

TEST(Flattened, cells_of_different_iterations) {
  RULE_EQ("PRF-6", std::string(), lint(grid("i64(i) * i64(n) + i64(j)")));
  RULE_EQ("PRF-6", std::string("RACE-1 violated"), lint(grid("i64(i) * i64(n - 1) + i64(j)")));
  RULE_EQ("PRF-6", std::string("RACE-1 violated"), lint(grid("i64(i) + i64(j)")));
  // The product wraps at 8 bits: rows meet again after 256 cells.
  RULE_EQ("PRF-26", std::string("RACE-1 violated"), lint(grid("u8(i) * u8(n) + u8(j)")));
  // Three levels.
  RULE_EQ(
      "PRF-6", std::string(),
      lint("program p { param m in 1..9 param n in 1..9 param k in 1..9 inout O: f32[512] for i in 0..m @grid { for j "
           "in 0..n { for q in 0..k { O[(i64(i) * i64(n) + i64(j)) * i64(k) + i64(q)] = 0.0 } } } }"));
}

TEST(Flattened, squares) {
  const auto triangle = [](const std::string& bound) {
    return lint("program p { param n in 1..101 inout O: f32[10300] for i in 0..n @grid { for j in 0.." + bound +
                " { O[i64(i) * i64(i) + i64(j)] = 0.0 } } }");
  };
  RULE_EQ("PRF-6", std::string(), triangle("2*i + 1"));
  RULE_EQ("PRF-6", std::string("RACE-1 violated"), triangle("2*i + 2"));
}

TEST(Flattened, conditions_count_as_guards) {
  const auto guarded = [](const std::string& condition) {
    return lint(
        "program p { param n in 1..2000 input A: f32[1024] output O: f32[2000] for i in 0..2000 { O[i] = 0.0 } "
        "for i in 0..n { for j in 0..n { if " +
        condition + " { O[i] += A[i64(i) * i64(j)] } } } }");
  };
  RULE_EQ("PRF-33", std::string(), guarded("i64(i) * i64(j) < i64(1024)"));
  RULE_EQ("PRF-33", std::string("BND-1 violated"), guarded("i64(i) * i64(j) <= i64(1024)"));
  // A store under such a guard is certain where it holds.
  const auto parity = [](const std::string& condition) {
    return lint("program p { output O: f32[9] for i in 0..9 { if " + condition +
                " { O[i] = 0.0 } else { O[i] = 1.0 } } }");
  };
  RULE_EQ("PRF-33", std::string(), parity("i8(i) * i8(3) > i8(7)"));
}

TEST(Flattened, cells_of_one_text) {
  const auto through = [](const std::string& written, const std::string& read, const std::string& between = "") {
    return lint(
        "program p { param m in 1..9 param n in 1..9 input A: f32[8, 8] input d: i32[8] in 0..64 output O: f32[8, 8] "
        "temp S: f32[80] zero O for i in 0..n { for j in 0..m { S[" +
        written + "] = A[i, j] } } " + between + " for i in 0..n { for j in 0..m { O[i, j] = S[" + read + "] } } }");
  };
  const std::string cell = "i32(i) * i32(m) + i32(j)";
  RULE_EQ("PRF-124", std::string(), through(cell, cell));
  RULE_EQ("PRF-124", std::string(), through(cell, "i32(n - 1 - i) * i32(m) + i32(j)"));
  RULE_EQ("PRF-124", std::string(), through(cell, "i32(n - 1 - i) * i32(m) + i32(m - 1 - j)"));
  RULE_EQ("PRF-124", std::string(), through("i32(j) * i32(n) + i32(i)", "i32(m - 1 - j) * i32(n) + i32(i)"));
  RULE_EQ("PRF-124", std::string(), through("d[i]", "d[n - 1 - i]"));
  RULE_EQ("PRF-124", std::string(), through("d[i]", "d[0]", "launch"));
  // Cells that nobody stored, values that are no index values, and another text.
  RULE_TRUE("PRF-124", through(cell, "i32(n - i) * i32(m) + i32(j)").rfind("DEF-", 0) == 0);
  RULE_TRUE("PRF-124", through(cell, "i32(i) * i32(m) + i32(m - j)").rfind("DEF-", 0) == 0);
  RULE_TRUE("PRF-124", through("d[i]", "d[floormod(i + 1, 8)]").rfind("DEF-", 0) == 0);
}

TEST(Flattened, certain_stores) {
  RULE_EQ(
      "PRF-26", std::string(),
      lint("program p { output O: f32[96] for i in 0..12 { for j in 0..8 { O[i64(i) * i64(8) + i64(j)] = 0.0 } } }"));
  RULE_EQ(
      "PRF-26", std::string("DEF-2 violated"),
      lint("program p { output O: f32[96] for i in 0..12 { for j in 0..7 { O[i64(i) * i64(8) + i64(j)] = 0.0 } } }"));
}

TEST(Flattened, divisions_by_values) {
  const auto at = [](const std::string& index) {
    return lint("program p { param n in 1..9 inout O: f32[40] for i in -40..41 { O[" + index + "] = 0.0 } }");
  };
  RULE_EQ("PRF-26", std::string(), at("floormod(i64(i), i64(n))"));
  RULE_EQ("PRF-26", std::string("BND-1 violated"), at("truncmod(i64(i), i64(n))"));
  RULE_EQ("PRF-26", std::string(), at("eucmod(i64(i), i64(-7))"));
  RULE_EQ("PRF-26", std::string("BND-1 violated"), at("floormod(i64(i), i64(-7))"));
}

TEST(Flattened, gathers_of_one_cell_are_one_value) {
  // The same element twice: what the guard says about it is not used, but the two indices are equal.
  RULE_EQ(
      "PRF-26", std::string(),
      lint("program p { input ids: i32[8] in 0..5 inout E: f32[5] output O: f32[8] for i in 0..8 { O[i] = E[ids[i] - "
           "ids[i]] } }"));
}

}  // namespace
}  // namespace assay
