// simplify: what it makes of expressions at each type, what it leaves alone (SIMP-…), and that its obligations are proved.
#include <fmt/format.h>

#include "moves.hpp"

namespace assay::test {
namespace {

// The value that the one store of a program ends with; the code of the refusal or of an open obligation.
std::string simplified(const std::string& value, const std::string& declarations = {}, const std::string& loops = {}) {
  const std::string store = "A[0] = " + value;
  const Moved m = moved(nest(loops.empty() ? store : loops + " { " + store + " }", declarations), "simplify");
  if (!m.code.empty()) return m.code;
  std::string found;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::store) found = print(s->value);
    return true;
  };
  visit(m.after->body, v);
  return found;
}

// The same for a buffer `o` of a type, with inputs x and y of it.
std::string at(const std::string& type, const std::string& value, const std::string& loops = {}) {
  const std::string store = "o[0] = " + value;
  const Moved m = moved(program("program p { input x: " + type + "[8] input y: " + type + "[8] inout o: " + type +
                                "[8] " + (loops.empty() ? store : loops + " { " + store + " }") + " }"),
                        "simplify");
  if (!m.code.empty()) return m.code;
  std::string found;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::store) found = print(s->value);
    return true;
  };
  visit(m.after->body, v);
  return found;
}

TEST(Simplify, AppliesExactLaws) {
  for (const char* t : {"f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fn", "i32", "u8"}) {
    RULE_TRUE("SIMP-2", at(t, "x[0] * 1 - 0") == "x[0]") << t << " " << at(t, "x[0] * 1 - 0");
    RULE_TRUE("SIMP-2", at(t, "-(-x[0])") == "x[0]") << t << " " << at(t, "-(-x[0])");
    RULE_TRUE("SIMP-2", at(t, "max(x[0], x[0])") == "x[0]") << t << " " << at(t, "max(x[0], x[0])");
    RULE_TRUE("SIMP-2", at(t, "x[0] + (-y[0])") == "x[0] - y[0]") << t << " " << at(t, "x[0] + (-y[0])");
    RULE_TRUE("SIMP-2", at(t, "x[1] == y[1] ? x[0] : x[0]") == "x[0]")
        << t << " " << at(t, "x[1] == y[1] ? x[0] : x[0]");
  }
  RULE_EQ("SIMP-2", std::string("x[1] != y[1] ? x[0] : y[0]"), at("f32", "!(x[1] == y[1]) ? x[0] : y[0]"));
  RULE_EQ("SIMP-2", std::string("x[0] * y[0]"), at("f16", "fma(x[0], y[0], -0.0)"));
  RULE_EQ("SIMP-2", std::string("-min(x[0], y[0])"), at("f32", "max(-x[0], -y[0])"));
  // Inner expressions first: the outer law fits only then.
  RULE_EQ("SIMP-2", std::string("x[0]"), at("i32", "x[0] - (y[0] - y[0])"));
  RULE_EQ("SIMP-2", std::string("max(x[0], y[0])"), at("i32", "max(x[0] + 0, y[0] - 0 * x[0])"));
}

TEST(Simplify, LeavesWhatIsNotExact) {
  for (const char* t : {"f32", "f16", "f64", "bf16", "f8e4m3fn"}) {
    for (const char* value :
         {"x[0] + 0.0", "x[0] * 0.0", "x[0] - x[0]", "x[0] / x[0]", "0.0 - x[0]", "(x[0] + y[0]) - y[0]",
          "max(x[0], min(x[0], y[0]))", "fma(x[0], y[0], 0.0)", "(x[0] + 2.0) + 3.0"}) {
      RULE_TRUE("SIMP-2", at(t, value) == "SIMP-1") << t << " " << value << " " << at(t, value);
    }
  }
  RULE_EQ("SIMP-2", std::string("SIMP-1"), at("i32", "max(-x[0], -y[0])"));
}

TEST(Simplify, ComputesWithIntegerLiterals) {
  const auto folded = [&](const char* type, const std::string& literal) {
    return at(type, "select(x[0] < y[0], x[1], " + literal + ")");
  };
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], 6)"), folded("i32", "truncdiv(i32(7), 2) * 2"));
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], 144)"), folded("u8", "u8(200) + 200"));
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], -128)"), folded("i8", "-(i8(-128))"));
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], -2)"), folded("i32", "floordiv(i32(-3), 2)"));
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], 1)"), folded("i32", "floormod(i32(-3), 2)"));
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], -128)"), folded("i8", "abs(i8(-128))"));
  RULE_EQ("SIMP-3", std::string("select(x[0] < y[0], x[1], 0)"), folded("i8", "relu(i8(-3))"));
  // Ceiling and Euclidean division at every pair of signs, against their definitions (NUM-20, NUM-22).
  for (const int a : {-7, -6, 0, 6, 7}) {
    for (const int b : {-3, 3}) {
      const int rest = ((a % b) + 3) % 3, ceiling = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
      const auto division = [&](const char* op) { return fmt::format("{}(i32({}), {})", op, a, b); };
      const auto is = [&](int v) { return fmt::format("select(x[0] < y[0], x[1], {})", v); };
      RULE_EQ("SIMP-3", is(ceiling), folded("i32", division("ceildiv")));
      RULE_EQ("SIMP-3", is((a - rest) / b), folded("i32", division("eucdiv")));
      RULE_EQ("SIMP-3", is(rest), folded("i32", division("eucmod")));
    }
  }
}

TEST(Simplify, CollectsSumsOfIntegers) {
  for (const char* t : {"i32", "u8", "i64"}) {
    RULE_TRUE("SIMP-10", at(t, "10 - (3 + x[0])") == "7 - x[0]") << at(t, "10 - (3 + x[0])");
    RULE_TRUE("SIMP-10", at(t, "x[0] + 3 + 4") == "x[0] + 7") << at(t, "x[0] + 3 + 4");
    RULE_TRUE("SIMP-10", at(t, "2 * (3 * x[0])") == "x[0] * 6") << at(t, "2 * (3 * x[0])");
    RULE_TRUE("SIMP-10", at(t, "(x[0] + 5) - 5") == "x[0]") << at(t, "(x[0] + 5) - 5");
    RULE_TRUE("SIMP-10", at(t, "(x[0] + y[0]) - x[0] * 1 + 2 * x[0] - x[0]") == "y[0] + x[0]" ||
                             at(t, "(x[0] + y[0]) - x[0] * 1 + 2 * x[0] - x[0]") == "x[0] + y[0]")
        << at(t, "(x[0] + y[0]) - x[0] * 1 + 2 * x[0] - x[0]");
    RULE_TRUE("SIMP-10", at(t, "x[0] - y[0] + 1") == "SIMP-1") << at(t, "x[0] - y[0] + 1");
  }
  RULE_EQ("SIMP-10", std::string("x[0] + 144"), at("u8", "x[0] + 200 + 200"));
  RULE_EQ("SIMP-10", std::string("SIMP-1"), at("f32", "(x[0] + 2.0) + 3.0"));
}

TEST(Simplify, ShortensIndexValues) {
  const auto index = [](const std::string& form, const std::string& loop) {
    return simplified("f32(i32(" + form + "))", {}, loop);
  };
  RULE_EQ("SIMP-4", std::string("f32(i32(i))"), index("4 * floordiv(i, 4) + floormod(i, 4)", "for i in 0..60"));
  RULE_EQ("SIMP-4", std::string("f32(i32(i))"),
          index("12 * floordiv(i, 12) + 4 * floormod(floordiv(i, 4), 3) + floormod(i, 4)", "for i in 0..60"));
  RULE_EQ("SIMP-4", std::string("f32(i32(floormod(i, 12)))"),
          index("4 * floormod(floordiv(i, 4), 3) + floormod(i, 4)", "for i in 0..60"));
  RULE_EQ("SIMP-4", std::string("f32(i32(floormod(i, 4) + 1))"),
          index("floordiv(4 * floormod(i, 4) + floormod(i, 3) + 4, 4)", "for i in 0..60"));
  RULE_EQ("SIMP-4", std::string("f32(i32(i))"), index("floormod(i, 8)", "for i in 0..8"));
  RULE_EQ("SIMP-4", std::string("SIMP-1"), index("floormod(i, 8)", "for i in 0..9"));
  RULE_EQ("SIMP-4", std::string("SIMP-1"), index("3 * floordiv(i, 4) + floormod(i, 4)", "for i in 0..60"));
  // By what is known, not by the ranges alone.
  const Moved m = moved(nest("for i in 0..60 { if i < 8 { A[floormod(i, 8)] = X[floordiv(i, 8)] } }"), "simplify");
  RULE_EQ("SIMP-4", printed("for i in 0..60 { if i < 8 { A[i] = X[0] } }"), m.text);
  EXPECT_EQ("", m.code);
}

TEST(Simplify, UndoesASplitThatWasCoalesced) {
  Program p = nest("for i in 0..64 { A[i] = X[i] }");
  p = run(p, {"split i factor=4 -> io, ii", "coalesce io ii -> ij"});
  const Moved m = moved(p, "simplify");
  RULE_EQ("SIMP-4", printed("for ij in 0..64 { A[ij] = X[ij] }"), m.text);
  EXPECT_EQ("", m.code);
}

TEST(Simplify, DecidesComparisonsByRanges) {
  const auto chosen = [](const std::string& condition, const std::string& range = "0..9") {
    return simplified(condition + " ? X[0] : X[1]", "input ids: i32[8] in " + range + " input b: u8[8]");
  };
  RULE_EQ("SIMP-5", std::string("X[0]"), chosen("ids[3] < 9"));
  RULE_EQ("SIMP-5", std::string("X[1]"), chosen("ids[3] + ids[2] > 16"));
  RULE_EQ("SIMP-5", std::string("SIMP-1"), chosen("ids[3] < 8"));
  RULE_EQ("SIMP-5", std::string("X[0]"), chosen("ids[3] == 5", "5..6"));
  RULE_EQ("SIMP-5", std::string("SIMP-1"), chosen("ids[3] == 5", "2..9"));
  RULE_EQ("SIMP-5", std::string("X[0]"), chosen("floormod(ids[3], 4) < 4"));
  for (const char* right :
       {"relu(ids[3]) <= 4", "abs(ids[3]) <= 4", "truncdiv(ids[3], 2) <= 2", "truncdiv(ids[3], 2) >= -1",
        "floordiv(ids[3], 2) >= -2", "ceildiv(ids[3], 2) >= -1", "eucdiv(ids[3], 2) >= -2"})
    RULE_TRUE("SIMP-5", chosen(right, "-3..5") == "X[0]") << right;
  for (const char* open :
       {"relu(ids[3]) <= 3", "relu(ids[3]) > 0", "abs(ids[3]) <= 3", "abs(ids[3]) > 0", "truncdiv(ids[3], 2) > -1",
        "floordiv(ids[3], 2) > -2", "floordiv(ids[3], 2) < 2", "truncdiv(2, ids[3]) <= 2"})
    RULE_TRUE("SIMP-5", chosen(open, "-3..5") == "SIMP-1") << open;
  // The least number has no other absolute value.
  RULE_EQ("SIMP-5", std::string("SIMP-1"), chosen("abs(ids[3]) >= 0", "-2147483648..5"));
  // The sum wraps: 200 + 200 is 144.
  RULE_EQ("SIMP-5", std::string("SIMP-1"), chosen("b[0] + b[1] < 255"));
  RULE_EQ("SIMP-5", std::string("X[0]"), chosen("b[0] + b[1] <= 255"));
  RULE_EQ("SIMP-5", std::string("SIMP-1"), chosen("X[0] < X[0]"));
  const Moved m =
      moved(nest("for i in 0..8 { if ids[i] < 9 { A[i] = X[i] } }", "input ids: i32[8] in 0..9"), "simplify");
  RULE_EQ("SIMP-6", printed("for i in 0..8 { A[i] = X[i] }", "input ids: i32[8] in 0..9"), m.text);
  EXPECT_EQ("", m.code);
}

TEST(Simplify, FoldsInsideExpressionsAndTakesScopesApart) {
  RULE_EQ("SIMP-6", std::string("X[i]"), simplified("X[i] * (i < 4 ? 1.0 : 2.0)", {}, "for i in 0..4"));
  RULE_EQ("SIMP-7", std::string("X[0] + 1.0"), simplified("scope s: f32 { s = X[0] } + 1.0"));
  RULE_EQ("SIMP-9", std::string("X[i]"), simplified("select(i < 4, X[i], 2.0)", {}, "for i in 0..4"));
  RULE_EQ("SIMP-9", std::string("SIMP-1"), simplified("select(i < 3, X[i], 2.0)", {}, "for i in 0..4"));
  RULE_EQ("SIMP-9", std::string("f32(2.0)"), simplified("select(ids[0] > 8, X[0], 2.0)", "input ids: i32[8] in 0..9"));
  // The variable's type is a conversion that stands in the text.
  RULE_EQ("SIMP-7", std::string("f32(i32(X[0])) + 0.5"), simplified("f32(scope s: i32 { s = i32(X[0]) }) + 0.5"));
  RULE_EQ("SIMP-7", std::string("SIMP-1"), simplified("scope s: f32 { s = X[0] s = s + 1.0 }"));
}

TEST(Simplify, NothingToDoIsSaidAndNothingMoves) {
  const Program p = nest("for i in 0..4 { A[i] = -(-X[i]) if flag[i] > 0 { A[i] = max(X[i], X[i]) } }");
  const Moved once = moved(p, "simplify");
  EXPECT_EQ("", once.code);
  RULE_EQ("SIMP-8", printed("for i in 0..4 { A[i] = X[i] if flag[i] > 0 { A[i] = X[i] } }"), once.text);
  RULE_EQ("SIMP-1", std::string("SIMP-1"), moved(*once.after, "simplify").code);
}

}  // namespace
}  // namespace assay::test
