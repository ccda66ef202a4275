// One-hot loops that go (spec/onehot.md): what is left out, and what the condition says.
#include <gtest/gtest.h>

#include "claimed_pairs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

const std::string head =
    "input T: f32[5] input ids: i32[9] in 0..5 input any: i32[9] inout N: i32[9] inout A: f32[9] output G: f32[9] ";

std::string selected(const std::string& loop, const std::string& after, std::vector<int> sources) {
  return judge(head + "zero G for p in 0..9 { " + loop + " }", head + "zero G for p in 0..9 { " + after + " }", sources,
               {{"k", unsaid}})
      .codes();
}

TEST(Selection, TheConditionSaysWhichIterationRuns) {
  const std::string loop = "for k in 0..5 { G[p] += i32(k) == any[p] ? T[k] : 0.0 }";
  RULE_EQ("HOT-10", std::string(), selected(loop, "if 0 <= any[p] && any[p] <= 4 { G[p] += T[any[p]] }", {0, 1, 2, 3}));
  RULE_TRUE("HOT-13", !selected(loop, "if 0 <= any[p] && any[p] <= 3 { G[p] += T[any[p]] }", {0, 1, 2, 3}).empty());
  RULE_TRUE("HOT-13", !selected(loop, "if 0 <= any[p] { G[p] += T[any[p]] }", {0, 1, 2, 3}).empty());
  RULE_TRUE("HOT-14", selected(loop, "G[p] += T[any[p]]", {0, 1, 3}).find("HOT-1") == 0);
  const std::string ranged = "for k in 0..5 { G[p] += i32(k) == ids[p] ? T[k] : 0.0 }";
  RULE_EQ("HOT-13", std::string(), selected(ranged, "G[p] += T[ids[p]]", {0, 1, 3}));
  RULE_TRUE("HOT-15",
            selected("for k in 0..4 { G[p] += i32(k) == ids[p] ? T[k] : 0.0 }", "G[p] += T[ids[p]]", {0, 1, 3})
                    .find("HOT-15") == 0);
  // Another element, another cell, another value.
  RULE_TRUE("HOT-10", !selected(ranged, "G[p] += T[ids[0]]", {0, 1, 3}).empty());
  RULE_TRUE("HOT-10", !selected(ranged, "G[p] += T[p]", {0, 1, 3}).empty());
  RULE_TRUE("HOT-10", !selected(ranged, "G[0] += T[ids[p]]", {0, 1, 3}).empty());
  RULE_TRUE("HOT-10", !selected(ranged, "G[p] += -T[ids[p]]", {0, 1, 3}).empty());
}

TEST(Selection, OtherIterationsChangeNothing) {
  const auto sum = [&](const std::string& target, const std::string& other) {
    return selected("for k in 0..5 { " + target + " += i32(k) == ids[p] ? T[k] : " + other + " }",
                    target + " += T[ids[p]]", {0, 1, 3});
  };
  RULE_EQ("HOT-11", std::string(), sum("G[p]", "0.0"));
  RULE_EQ("HOT-11", std::string("CLAIM-1"), sum("A[p]", "0.0"));
  RULE_EQ("HOT-11", std::string(), sum("A[p]", "-0.0"));
  RULE_EQ("HOT-11", std::string("CLAIM-1"), sum("G[p]", "1.0"));
  RULE_EQ("HOT-11", std::string("CLAIM-1"),
          selected("for k in 0..5 { A[p] = fma(1.0, i32(k) == ids[p] ? T[k] : 0.0, A[p]) }",
                   "A[p] = fma(1.0, T[ids[p]], A[p])", {0, 1, 3}));
  RULE_EQ("HOT-12", std::string("CLAIM-1"),
          selected("for k in 0..5 { N[p] += i32(k) == N[p] ? any[k] : 0 }",
                   "if 0 <= N[p] && N[p] <= 4 { N[p] += any[N[p]] }", {0, 1, 2, 3}));
}

}  // namespace
}  // namespace assay
