// Candidate lines come from declarations (MENU-1): those of an operation that no file of transforms/ defines.
#include <gtest/gtest.h>

#include <algorithm>

#include "steps.hpp"
#include "transforms/candidates.hpp"

namespace assay::test {
namespace {

using Kind = ParameterInfo::Kind;
using Counts = ParameterInfo::Counts;

std::vector<std::string> lines_of(const std::vector<ParameterInfo>& parameters, const Program& p) {
  Declaration d;
  d.name = "op";
  d.parameters = parameters;
  std::vector<std::string> out;
  for (const ScheduleLine& l : candidate_lines(d, p)) out.push_back(l.text);
  return out;
}

ParameterInfo parameter(const char* name, Kind kind, bool required = true, Counts counts = Counts::anything) {
  return {name, kind, required, {}, {}, {}, counts};
}

TEST(Candidates, FollowTheDeclaration) {
  const Program p = nest("zero A for i in 0..6 { for j in 0..n { B[i, j] += Y[j, i] } } for k in 0..4 { A[k] = X[k] }",
                         "param n in 1..60 temp unused: f32[2]");
  using Lines = std::vector<std::string>;
  RULE_EQ("MENU-1", (Lines{"op i", "op j", "op k"}), lines_of({parameter("loop", Kind::loop)}, p));
  RULE_EQ("MENU-1", (Lines{"op i j"}), lines_of({parameter("outer", Kind::loop), parameter("inner", Kind::loop)}, p));
  RULE_EQ("MENU-1",
          (Lines{"op i f=2", "op i f=3", "op i f=4", "op j f=2", "op j f=4", "op j f=8", "op j f=16", "op j f=32",
                 "op j f=64", "op k f=2"}),
          lines_of({parameter("loop", Kind::loop), parameter("f", Kind::integer, true, Counts::part)}, p));
  RULE_EQ("MENU-1", (Lines{"op k f=8", "op k f=16", "op k f=32", "op k f=64"}), [&] {
    Lines all = lines_of({parameter("loop", Kind::loop), parameter("f", Kind::integer, true, Counts::multiple)}, p);
    all.erase(
        std::remove_if(all.begin(), all.end(), [](const std::string& s) { return s.find(" k ") == std::string::npos; }),
        all.end());
    return all;
  }());
  RULE_EQ("MENU-1", (Lines{"op n=1", "op n=2"}),
          lines_of({parameter("n", Kind::integer, true, Counts::statements)}, p));
  RULE_EQ("MENU-1", (Lines{"op n=2", "op n=4", "op n=8"}), lines_of({parameter("n", Kind::integer)}, p));
  RULE_EQ("MENU-1", (Lines{"op"}), lines_of({parameter("n", Kind::integer, false), parameter("x", Kind::result)}, p));
  RULE_EQ("MENU-1", (Lines{"op A", "op B", "op Y", "op X"}), lines_of({parameter("b", Kind::buffer)}, p));
  RULE_EQ("MENU-1", (Lines{"op Y over=i", "op Y over=j", "op Y over=i,j"}), [&] {
    Lines all = lines_of({parameter("b", Kind::buffer), parameter("over", Kind::loops)}, p);
    all.erase(
        std::remove_if(all.begin(), all.end(), [](const std::string& s) { return s.find(" Y ") == std::string::npos; }),
        all.end());
    return all;
  }());
  RULE_EQ(
      "MENU-1", (Lines{"op i t=B", "op i t=Y", "op j t=B", "op j t=Y", "op k t=A", "op k t=X"}),
      lines_of({parameter("loop", Kind::loop), parameter("t", Kind::storage), parameter("c", Kind::names, false)}, p));
  RULE_EQ("MENU-1", (Lines{"op", "op flag=true"}), lines_of({parameter("flag", Kind::boolean, false)}, p));
  RULE_EQ("MENU-1", (Lines{"op", "op over=i", "op over=j"}),
          lines_of({parameter("over", Kind::loops, false)}, nest("for i in 0..4 { for j in 0..4 { A[j] = 0.0 } }")));
  RULE_EQ("MENU-1", (Lines{"op w", "op s", "op (w * X[k] + 1.0)", "op (w * X[k])"}),
          lines_of({parameter("v", Kind::value)},
                   nest("for k in 0..4 { var w: f32 = X[k] A[k] = w * X[k] + 1.0 B[0, k] = scope s: f32 { s = 2.0 } + "
                        "f32(k) * 0.5 }")));
  ParameterInfo choice = parameter("c", Kind::choice);
  choice.choices = {"x", "y"};
  RULE_EQ("MENU-1", (Lines{"op c=x", "op c=y"}), lines_of({choice}, p));
  EXPECT_EQ(candidate_lines(find_operation("split")->declaration, p, 3).size(), 3U);
}

TEST(Candidates, EveryOperationHasSomeOnItsExample) {
  for (const OperationEntry& e : operations()) {
    const Program p = program(e.declaration.example_program);
    EnumeratingQuery query;
    const auto lines = candidate_lines(e.declaration, p);
    const auto applies = [&](const ScheduleLine& l) { return apply_line(p, l, query).has_value(); };
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), applies)) << e.declaration.name;
  }
}

}  // namespace
}  // namespace assay::test
