// cse: what it shares, how far values carry, and that its obligations are proved or refuted (CSE-…).
#include "moves.hpp"

namespace assay::test {
namespace {

Moved shared(const std::string& statements, const std::string& l = "cse", const std::string& declarations = {}) {
  return moved(nest(statements, declarations), l);
}

TEST(Cse, SharesWithinAndAcrossStatements) {
  const Moved m = shared("for i in 0..8 { A[i] = X[i] * 2.0 + X[i] * 2.0 B[i, 0] = X[i] * 2.0 }");
  RULE_EQ("CSE-5", printed("for i in 0..8 { var common: f32 = X[i] * 2.0 A[i] = common + common B[i, 0] = common }"),
          m.text);
  EXPECT_EQ("", m.code);
  // The largest first; what is left of the smaller one is shared too.
  const Moved two = shared("for i in 0..8 { A[i] = sqrt(X[i] + 1.0) B[i, 0] = sqrt(X[i] + 1.0) B[i, 1] = X[i] + 1.0 }");
  RULE_EQ("CSE-2",
          printed("for i in 0..8 { var common.1: f32 = X[i] + 1.0 var common: f32 = sqrt(common.1) A[i] = common "
                  "B[i, 0] = common B[i, 1] = common.1 }"),
          two.text);
  EXPECT_EQ("", two.code);
  RULE_EQ("CSE-1", std::string("CSE-1"), moved(*two.after, "cse").code);
  RULE_EQ("CSE-1", std::string("CSE-1"), shared("for i in 0..8 { A[i] = X[i] * 2.0 B[i, 0] = X[i] * 3.0 }").code);
  // Plain reads and constants are not worth it; blocks are apart.
  RULE_EQ("CSE-2", std::string("CSE-1"), shared("for i in 0..8 { A[i] = X[i] B[i, 0] = X[i] }").code);
  const Moved reads = shared("for i in 0..8 { A[i] = X[i] B[i, 0] = X[i] * Y[i, 1] B[i, 1] = B[i, 0] }", "cse loads");
  RULE_EQ(
      "CSE-7",
      printed("for i in 0..8 { var common: f32 = X[i] A[i] = common B[i, 0] = common * Y[i, 1] B[i, 1] = B[i, 0] }"),
      reads.text);
  EXPECT_EQ("", reads.code);
  RULE_EQ("CSE-7", std::string("CSE-1"),
          shared("for i in 0..8 { A[i] = A[i + 1] A[i + 1] = A[i + 1] }", "cse loads").code);
  RULE_EQ("CSE-2", std::string("CSE-1"),
          shared("for i in 0..8 { A[i] = X[i] * 2.0 if i < 4 { B[i, 0] = X[i] * 2.0 } }").code);
}

TEST(Cse, ScopesAreEqualUpToTheirNames) {
  const std::string sum = "scope s: f32 { s = 0.0 for k in 0..8 { s = s + Y[i, k] } }";
  const std::string other = "scope t: f32 { t = 0.0 for m in 0..8 { t = t + Y[i, m] } }";
  const Moved m = shared("for i in 0..8 { A[i] = " + sum + " B[i, 0] = 2.0 * " + other + " }");
  RULE_EQ("CSE-3", printed("for i in 0..8 { var common: f32 = " + sum + " A[i] = common B[i, 0] = 2.0 * common }"),
          m.text);
  EXPECT_EQ("", m.code);
  // One is a row, the other the diagonal; and the transposed nest.
  const auto code = [&](const std::string& a, const std::string& b) {
    const std::string first = "scope s: f32 { s = 0.0 for k in 0..8 { for l in 0..8 { s = " + a + " } } }";
    const std::string second = "scope t: f32 { t = 0.0 for m in 0..8 { for n in 0..8 { t = " + b + " } } }";
    return shared("A[0] = " + first + " B[0, 0] = " + second).code;
  };
  RULE_EQ("CSE-3", std::string("CSE-1"), code("s * 2.0 + Y[k, l]", "t * 2.0 + Y[m, m]"));
  RULE_EQ("CSE-3", std::string("CSE-1"), code("s * 2.0 + Y[k, k]", "t * 2.0 + Y[m, n]"));
  RULE_EQ("CSE-3", std::string("CSE-1"), code("s * 2.0 + Y[k, l]", "t * 2.0 + Y[n, m]"));
  RULE_EQ("CSE-3", std::string(""), code("s * 2.0 + Y[k, l]", "t * 2.0 + Y[m, n]"));
  RULE_EQ("CSE-3", std::string("CSE-1"), shared("A[0] = X[0] + 0.0 B[0, 0] = X[0] + (-0.0)").code);
}

TEST(Cse, ScopesInsideScopesAreComputedBeforeTheirUse) {
  const auto sum = [](const std::string& s) {
    return "scope " + s + ": f32 { " + s + " = 0.0 for k in 0..8 { " + s + " = " + s + " + Y[i, k] } }";
  };
  const auto outer = [&](const std::string& t, const std::string& s) {
    return "scope " + t + ": f32 { " + t + " = 1.0 for l in 0..4 { " + t + " = " + t + " * X[l] + " + sum(s) + " } }";
  };
  const Moved m = shared("for i in 0..8 { A[i] = " + outer("t", "a") + " - " + sum("b") + " B[i, 0] = " + sum("c") +
                         " - " + outer("u", "d") + " }");
  RULE_EQ("CSE-3", std::string(), m.code);
  RULE_TRUE("CSE-3", m.text.find("A[i] = common - common.1") != std::string::npos) << m.text;
  RULE_TRUE("CSE-3", m.text.find("B[i, 0] = common.1 - common") != std::string::npos) << m.text;
  RULE_EQ("CSE-1", std::string("CSE-1"), moved(*m.after, "cse").code);
  // Of another row; and with a condition inside.
  const auto row = [](const std::string& s, const std::string& i, const std::string& more) {
    return "scope " + s + ": f32 { " + s + " = 0.0 for k in 0..8 { if k < " + more + " { " + s + " = " + s + " + Y[" +
           i + ", k] } } }";
  };
  const auto code = [&](const std::string& a, const std::string& b) {
    return shared("for i in 0..8 { for j in 0..8 { B[i, j] = " + a + " A[j] = " + b + " } }").code;
  };
  RULE_EQ("CSE-3", std::string("CSE-1"), code(row("s", "i", "4"), row("t", "j", "4")));
  RULE_EQ("CSE-3", std::string("CSE-1"), code(row("s", "i", "4"), row("t", "i", "5")));
  RULE_EQ("CSE-3", std::string(), code(row("s", "i", "4"), row("t", "i", "4")));
}

TEST(Cse, AValueCarriesUntilSomethingChanges) {
  const auto code = [](const std::string& between, const std::string& declarations = {}) {
    return shared("A[0] = A[9] * 2.0 " + between + " B[0, 0] = A[9] * 2.0", "cse", declarations).code;
  };
  // The first user stores to what the expression reads.
  RULE_EQ("CSE-4", std::string("CSE-1"), code(""));
  const auto read = [](const std::string& between) {
    return shared("B[0, 0] = A[9] * 2.0 " + between + " B[0, 1] = A[9] * 2.0").code;
  };
  RULE_EQ("CSE-4", std::string(""), read(""));
  RULE_EQ("CSE-4", std::string("CSE-1"), read("for q in 0..3 { A[q] = 0.0 }"));
  RULE_EQ("CSE-4", std::string("CSE-1"), read("if flag[0] > 0 { A[9] = 0.0 }"));
  RULE_EQ("CSE-4", std::string(""), read("for q in 0..3 { B[q, 5] = 0.0 }"));
  RULE_EQ("CSE-4", std::string("CSE-1"), read("launch"));
  RULE_EQ("CSE-4", std::string("CSE-1"),
          shared("for w in 0..4 @workgroup { B[w, 0] = A[9] * 2.0 barrier B[w, 1] = A[9] * 2.0 }").code);
  RULE_EQ("CSE-4", std::string("CSE-1"), shared("var v: f32 = X[0] A[0] = v * 2.0 v = 5.0 B[0, 0] = v * 2.0").code);
  // On either side of a disturbance.
  const Moved m =
      shared("B[0, 0] = A[9] * 2.0 B[0, 1] = A[9] * 2.0 A[9] = 1.0 B[0, 2] = A[9] * 2.0 B[0, 3] = A[9] * 2.0");
  RULE_EQ(
      "CSE-4",
      printed(
          "var common: f32 = A[9] * 2.0 B[0, 0] = common B[0, 1] = common A[9] = 1.0 var common.1: f32 = A[9] * 2.0 "
          "B[0, 2] = common.1 B[0, 3] = common.1"),
      m.text);
  EXPECT_EQ("", m.code);
}

TEST(Cse, ArmsAreSharedOnRequest) {
  const std::string guarded = "for i in 0..70 { A[0] = i < 64 ? X[i] * 2.0 : 0.0 A[1] = i < 64 ? X[i] * 2.0 : 1.0 }";
  RULE_EQ("CSE-6", std::string("CSE-1"), shared(guarded).code);
  RULE_EQ("CSE-6", std::string("BND-1"), shared(guarded, "cse arms").code);
  const Moved m =
      shared("for i in 0..60 { A[0] = i < 9 ? X[i] * 2.0 : 0.0 A[1] = i < 9 ? X[i] * 2.0 : 1.0 }", "cse arms");
  RULE_EQ("CSE-6", std::string(""), m.code);
  // Evaluated anyway by the first statement.
  RULE_EQ("CSE-6", std::string(""),
          shared("for i in 0..60 { A[0] = X[i] * 2.0 A[1] = i < 9 ? X[i] * 2.0 : 1.0 }").code);
  const std::string quotient =
      "for i in 0..8 { A[i] = flag[i] != 0 ? f32(floordiv(7, flag[i])) : 0.0 B[i, 0] = flag[i] != 0 ? "
      "f32(floordiv(7, flag[i])) : 1.0 }";
  RULE_EQ("CSE-6", std::string("DIV-1"), shared(quotient, "cse arms").code);
}

}  // namespace
}  // namespace assay::test
