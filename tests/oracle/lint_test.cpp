// How `lint` forms its verdicts.
#include <gtest/gtest.h>

#include "oracle/json.hpp"
#include "oracle/screen.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using test::has_code;
using test::lint_text;
using Status = Obligation::Status;

std::string screen_of(const Report& r) { return to_screen(r, {false, false, true}); }

LintOptions saying(Status status) {
  LintOptions o;
  o.judges.lint = [status](const Program&, Query&) {
    return std::vector<Obligation>{test::obligation("in-bounds", status, "BND-2")};
  };
  return o;
}

const char* const clean =
    "program p { param n in 1..9 input A: f32[n] output B: f32[n] for i in 0..n { B[i] = A[i] } }";
const char* const beyond =
    "program p { param n in 1..9 input A: f32[n] output B: f32[n + 1] for i in 0..n + 1 { B[i] = A[i] } }";

TEST(Lint, AProvedProgramThatRunsIsClean) {
  const Report r = lint_text(clean);
  SCOPED_TRACE(screen_of(r));
  RULE_EQ("LINT-1", Verdict::clean, r.verdict);
  RULE_TRUE("LINT-1", !r.obligations.empty() && r.executions.at(0).cases > 0);
  EXPECT_NE(r.claim.find("every n in 1..9"), std::string::npos);
}

TEST(Lint, ProofsAreEnoughWhereNothingFits) {
  const Report r = lint_text("program p { output B: f32[1] for i in 0..100000000000 { B[0] = 1.0 } }");
  RULE_EQ("LINT-1", Verdict::clean, r.verdict);
  RULE_TRUE("LINT-1", !r.omissions.empty());
}

TEST(Lint, WhatProofsSettleIsNotRunAtAnyPrice) {
  const auto staged = [](const std::string& barrier) {
    return "program p { param n in 1..9 input A: f32[n, 65536] inout O: f32[n, 65536] shared S: f32[65536]\n"
           "for b in 0..n @grid { for t in 0..65536 @workgroup { for k in 0..4 { S[t] = A[b, t] " +
           barrier + " O[b, t] = O[b, t] + S[65535 - t] barrier } } } }";
  };
  const Report r = lint_text(staged("barrier"));
  SCOPED_TRACE(screen_of(r));
  RULE_EQ("LINT-5", Verdict::clean, r.verdict);
  RULE_TRUE("LINT-5",
            screen_of(r).find("the start of a run too large to be made whole: 262144 operations on exact input "
                              "(seed 0) at n = 1: no fault and no race") != std::string::npos);
  RULE_TRUE("LINT-5", screen_of(r).find("too large for the budget: n = 1") != std::string::npos);
  RULE_TRUE("LINT-5", r.executions.size() == 1 && r.executions[0].cases == 0 && !r.executions[0].equal);
  RULE_TRUE("LINT-5", to_json(r).find("the first 262144 operations of a run") != std::string::npos);
  // A judge that proves what is not so is found out by the start of a run, too.
  const Report contradicted = lint_text(staged(""), saying(Status::proved));
  RULE_EQ("LINT-5", Verdict::contradiction, contradicted.verdict);
  // What is in doubt is run, and buffers that cost more than the start are not made.
  RULE_TRUE("LINT-5",
            lint_text(staged("barrier"), saying(Status::undecided)).claim.find("is promised") != std::string::npos);
  const Report large = lint_text(
      "program p { output O: f32[3000000] for g in 0..3000 @grid { for t in 0..1000 @workgroup { O[1000*g + t] = 1.0 } "
      "} }");
  RULE_TRUE("LINT-5", large.verdict == Verdict::clean && large.executions.empty());
}

TEST(Lint, AFaultIsObserved) {
  const Report r = lint_text(beyond);
  SCOPED_TRACE(screen_of(r));
  RULE_EQ("LINT-2", Verdict::faulty, r.verdict);
  ASSERT_TRUE(r.observation.has_value());
  ASSERT_TRUE(r.observation->fault.has_value());
  RULE_EQ("LINT-2", std::string("RUN-1"), r.observation->fault->code);
  RULE_EQ("LINT-2", std::string("A"), r.observation->fault->buffer);
  RULE_EQ("LINT-3", (ParameterMap{{"n", 1}}), r.observation->parameters);  // the smallest that shows it
  RULE_TRUE("LINT-2", !r.observation->fault->at.iteration.empty());
  EXPECT_TRUE(has_code(r, "BND-1"));
}

TEST(Lint, EveryKindOfFault) {
  const std::pair<const char*, const char*> cases[] = {
      {"RUN-2", "program p { output B: f32[2] for i in 0..2 { var s: f32 B[i] = s } }"},
      {"RUN-3", "program p { input A: i32[4] output B: i32[4] for i in 0..4 { B[i] = floordiv(1, A[i]) } }"},
      {"RUN-6", "program p { output B: f32[4] for i in 0..3 { B[i] = 1.0 } }"},
      {"RUN-7", "program p { output B: f32[1] for i in 0..3 @vectorized { B[0] = 1.0 } }"},
  };
  for (const auto& [code, text] : cases) {
    const Report r = lint_text(text);
    SCOPED_TRACE(screen_of(r));
    RULE_EQ("LINT-2", Verdict::faulty, r.verdict);
    ASSERT_TRUE(r.observation && r.observation->fault);
    EXPECT_EQ(r.observation->fault->code, code);
  }
}

TEST(Lint, ARaceBetweenGroupsIsObserved) {
  const Report r = lint_text("program p { inout x: f32[9] for i in 0..8 @grid { x[i + 1] = x[i] } }");
  SCOPED_TRACE(screen_of(r));
  RULE_EQ("LINT-2", Verdict::faulty, r.verdict);
  ASSERT_TRUE(r.observation.has_value());
  RULE_EQ("LINT-2", Observation::Kind::race, r.observation->kind);
  EXPECT_TRUE(has_code(r, "RACE-1"));
}

TEST(Lint, WhatIsNotObservedIsUndecided) {
  for (const Status s : {Status::violated, Status::undecided}) {
    const Report r = lint_text(clean, saying(s));
    RULE_EQ("LINT-3", Verdict::undecided, r.verdict);
    EXPECT_NE(screen_of(r).find("unknown[BND-2]"), std::string::npos) << screen_of(r);
  }
  RULE_EQ("LINT-3", Verdict::faulty, lint_text(beyond, saying(Status::undecided)).verdict);
}

TEST(Lint, AFaultAgainstAllProofsIsAContradiction) {
  const Report r = lint_text(beyond, saying(Status::proved));
  RULE_EQ("LINT-4", Verdict::contradiction, r.verdict);
  RULE_EQ("LINT-4", 70, exit_status(r.verdict));
}

TEST(Lint, ReduceLoops) {
  const auto verdict = [](const std::string& body) {
    return lint_text("program p { input A: f32[4] inout y: f32[1] output B: f32[1] " + body + " }").verdict;
  };
  RULE_EQ("PLL-24", Verdict::clean, verdict("B[0] = 0.0 launch for t in 0..4 @reduce { B[0] += A[t] }"));
  RULE_EQ("PLL-27", Verdict::faulty, verdict("zero B for t in 0..4 @reduce { B[0] += A[t] }"));
  RULE_EQ("PLL-24", Verdict::faulty, verdict("B[0] = 0.0 launch for t in 0..5 @reduce { B[0] += A[t] }"));
  for (const char* nest : {"for t in 0..4 @grid { B[t] = A[t] }", "for t in 0..4 @workgroup { B[t] = A[t] }",
                           "for t in 0..4 @workgroup { S[t] = A[t] barrier B[t] = S[3 - t] }"}) {
    const std::string text =
        std::string("program p { input A: f32[4] output B: f32[4] shared S: f32[4] ") + nest + " }";
    RULE_EQ("PLL-7", Verdict::clean, lint_text(text).verdict);
  }
}

TEST(Lint, ARaceBetweenThreadsIsObserved) {
  const Report r =
      lint_text("program p { inout x: f32[9] for g in 0..1 @grid { for i in 0..8 @workgroup { x[i + 1] = x[i] } } }");
  SCOPED_TRACE(screen_of(r));
  RULE_EQ("PLL-7", Verdict::faulty, r.verdict);
  RULE_TRUE("PLL-7", r.observation && r.observation->kind == Observation::Kind::race && has_code(r, "RACE-2"));
}

TEST(Lint, NoAdmissibleParameterIsAnError) {
  const Report r =
      lint_text("program p { param n in 1..5 require n > 7 output B: f32[n] for i in 0..n { B[i] = 1.0 } }");
  RULE_EQ("CLI-7", Verdict::error, r.verdict);
  RULE_TRUE("CLI-7", has_code(r, "CLI-7"));
}

TEST(Lint, TheSameAnswerTwice) {
  for (const char* text : {clean, beyond}) RULE_EQ("CLI-4", to_json(lint_text(text)), to_json(lint_text(text)));
}

}  // namespace
}  // namespace assay::oracle
