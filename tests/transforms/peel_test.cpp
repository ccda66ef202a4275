// peel: what it makes and refuses (PEEL-…), and what its obligations say.
#include "moves.hpp"

namespace assay::test {
namespace {

Moved peeled(const std::string& statements, const std::string& l = "peel") { return moved(nest(statements), l); }

TEST(Peel, TheFirstUpdateTakesThePlaceOfTheStart) {
  const Moved m = peeled("for i in 0..9 { A[i] = 0.0 A[i] += Y[i, 0] for k in 1..9 { A[i] += Y[i, k] } }");
  EXPECT_EQ("", m.code);
  RULE_EQ("PEEL-2", printed("for i in 0..9 { A[i] = 0.0 + Y[i, 0] for k in 1..9 { A[i] += Y[i, k] } }"), m.text);
  const Moved variable = peeled("for i in 0..9 { var s: f32 = X[i] s = s * s A[i] = s }");
  EXPECT_EQ("", variable.code);
  RULE_EQ("PEEL-3", printed("for i in 0..9 { var s: f32 = X[i] * X[i] A[i] = s }"), variable.text);
  const Moved row = peeled("A[0] = X[0] A[0] = A[0] + X[1] A[0] = max(A[0], X[2])");
  EXPECT_EQ("", row.code);
  RULE_EQ("PEEL-5", printed("A[0] = max(X[0] + X[1], X[2])"), row.text);
  const Moved twice = peeled("A[0] = X[0] A[0] += X[1] A[0] = X[2] A[0] += X[3]");
  EXPECT_EQ("", twice.code);
  RULE_EQ("PEEL-10", printed("A[0] = X[0] + X[1] A[0] = X[2] + X[3]"), twice.text);
  // The start may read the cell that it sets.
  const Moved own = peeled("for i in 0..9 { A[i] = A[i] * 2.0 A[i] += A[i] }");
  EXPECT_EQ("", own.code);
  RULE_EQ("PEEL-10", printed("for i in 0..9 { A[i] = A[i] * 2.0 + A[i] * 2.0 }"), own.text);
}

TEST(Peel, OnlyWhatIsAStart) {
  const auto code = [](const std::string& statements) { return peeled(statements).code; };
  RULE_EQ("PEEL-1", std::string("PEEL-1"), code("for i in 0..9 { A[i] = X[i] }"));
  RULE_EQ("PEEL-2", std::string("PEEL-1"), code("for i in 0..9 { A[i] = 0.0 B[0, i] = 0.0 A[i] += X[i] }"));
  RULE_EQ("PEEL-2", std::string("PEEL-1"), code("for i in 1..9 { A[i] = 0.0 A[i] = A[i] + A[i - 1] }"));
  RULE_EQ("PEEL-2", std::string("PEEL-1"), code("for i in 1..9 { A[i] = 0.0 A[i - 1] += X[i] }"));
  RULE_EQ("PEEL-2", std::string("PEEL-1"), code("for i in 0..9 { A[i] = 0.0 A[i] = X[i] }"));
  RULE_EQ("PEEL-3", std::string("PEEL-1"), code("A[0] = scope s: f32 { s = X[0] } A[0] += X[1]"));
}

TEST(Peel, ThenALawMayDropTheStart) {
  const auto simpler = [](const std::string& type, const std::string& start) {
    const Program p = program("program p { input x: " + type + "[9] output y: " + type +
                              "[9] for i in 0..9 { y[i] = " + start + " y[i] += x[i] } }");
    const Moved once = moved(p, "peel");
    EXPECT_EQ("", once.code);
    return moved(*once.after, "simplify").code;
  };
  RULE_EQ("PEEL-4", std::string(), simpler("i32", "0"));
  RULE_EQ("PEEL-4", std::string(), simpler("f32", "-0.0"));
  RULE_EQ("PEEL-4", std::string("SIMP-1"), simpler("f32", "0.0"));
}

}  // namespace
}  // namespace assay::test
