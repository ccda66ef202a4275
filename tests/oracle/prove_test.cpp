// `prove`: a search for differences.
#include <gtest/gtest.h>

#include "oracle/json.hpp"
#include "oracle/screen.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using test::has_code;
using test::prove_text;

/// Two programs over one buffer each way, with these right sides.
std::string pair(const std::string& type, const std::string& first, const std::string& second) {
  const auto one = [&](const char* name, const std::string& e) {
    return std::string("program ") + name + " { input A: " + type + "[1] output B: " + type + "[1] B[0] = " + e +
           " }\n";
  };
  return one("a", first) + one("b", second);
}

TEST(Prove, DifferencesAreReplayed) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {"f32", {"A[0] * 0.0", "0.0"}},
      {"f32", {"A[0] - A[0]", "0.0"}},
      {"f32", {"A[0] + 0.0", "A[0]"}},
      {"f16", {"A[0] / A[0]", "1.0"}},
      {"i32", {"truncdiv(A[0], 2)", "floordiv(A[0], 2)"}},
      {"f32", {"relu(A[0])", "A[0] > 0.0 ? A[0] : 0.0"}},
  };
  for (const auto& [type, sides] : cases) {
    const Report r = prove_text(pair(type, sides.first, sides.second));
    SCOPED_TRACE(to_screen(r, {false, false, true}));
    RULE_EQ("PROVE-2", Verdict::different, r.verdict);
    ASSERT_TRUE(r.observation.has_value());
    RULE_TRUE("PROVE-2", !r.observation->input_values.empty());
    RULE_EQ("PROVE-2", std::string("B"), r.observation->buffer);
  }
}

TEST(Prove, ProgramsThatDifferInOwnNamesAreEquivalent) {
  const auto row = [](const std::string& parameters, const std::string& buffers, const std::string& body) {
    return "program p { " + parameters + "input A: f32[9] " + buffers + body + " }\n";
  };
  const std::string nm = "param n in 1..5 param m in 1..5 ", mn = "param m in 1..5 param n in 1..5 ";
  const std::string bc = "output B: f32[n] output C: f32[n] ", cb = "output C: f32[n] output B: f32[n] ";
  const std::string body = "for i in 0..n { var v: f32 = A[i] B[i] = v C[i] = 1.0 }";
  const auto verdict = [&](const std::string& other) { return prove_text(row(nm, bc, body) + other).verdict; };
  RULE_EQ("PROVE-5", Verdict::equivalent, verdict(row(nm, bc, body)));
  RULE_EQ("PROVE-5", Verdict::equivalent,
          verdict(row(nm, cb, "for j in 0..n { var w: f32 = A[j] B[j] = w C[j] = 1.0 }")));
  RULE_EQ("PROVE-5", Verdict::undecided, verdict(row(mn, bc, body)));
  RULE_EQ("PROVE-5", Verdict::undecided, verdict(row(nm, bc, "for i in 0..n { B[i] = A[i] C[i] = 1.0 }")));
  // The names of the interface count, and so does what may go wrong.
  RULE_EQ("PROVE-5", Verdict::different,
          verdict(row(nm, bc, "for i in 0..n { var v: f32 = A[i] C[i] = v B[i] = 1.0 }")));
  const std::string open =
      "program q { input A: f32[2] input J: i32[1] inout B: f32[2] if A[0] == 1.25 && A[1] == -7.125 { B[J[0]] = 1.0 } "
      "}\n";
  RULE_EQ("PROVE-5", Verdict::undecided, prove_text(open + open).verdict);
}

TEST(Prove, EqualProgramsStayUndecided) {
  for (const auto& [x, y] :
       {std::pair{"A[0] + -0.0", "A[0]"}, std::pair{"A[0] * 1.0", "A[0]"}, std::pair{"A[0] - 0.0", "A[0]"}}) {
    RULE_EQ("PROVE-4", Verdict::undecided, prove_text(pair("f32", x, y)).verdict);
  }
}

TEST(Prove, SmallInputSpacesAreSearchedWhole) {
  // Differs for one of 65,536 values.
  const Report r = prove_text(pair("u16", "A[0]", "A[0] == 31337 ? 0 : A[0]"));
  RULE_EQ("PROVE-3", Verdict::different, r.verdict);
  ASSERT_TRUE(r.observation.has_value());
  RULE_EQ("PROVE-3", InputChoice::Kind::enumerated, r.observation->inputs.kind);
}

TEST(Prove, Faults) {
  const char* const fine = "program a { input A: f32[4] output B: f32[4] for i in 0..4 { B[i] = A[i] } }\n";
  const std::string wrong = "program b { input A: f32[4] output B: f32[4] for i in 0..3 { B[i] = A[i] } }\n";
  RULE_EQ("PROVE-2", Verdict::different, prove_text(fine + wrong).verdict);
  RULE_EQ("PROVE-2", Verdict::faulty, prove_text(wrong + fine).verdict);
}

TEST(Prove, InterfacesMatchByNameTypeAndShape) {
  const std::string a =
      "program a { param n in 1..9 input A: f32[n] output B: f32[n] temp T: f32[3] for i in 0..n { B[i] = A[i] } }\n";
  const char* const others[] = {
      "program b { param n in 1..9 input C: f32[n] output B: f32[n] for i in 0..n { B[i] = C[i] } }",
      "program b { param n in 1..9 input A: f32[n + 1] output B: f32[n] for i in 0..n { B[i] = A[i] } }",
      "program b { param n in 1..9 input A: f32[n] inout B: f32[n] for i in 0..n { B[i] = A[i] } }",
      "program b { param n in 1..8 input A: f32[n] output B: f32[n] for i in 0..n { B[i] = A[i] } }",
      "program b { input A: f32[4] output B: f32[4] for i in 0..4 { B[i] = A[i] } }",
  };
  for (const char* b : others) {
    const Report r = prove_text(a + b);
    RULE_EQ("PROVE-1", Verdict::error, r.verdict);
    RULE_TRUE("PROVE-1", has_code(r, "PROVE-1"));
  }
  RULE_EQ("PROVE-1", Verdict::undecided,
          prove_text(a + "program b { param n in 1..9 input A: f32[n] output B: f32[n] for i in 0..n { B[i] = A[i] } }")
              .verdict);
}

TEST(Prove, ParametersAtTheirEnds) {
  const std::string a = "program a { param n in 1..33 output B: f32[n] for i in 0..n { B[i] = 1.0 } }\n";
  const std::string b =
      "program b { param n in 1..33 output B: f32[n] for i in 0..n { B[i] = 1.0 } if n > 31 { B[0] = 2.0 } }\n";
  const Report r = prove_text(a + b);
  RULE_EQ("PROVE-2", Verdict::different, r.verdict);
  ASSERT_TRUE(r.observation.has_value());
  EXPECT_EQ(r.observation->parameters.at("n"), 32);
}

}  // namespace
}  // namespace assay::oracle
