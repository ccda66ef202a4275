// alias: what it makes, what it refuses (ALIAS-…), and that its obligations follow from what it made.
#include "moves.hpp"

namespace assay::test {
namespace {

const std::string chain =
    "program p { param n in 1..20 param m in 1..9 input X: f32[n] output Y: f32[n] temp S: f32[n] temp T: f32[n] temp "
    "U: "
    "f32[n] temp L: f32[n + m] temp H: f16[n] temp Q: f32[n, 2] local P: f32[20] "
    "for i in 0..n { S[i] = X[i] } for j in 0..n { T[j] = S[n - 1 - j] + P0 } for k in 0..n { U[k] = T[k] * 2.0 } "
    "for l in 0..n { L[l + m] = U[l] } for o in 0..n { Y[o] = L[o + m] } }";

Program chain_with(const std::string& term = "1.0") {
  std::string text = chain;
  text.replace(text.find("P0"), 2, term);
  return program(text);
}

TEST(Alias, UsesMoveToTheOtherStorage) {
  const Moved m = moved(chain_with(), "alias U S");
  EXPECT_EQ("", m.code);
  RULE_TRUE("ALIAS-5", m.after->find_buffer("U") == nullptr && m.text.find("S[k] = T[k] * 2.0") != std::string::npos &&
                           m.text.find("L[l + m] = S[l]") != std::string::npos)
      << m.text;
  const Moved larger = moved(chain_with(), "alias S L");
  RULE_TRUE("ALIAS-2", larger.code.empty() && larger.after->find_buffer("S") == nullptr) << larger.code;
}

TEST(Alias, RefusesWhatIsNotApart) {
  const auto code = [](const std::string& l, const Program& p = chain_with()) { return moved(p, l).code; };
  RULE_EQ("ALIAS-1", std::string("ALIAS-1"), code("alias X S"));
  RULE_EQ("ALIAS-1", std::string("ALIAS-1"), code("alias S Y"));
  RULE_EQ("ALIAS-1", std::string("ALIAS-1"), code("alias S S"));
  RULE_EQ("ALIAS-1", std::string("ALIAS-1"), code("alias U H"));
  RULE_EQ("ALIAS-1", std::string("ALIAS-1"), code("alias U P"));
  RULE_EQ("ALIAS-2", std::string("ALIAS-2"), code("alias L S"));
  RULE_EQ("ALIAS-2", std::string("ALIAS-2"), code("alias U Q"));
  RULE_EQ("ALIAS-3", std::string("ALIAS-3"), code("alias T S"));
  RULE_EQ("ALIAS-3", std::string("ALIAS-3"), code("alias U L"));
  const Program dynamic = program(
      "program p { input X: f32[4] input ids: i32[4] in 0..4 output Y: f32[4] temp S: f32[4] temp U: f32[4] "
      "for i in 0..4 { S[i] = X[i] } for i in 0..4 { Y[i] = S[i] } zero U for i in 0..4 { Y[i] = Y[i] + U[ids[i]] } }");
  RULE_EQ("ALIAS-4", std::string("ALIAS-4"), code("alias U S", dynamic));
  const Program zeroed = program(
      "program p { input X: f32[4] output Y: f32[4] temp S: f32[4] temp U: f32[4] "
      "for i in 0..4 { S[i] = X[i] } for i in 0..4 { Y[i] = S[i] } zero U for i in 0..4 { Y[i] = Y[i] + U[i] } }");
  RULE_EQ("ALIAS-4", std::string("ALIAS-4"), code("alias U S", zeroed));
  RULE_EQ("ALIAS-4", std::string(""), code("alias S U", zeroed));
}

}  // namespace
}  // namespace assay::test
