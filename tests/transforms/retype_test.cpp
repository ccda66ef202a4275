// retype: the kind of a loop in place, and the places where a kind may not stand (spec/retype.md).
#include "steps.hpp"

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

TEST(Retype, LanesAndChainsAreNotBuilt) {
  for (const char* key : {"lanes=8", "chains=4", "lanes=8 chains=4"}) {
    const Step s = step(nest("for k in 0..8 { A[0] += X[k] }"), std::string("retype k axis=vectorized ") + key);
    RULE_EQ("RET-2", "RET-2", s.code);
    RULE_TRUE("RET-2", s.error && s.refusal.diagnostic.message.find("not built yet") != std::string::npos);
  }
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
