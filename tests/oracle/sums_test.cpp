// The census of accumulations (ANA-10 to ANA-12), and which conditions and loops are in the way of keeping a cell.
#include "oracle/sums.hpp"

#include <gtest/gtest.h>

#include "proofs/portfolio/query.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay::oracle {
namespace {

// Of the first accumulation, what is said about the loop: "kept 2" with the conditions, or what is in the way.
std::string asked(const std::string& statements, const Symbol& loop) {
  const auto query = make_portfolio_query();
  const Program p = test::program(
      "program p { input a: f32[16, 64] inout m: f32[16] inout z: f32[4] param n in 0..9 input "
      "mask: i32[64] " +
      statements + " }");
  for (const Sum& s : find_sums(p, *query)) {
    for (const SumLevel& l : s.around) {
      if (l.loop->name != loop) continue;
      if (!l.refusal.empty()) return l.refusal;
      std::string out = "kept " + std::to_string(l.levels);
      for (const std::string& g : l.guards) out += ", " + g;
      return out;
    }
  }
  return "no such loop";
}

TEST(Sums, LoopsAcrossWhichACellIsKept) {
  const std::string rows = "for r in 0..4 { for k in 0..8 { m[r] += a[r, k] } }";
  RULE_EQ("ANA-11", "kept 1", asked(rows, "k"));
  RULE_EQ("ANA-11", "`r` moves the cell", asked(rows, "r"));
  RULE_EQ("ANA-11", "kept 2", asked("for o in 0..2 { for k in 0..8 { m[0] += a[o, k] } }", "o"));
  RULE_EQ("ANA-11", "`k` never runs", asked("for o in 0..2 { for k in 3..3 { m[0] += a[o, k] } }", "o"));
  RULE_EQ("ANA-11", "other statements stand there too", asked("for k in 0..8 { m[0] += a[0, k] z[1] = 1.0 }", "k"));
  RULE_EQ("ANA-11", "the condition `mask[k] < 1` reads data",
          asked("for k in 0..8 { if mask[k] < 1 { m[0] += a[0, k] } }", "k"));
  RULE_EQ("ANA-11", "`w` is a `@grid` loop", asked("for w in 0..4 @grid { for k in 0..8 { m[w] += a[w, k] } }", "w"));
  RULE_EQ("ANA-11", "data tells the cell", asked("for k in 0..8 { m[mask[0]] += a[0, k] }", "k"));
}

TEST(Sums, ConditionsOnTheWay) {
  const auto k = [](const std::string& condition, const std::string& cell, const std::string& outer) {
    return asked(outer + " { for k in 0..8 { if " + condition + " { " + cell + " += a[0, k] } } }", "k");
  };
  const std::string w = "for w in 0..4 @workgroup";
  RULE_EQ("ANA-12", "kept 1, `k < 5` selects iterations", k("k < 5", "m[0]", w));
  RULE_EQ("ANA-12", "kept 1, `k < n` selects iterations", k("k < n", "m[0]", w));
  RULE_EQ("ANA-12", "`w < 1` is the same for all iterations", k("w < 1", "m[0]", w));
  RULE_EQ("ANA-12", "`0 < n` is the same for all iterations", k("0 < n", "m[0]", w));
  RULE_EQ("ANA-12", "`k + w < 6` selects among iterations of outer loops, which share the cell",
          k("w + k < 6", "z[0]", w));
  RULE_EQ("ANA-12", "kept 1, `k + w < 6` selects iterations of outer loops, which have cells of their own",
          k("w + k < 6", "z[w]", w));
  RULE_EQ("ANA-12", "where `k + w < 1` does not hold the cell may lie outside of its buffer",
          k("w + k < 1", "z[w + 3]", w));
  const auto two = [](const std::string& cell) {
    return asked("for v in 0..4 { for w in 0..4 { for k in 0..8 { if v + k < 5 { " + cell + " += a[0, k] } } } }", "k");
  };
  RULE_EQ("ANA-12", "`k + v < 5` selects among iterations of outer loops, which share the cell", two("m[v + w]"));
  RULE_EQ("ANA-12", "kept 1, `k + v < 5` selects iterations of outer loops, which have cells of their own",
          two("m[4*v + w]"));
}

TEST(Sums, PrintsEveryAccumulation) {
  const auto query = make_portfolio_query();
  const Program p = test::program(
      "program p { input a: f32[8, 8] inout m: f32[8]\n"
      "  for r in 0..8 { var s: f32 = 0.0\n"
      "    for k in 0..8 { if k < 5 { s = s + a[r, k] } }\n"
      "    m[r] = m[r] - a[r, 0]\n"
      "    m[0] = a[r, 0] - m[0]\n"
      "    m[r] = max(s, m[r]) } }");
  RULE_EQ("ANA-10",
          "program p\n"
          "  3:32  s: + f32\n"
          "    k: kept across 1 loop\n"
          "      `k < 5` selects iterations\n"
          "    r: other statements stand there too\n"
          "  4:5  m[r]: + f32\n"
          "    r: other statements stand there too\n"
          "  6:5  m[r]: max f32\n"
          "    r: other statements stand there too\n",
          sums_text(p, *query));
  RULE_EQ(
      "ANA-10", "program q\n  no statement accumulates\n",
      sums_text(test::program("program q { input a: f32[8] output m: f32[8] for r in 0..8 { m[r] = a[r] } }"), *query));
}

}  // namespace
}  // namespace assay::oracle
