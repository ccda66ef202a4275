// retype: the kind of a loop in place, and the places where a kind may not stand (spec/retype.md).
#include "moves.hpp"

namespace assay::test {
namespace {

TEST(Retype, ChangesTheKindAndNothingElse) {
  for (const char* kind : {"grid", "workgroup", "unrolled", "vectorized", "serial"}) {
    for (const char* loop : {"for i in 0..6", "for i in 1..8 step 3", "for i in n..n + 4", "for i in 3..1"}) {
      for (const char* from : {"", "@grid", "@vectorized", "@unrolled"}) {
        const Program p =
            nest(std::string(loop) + " " + from + " { for j in 0..2 { B[i, j] = Y[i, j] } }", "param n in 0..5");
        const Step s = step(p, std::string("retype i axis=") + kind);
        ASSERT_TRUE(s.after);
        const Axis axis = parse_axis(kind).value_or(Axis::serial);
        RULE_EQ("RET-1", axis, axis_of(*s.after, "i"));
        const Program back = rewrite_loops(*s.after, [&](const Stmt& l) -> std::optional<Block> {
          if (l->name != "i") return std::nullopt;
          return Block{with(l, [&](StmtNode& n) { n.axis = axis_of(p, "i"); })};
        });
        RULE_TRUE("RET-1", back == p);
      }
    }
  }
}

TEST(Retype, LanesBelongToAVectorizedReduction) {
  const auto code = [](const std::string& l) { return moved(nest("for k in 0..8 { A[0] += X[k] }"), l).code; };
  for (const char* l : {"retype k axis=grid lanes=8", "retype k axis=vectorized chains=4",
                        "retype k axis=vectorized lanes=0", "retype k axis=vectorized lanes=1025",
                        "retype k axis=vectorized lanes=64 chains=17", "retype k axis=serial chains=2"})
    RULE_EQ("RET-2", "RET-2", code(l));
  RULE_EQ("RET-2", "", code("retype k axis=vectorized lanes=4 chains=256"));
}

TEST(Retype, AReductionInLanesIsWrittenOut) {
  const Moved m = moved(nest("for i in 0..9 { for k in 1..40 step 2 { A[i] += Y[i, k] } }"),
                        "retype k axis=vectorized lanes=2 chains=3");
  const std::string text =
      "for i in 0..9 { for k_s in 0..6 { A_lanes[k_s] = -0.0 } for k_b in 0..3 { for k_c in 0..3 @unrolled { for k in "
      "0..2 "
      "@vectorized { A_lanes[k + 2 * k_c] += Y[i, 2 * k + 4 * k_c + 12 * k_b + 1] } } } A[i] += A_lanes[0] + "
      "(A_lanes[1] + "
      "A_lanes[2]) + (A_lanes[3] + (A_lanes[4] + A_lanes[5])) for k_r in 37..40 step 2 { A[i] += Y[i, k_r] } }";
  for (const char* rule : {"RET-12", "RET-13", "RET-14", "RET-15"})
    RULE_EQ(rule, printed(text, "local A_lanes: f32[6]"), m.text);
  EXPECT_EQ("", m.code);
  RULE_TRUE("RET-12", m.after->find_buffer("A_lanes")->kind == BufferKind::local);
}

TEST(Retype, ReductionsInLanes) {
  const auto proved = [](const std::string& statements, const std::string& declarations = {}) {
    const Moved m = moved(nest(statements, declarations), "retype k axis=vectorized lanes=4");
    EXPECT_EQ("", m.code) << statements << m.text;
    return m.text;
  };
  // A variable, at every size; where no full round fits, nothing is combined.
  const std::string any =
      proved("for i in 0..3 { var s: f32 = 0.5 for k in 0..n { s = s + Y[i, k] } A[i] = s }", "param n in 0..60");
  RULE_TRUE("RET-14", any.find("if 4 <= n {\n    s = s + (") != std::string::npos) << any;
  RULE_TRUE("RET-15", any.find("for k_r in 4*floordiv(n, 4)..n") != std::string::npos) << any;
  const std::string even = proved("for k in 0..n { A[0] max= X[k] }", "param n in 0..60 require floormod(n, 4) == 0");
  RULE_TRUE("RET-15", even.find("k_r") == std::string::npos) << even;
  proved("for i in 0..9 { for k in 0..i { A[i] += Y[i, k] } }");        // a triangle
  proved("for k in 0..37 { if k < 30 { A[1] *= X[k] } }");              // a mask
  proved("for k in 0..37 { var t: f32 = X[k] A[1] = A[1] - t * t }");   // a variable of each lane
  proved("for k in 0..37 { B[0, k] = X[k] A[1] += X[k] }");             // other work, one cell per lane
  proved("for k in 0..37 { for j in 0..3 { A[1] += Y[j, k] } }");       // a loop inside
  proved("for i in 0..8 @grid { for k in 0..9 { A[i] += Y[i, k] } }");  // a copy for each group
  const std::string two = proved(
      "var s: f32 = 0.0 for k in 0..20 { s = s + X[k] A[0] max= X[k] } A[1] = s");  // two targets, each with its lanes
  RULE_TRUE("RET-11", two.find("s_lanes[k]") != std::string::npos && two.find("A_lanes[k]") != std::string::npos)
      << two;
  proved("var s: f32 = 0.0 for k in 0..20 { s = s + X[k] s = s + Y[0, k] } A[0] = s");
}

// The cell of a combination need be there only where an update may happen.
TEST(Retype, TheCombinationStandsUnderTheConditionsOfAllUpdates) {
  const auto proved = [](const std::string& statements, const std::string& declarations, const char* schedule_line) {
    const Moved m = moved(nest(statements, declarations), schedule_line);
    RULE_TRUE("RET-14", m.code == std::string()) << statements << m.text;
    return m.text;
  };
  const char* four = "retype k axis=vectorized lanes=4";
  const std::string guard = "for i in 0..n + 5 { for k in 0..10 { if i < n { a[i] += X[k] } } }";
  const std::string one = proved(guard, "param n in 1..20 inout a: f32[n]", four);
  RULE_TRUE("RET-14", one.find("if i < n {\n    a[i] += a_lanes[0]") != std::string::npos) << one;
  // A variable that has a value only there; conditions of both arms; a condition of one update alone does not count.
  proved(
      "for i in 0..9 { var s: f32 if i < 5 { s = 0.0 } for k in 0..8 { if i < 5 { s = s + X[k] } } if i < 5 { A[i] = s "
      "} }",
      "", four);
  proved("for i in 0..9 { for k in 0..8 { if 4 < i { A[0] += X[k] } else { a[i] += X[k] } } }", "inout a: f32[5]",
         four);
  const std::string two =
      proved("for i in 0..9 { for k in 0..8 { if i < 5 { if k < 6 { a[i] += X[k] } if i < 3 { a[i] += X[k + 1] } } } }",
             "inout a: f32[5]", four);
  RULE_TRUE("RET-14", two.find("if i < 5 {\n    a[i] += a_lanes[0]") != std::string::npos) << two;
  // Where no full round may fit, both conditions stand there.
  proved("for i in 0..n + 5 { for k in 0..n { if i < n { a[i] += X[k] } } }", "param n in 1..20 inout a: f32[n]", four);
}

TEST(Retype, WhatIsNoReductionInLanes) {
  const auto code = [](const std::string& statements, const std::string& loop = "k") {
    return moved(nest(statements), "retype " + loop + " axis=vectorized lanes=4").code;
  };
  RULE_EQ("RET-10", "RET-10", code("for k in 0..9 @grid { A[0] += X[k] }"));
  RULE_EQ("RET-10", "RET-10", code("A[0] = scope s: f32 { s = 0.0 for k in 0..9 { s = s + X[k] } }"));
  RULE_EQ("RET-10", "RET-10", code("for k in 0..9 { A[0] += X[k] } for k in 0..9 { A[0] += X[k] }", "k*"));
  RULE_EQ("RET-11", "RET-11", code("for k in 0..8 { A[0] = X[k] - A[0] }"));
  RULE_EQ("RET-11", "RET-11", code("for k in 0..8 { A[0] = A[0] * 0.5 + X[k] }"));
  RULE_EQ("RET-11", "RET-11", code("for k in 0..8 { A[k] += X[k] }"));
  RULE_EQ("RET-11", "RET-11", code("for k in 0..8 { for j in 0..3 { A[j] += Y[j, k] } }"));
  RULE_EQ("RET-11", "RET-11", code("for k in 0..8 { A[0] += X[k] A[1] *= X[k] }"));
  RULE_EQ("RET-11", "RET-11", code("for k in 0..8 { A[0] += X[k] B[0, k] = A[0] }"));
  // Other work that lanes cannot do at once is refuted.
  EXPECT_EQ("IND-2", code("for k in 0..8 { B[0, 0] = X[k] A[1] += X[k] }"));
  RULE_EQ("PRF-57", "DEP-2", code("for k in 0..8 { B[0, k + 1] = B[0, k] A[1] += X[k] }"));
}

// Each of these would give a program that the language does not have.
TEST(Retype, PlacesThatAKindMayNotHave) {
  struct {
    const char* text;
    const char* schedule_line;
    const char* rule;
  } cases[] = {
      {"A[0] = scope s: f32 { s = 0.0 for k in 0..4 { s = s + X[k] } }", "retype k axis=grid", "WF-7"},
      {"A[0] = scope s: f32 { s = 0.0 for k in 0..4 { s = s + X[k] } }", "retype k axis=workgroup", "WF-7"},
      {"for w in 0..4 @workgroup { A[w] = 1.0 barrier }", "retype w axis=serial", "WF-8"},
      {"for w in 0..4 @workgroup { for t in 0..3 { A[w] = 1.0 barrier } }", "retype t axis=vectorized", "WF-10"},
      {"for i in 0..4 { for w in 0..4 @workgroup { B[i, w] = 1.0 } }", "retype i axis=vectorized", "WF-10"},
      {"for i in 0..4 @vectorized { for w in 0..4 { B[i, w] = 1.0 } }", "retype w axis=grid", "WF-10"},
      {"var v: f32 = 0.0 for k in 0..8 { v = v + X[k] } A[0] = v", "retype k axis=grid", "WF-11"},
      {"var v: f32 = 0.0 for k in 0..8 { v = v + X[k] } A[0] = v", "retype k axis=workgroup", "WF-11"},
      {"for k in 0..8 { A[k] += X[k] }", "retype k axis=reduce", "WF-12"},
      {"for k in 0..8 { A[0] = A[0] * 0.5 + X[k] }", "retype k axis=reduce", "WF-12"},
      {"for k in 0..8 { A[0] = X[k] - A[0] }", "retype k axis=reduce", "WF-12"},
      {"for k in 0..8 { A[0] += X[k] A[1] += X[k] }", "retype k axis=reduce", "WF-12"},
      {"for k in 0..8 { A[0] += X[k] * A[0] }", "retype k axis=reduce", "WF-12"},
      {"for a in 0..2 @workgroup { for b in 0..2 @workgroup { for c in 0..2 @workgroup { for d in 0..2 { A[d] = 1.0 } "
       "} } }",
       "retype d axis=workgroup", "WF-13"},
  };
  for (const auto& c : cases) {
    const Step s = step(nest(c.text), c.schedule_line);
    RULE_EQ("SCH-15", "SCH-15", s.code);
    RULE_TRUE("RET-3", s.code == "SCH-15" && !s.error);
    RULE_TRUE("SCH-15", s.refusal.diagnostic.message.find(std::string(c.rule) + ":") != std::string::npos)
        << s.refusal.diagnostic.message;
    EXPECT_TRUE(s.refusal.program_note.known());
  }
}

TEST(Retype, PlacesThatAKindMayHave) {
  for (const char* text :
       {"for k in 0..8 { A[3] += X[k] }", "for i in 0..3 { for k in 0..8 { A[i] = fma(X[k], X[i], A[i]) } }",
        "for k in 0..8 { if k < 5 { A[0] max= X[k] } }"}) {
    RULE_TRUE("RET-3", step(nest(text), "retype k axis=reduce").after.has_value());
  }
  EXPECT_TRUE(step(nest("for k in 0..8 { A[0] += X[k] }"), "retype k axis=grid").after);  // a race, but a program
}

}  // namespace
}  // namespace assay::test
