// Messages about two threads, their replays, and the turns of threads: with the real judges, and with judges that lie.
#include <gtest/gtest.h>

#include <algorithm>

#include "interp/inputs.hpp"
#include "oracle/json.hpp"
#include "oracle/screen.hpp"
#include "oracle/turns.hpp"
#include "report_support.hpp"
#include "tests/support/programs.hpp"

namespace assay::oracle {
namespace {

using Status = Obligation::Status;
using Point = Witness::Point;

const char* const mirror =
    "program p { input A: f32[8]  output O: f32[8]  shared S: f32[8]\n"
    "for t in 0..8 @workgroup { S[t] = A[t]\nO[t] = S[7 - t] } }";
const char* const mirror_with_barrier =
    "program p { input A: f32[8]  output O: f32[8]  shared S: f32[8]\n"
    "for t in 0..8 @workgroup { S[t] = A[t]\nbarrier\nO[t] = S[7 - t] } }";

std::string screen_of(const Report& r) { return to_screen(r, {false, false, true}); }

const Finding* table_in(const Report& r) {
  const auto f = std::find_if(r.findings.begin(), r.findings.end(), [](const Finding& g) { return g.threads; });
  return f == r.findings.end() ? nullptr : &*f;
}

bool says(const Finding& f, const std::string& what) {
  return std::any_of(f.remarks.begin(), f.remarks.end(),
                     [&](const std::string& r) { return r.find(what) != std::string::npos; });
}

TEST(ThreadReplay, ARaceOfThreadsHasATable) {
  const Report r = test::lint_text(mirror);
  SCOPED_TRACE(screen_of(r));
  EXPECT_EQ(Verdict::faulty, r.verdict);
  const Finding* f = table_in(r);
  ASSERT_NE(nullptr, f);
  RULE_EQ("RPL-1", std::string("RACE-2"), f->diagnostic.code);
  const ThreadPair& pair = *f->threads;
  RULE_EQ("RPL-5", (std::vector<std::int64_t>{0}), pair.a.thread);
  RULE_EQ("RPL-5", (std::vector<std::int64_t>{7}), pair.b.thread);
  RULE_EQ("RPL-5", std::string("writes S[0]"), pair.a.does);
  RULE_EQ("RPL-5", std::string("reads S[0]"), pair.b.does);
  RULE_EQ("RPL-6", 8, pair.affected.value_or(0));
  RULE_EQ("RPL-6", 8, pair.cells.value_or(0));
  RULE_TRUE("RPL-6", says(*f, "8 of 8 cells of S are affected"));
  RULE_TRUE("RPL-3", says(*f, "order A,B: B reads S[0] = 0.0; order B,A: B reads S[0] undefined"));
  const std::string screen = screen_of(r);
  for (const char* line : {"thread A     thread B", "t (slot 0, .x)  0            7", "line 2          writes S[0]",
                           "reads S[0]  O[t] = S[7 - t]", "the group passes no barrier in this launch"})
    RULE_TRUE("RPL-5", screen.find(line) != std::string::npos) << line;
  RULE_TRUE("RPL-7", test::has_code(r, "BAR-11"));
  RULE_TRUE("RPL-2", std::any_of(r.obligations.begin(), r.obligations.end(), [](const ObligationReport& o) {
              return o.obligation.code == "RACE-2" && o.replayed;
            }));
  const std::string json = to_json(r);
  for (const char* key : {"\"threads\": {", "\"does\": \"writes S[0]\"", "\"affected\": 8", "\"program\": \"given\""})
    RULE_TRUE("RPL-5", json.find(key) != std::string::npos) << key;
}

TEST(ThreadReplay, OneMessageForEachPairOfStatements) {
  const Report r = test::lint_text(
      "program p { input A: f32[8]  output O: f32[8]  output P: f32[8]  inout S: f32[8]\n"
      "for t in 0..8 @workgroup { S[t] = A[t]\nO[t] = S[7 - t]\nP[t] = S[floormod(t + 1, 8)] } }");
  SCOPED_TRACE(screen_of(r));
  RULE_EQ("RPL-6", 2, std::count_if(r.findings.begin(), r.findings.end(), [](const Finding& f) {
            return f.threads && f.diagnostic.code == "RACE-2" && f.threads->affected == 8;
          }));
}

TEST(ThreadReplay, IntervalsAreNamed) {
  const Report r = test::lint_text(
      "program p { input A: f32[8]  inout O: f32[8]  shared S: f32[8]\n"
      "for t in 0..8 @workgroup { for k in 0..4 { S[t] = A[t]\nbarrier\nO[t] = O[t] + S[7 - t] } } }");
  const std::string screen = screen_of(r);
  SCOPED_TRACE(screen);
  RULE_TRUE("RPL-5",
            screen.find("after barrier 1  after barrier 1  barrier 1: line 3 (k=0), barrier 2: line 3 (k=1)") !=
                std::string::npos);
}

TEST(ThreadReplay, ArmsSayWhetherTheirConditionHolds) {
  const Report r = test::lint_text(
      "program p { input A: f32[8]  inout O: f32[8]  shared S: f32[8]\n"
      "for t in 0..8 @workgroup { S[t] = 0.0\nbarrier\nif t < 4 {\nS[t] = A[t] }\nelse {\nif t < 6 {\n"
      "O[t] = S[7 - t] } } } }");
  const std::string screen = screen_of(r);
  SCOPED_TRACE(screen);
  const Finding* f = table_in(r);
  ASSERT_NE(nullptr, f);
  const auto row = [&](const std::string& text) {
    const auto found = std::find_if(f->threads->rows.begin(), f->threads->rows.end(),
                                    [&](const ThreadPair::Row& x) { return x.note.rfind(text, 0) == 0; });
    return found == f->threads->rows.end() ? ThreadPair::Row{} : *found;
  };
  RULE_EQ("RPL-5", std::string("holds"), row("if t < 4").a);
  RULE_EQ("RPL-5", std::string("does not hold"), row("if t < 4").b);
  RULE_EQ("RPL-5", std::string(), row("if t < 6").a);
  RULE_EQ("RPL-5", std::string("holds"), row("if t < 6").b);
  RULE_TRUE("RPL-5", screen.find("line 4          holds            does not hold    if t < 4") != std::string::npos);
}

TEST(ThreadReplay, ARaceOfGroupsHasATable) {
  const Report r = test::lint_text(
      "program p { param n in 2..9  input A: f32[n]  output O: f32[n]\n"
      "for b in 0..n @grid { O[0] = A[b]\nif b > 0 { O[b] = A[b] } } }");
  SCOPED_TRACE(screen_of(r));
  const Finding* f = table_in(r);
  ASSERT_NE(nullptr, f);
  RULE_EQ("RPL-5", std::string("RACE-1"), f->diagnostic.code);
  RULE_TRUE("RPL-5", f->threads->a.group != f->threads->b.group);
  RULE_TRUE("RPL-3", says(*f, "order A,B leaves O[0] = ") && says(*f, "order B,A leaves O[0] = "));
}

TEST(ThreadReplay, ARaceOnlySeenHasATable) {
  // The index reads data: no engine refutes it, a run does.
  const Report r = test::lint_text(
      "program p { input I: i32[8] in 0..8  inout S: f32[8]\nfor t in 0..8 @workgroup { S[I[t]] = 1.0 } }");
  SCOPED_TRACE(screen_of(r));
  const Finding* f = table_in(r);
  ASSERT_NE(nullptr, f);
  RULE_EQ("RPL-6", std::string("RACE-3"), f->diagnostic.code);
  RULE_TRUE("RPL-6", f->threads->a.thread != f->threads->b.thread && f->threads->affected == 1);
}

TEST(ThreadReplay, ABarrierThatSomeDoNotReach) {
  const Report r =
      test::lint_text("program p { output O: f32[8]\nfor t in 0..8 @workgroup { if t < 5 {\nbarrier }\nO[t] = 1.0 } }");
  const std::string screen = screen_of(r);
  SCOPED_TRACE(screen);
  const Finding* f = table_in(r);
  ASSERT_NE(nullptr, f);
  RULE_EQ("RPL-4", std::string("BAR-1"), f->diagnostic.code);
  RULE_TRUE("RPL-4", f->threads->a.thread[0] < 5 && f->threads->b.thread[0] >= 5);
  for (const char* line : {"reaches this barrier  does not reach it  barrier", "waits at line 3       has ended"})
    RULE_TRUE("RPL-5", screen.find(line) != std::string::npos) << line;
}

TEST(ThreadReplay, APlaceForABarrierIsFoundAmongMany) {
  std::string body;
  for (int k = 0; k < 50; ++k) body += "P[t] = P[t] + 1.0\n";
  body += "S[t] = A[t]\nO[t] = S[7 - t]\n";
  const Report r = test::lint_text(
      "program p { input A: f32[8]  output O: f32[8]  inout P: f32[8]  shared S: f32[8]\n"
      "for t in 0..8 @workgroup {\n" +
      body + "} }");
  const auto hint = std::find_if(r.findings.begin(), r.findings.end(),
                                 [](const Finding& f) { return f.diagnostic.code == "BAR-11"; });
  ASSERT_NE(r.findings.end(), hint);
  RULE_EQ("BAR-11", 54, hint->diagnostic.where.line);
}

TEST(ThreadReplay, AStepIsAboutTheProgramAfterIt) {
  const CheckResult c = test::check_text(
      "program p { input A: f32[8]  inout T: f32[8]  output O: f32[8]\n"
      "for j in 0..8 { T[j] = A[j] }\nfor i in 0..8 { O[i] = T[7 - i] } }\n"
      "schedule s { split j factor=2 -> jo, ji\nretype jo axis=workgroup\nretype i axis=workgroup }");
  SCOPED_TRACE(screen_of(c.report));
  EXPECT_EQ(Verdict::illegal, c.report.verdict);
  const Finding* f = table_in(c.report);
  ASSERT_NE(nullptr, f);
  RULE_TRUE("RPL-8", f->threads->of_new_program && says(*f, "those of the program after the step"));
  RULE_TRUE("RPL-8", std::any_of(f->threads->rows.begin(), f->threads->rows.end(),
                                 [](const ThreadPair::Row& row) { return row.label.rfind("jo ", 0) == 0; }));
  RULE_TRUE("RPL-8", to_json(c.report).find("\"program\": \"after the step\"") != std::string::npos);
}

TEST(ThreadReplay, ABarrierIsSuggestedForAStep) {
  const CheckResult c = test::check_text(
      "program p { input A: f32[2, 8]  temp T: f32[2, 8]  output O: f32[2, 8]\n"
      "for b in 0..2 @grid { for i in 0..8 { T[b, i] = A[b, i] }\nfor i in 0..8 { O[b, i] = T[b, 7 - i] } } }\n"
      "schedule s { retype i* axis=workgroup }");
  SCOPED_TRACE(screen_of(c.report));
  EXPECT_EQ(Verdict::illegal, c.report.verdict);
  const auto hint = std::find_if(c.report.findings.begin(), c.report.findings.end(),
                                 [](const Finding& f) { return f.diagnostic.code == "BAR-11"; });
  ASSERT_NE(c.report.findings.end(), hint);
  RULE_TRUE("RPL-7", hint->diagnostic.message.find("in the program after the step") != std::string::npos &&
                         hint->diagnostic.message.find("before this statement is enough") != std::string::npos)
      << hint->diagnostic.message;
}

// A judge that claims a race between thread 0 at statement `first` and thread `other` at `second`, both in S[cell].
Report lint_with_claim(const char* text, int first, int second, std::int64_t other, std::int64_t cell) {
  LintOptions o;
  o.judges.lint = [=](const Program&, Query&) {
    Obligation claim = test::obligation("race-freedom", Status::violated, "RACE-2");
    claim.witness = Witness{};
    claim.witness->buffer = "S";
    claim.witness->cell = {cell};
    claim.witness->first = Point{first, {}, {{"t", 0}}, true, {}, {0}};
    claim.witness->second = Point{second, {}, {{"t", other}}, false, {}, {other}};
    claim.witness->threads = {claim.witness->first, claim.witness->second};
    return std::vector<Obligation>{claim};
  };
  return test::lint_text(text, o);
}

TEST(ThreadReplay, AWitnessThatTheRunDoesNotBearOutIsAContradiction) {
  EXPECT_EQ(Verdict::faulty, lint_with_claim(mirror, 1, 2, 7, 0).verdict);
  const Report separated = lint_with_claim(mirror_with_barrier, 1, 3, 7, 0);
  RULE_EQ("RPL-2", Verdict::contradiction, separated.verdict);
  RULE_EQ("RPL-2", 70, exit_status(separated.verdict));
  RULE_TRUE("RPL-2", separated.claim.find("a barrier lies between") != std::string::npos) << separated.claim;
  const Report elsewhere = lint_with_claim(mirror, 1, 2, 6, 0);
  RULE_EQ("RPL-2", Verdict::contradiction, elsewhere.verdict);
  RULE_TRUE("RPL-2", elsewhere.claim.find("thread B of the witness does not do what it names") != std::string::npos)
      << elsewhere.claim;
}

TEST(ThreadReplay, ABarrierThatAllReachIsAContradiction) {
  LintOptions o;
  o.judges.lint = [](const Program&, Query&) {
    Obligation claim = test::obligation("barrier-uniformity", Status::violated, "BAR-1");
    claim.witness = Witness{};
    claim.witness->first = Point{2, {}, {{"t", 0}}, false, {}, {0}};
    claim.witness->second = Point{2, {}, {{"t", 7}}, false, {}, {7}};
    claim.witness->threads = {claim.witness->first, claim.witness->second};
    return std::vector<Obligation>{claim};
  };
  const Report r = test::lint_text(mirror_with_barrier, o);
  RULE_EQ("RPL-4", Verdict::contradiction, r.verdict);
}

TEST(ThreadReplay, APointOutsideTheSetIsAContradiction) {
  const Index x = Index::symbol("x");
  const Formula small = Formula::le(Index(0), x) & Formula::lt(x, Index(3));
  const Formula even = small & Formula::exists({"y"}, Formula::eq(x, Index::symbol("y") * 2));
  for (const auto& [question, at, fine] : {std::tuple{small, 2, true}, std::tuple{small, 3, false},
                                           std::tuple{even, 2, true}, std::tuple{even, 1, false}}) {
    LintOptions o;
    const Formula asked = question;
    const std::int64_t value = at;
    o.judges.lint = [asked, value](const Program&, Query&) {
      Obligation claim = test::obligation("in-bounds", Status::violated, "BND-1");
      claim.questions = {asked};
      claim.solution = {{"x", value}};
      return std::vector<Obligation>{claim};
    };
    const Report r = test::lint_text("program p { output B: f32[1] B[0] = 1.0 }", o);
    RULE_EQ("ENG-2", !fine, r.verdict == Verdict::contradiction);
    RULE_EQ("ENG-2", !fine, test::has_code(r, "ENG-2"));
  }
}

TEST(OtherTurns, RunBesideTheCanonicalOnes) {
  const Report r = test::lint_text(mirror_with_barrier);
  SCOPED_TRACE(screen_of(r));
  EXPECT_EQ(Verdict::clean, r.verdict);
  const auto turns = std::find_if(r.executions.begin(), r.executions.end(), [](const ExecutionReport& e) {
    return e.detail == "turns reversed, round robin, random";
  });
  RULE_TRUE("TURN-1", turns != r.executions.end() && turns->cases == 1 && turns->equal.value_or(false));
  RULE_TRUE("TURN-2", screen_of(r).find("threads also reversed, round robin and at random") != std::string::npos);
  CheckOptions options;
  options.backends = {"interp"};
  const CheckResult c = test::check_text(
      "program p { input A: f32[8]  output O: f32[8]  for t in 0..8 { O[t] = A[t] } }\n"
      "schedule s { retype t axis=workgroup }",
      options);
  SCOPED_TRACE(screen_of(c.report));
  RULE_TRUE("TURN-1", screen_of(c.report).find("threads also reversed") != std::string::npos);
  // Nothing is said where nothing ran: no threads, or no room.
  RULE_TRUE(
      "TURN-2",
      screen_of(test::lint_text("program p { output O: f32[8]  for t in 0..8 { O[t] = 1.0 } }")).find("reversed") ==
          std::string::npos);
  LintOptions poor;
  poor.budgets.interpretation = 2000;
  const Report none = test::lint_text(mirror_with_barrier, poor);
  RULE_TRUE("TURN-2", none.verdict == Verdict::clean && screen_of(none).find("reversed") == std::string::npos);
}

TEST(OtherTurns, ShowRacesAndOtherBits) {
  const auto inputs_of = [](const Program& p) { return interp::generate_inputs(p, {}, interp::InputKind::exact, 0); };
  const InputChoice exact{InputChoice::Kind::exact, 0};
  const Program racy = test::program("program p { output X: i32[1]  for t in 0..3 @workgroup { X[0] = i32(t) } }");
  const interp::Outcome canonical = interp::run(racy, inputs_of(racy), {});
  OtherTurns turns(racy, Purse(1'000'000));
  RULE_TRUE("TURN-3", !turns.run({}, exact, inputs_of(racy), canonical));
  ASSERT_TRUE(turns.observation().has_value());
  RULE_EQ("TURN-3", Observation::Kind::race, turns.observation()->kind);
  RULE_EQ("TURN-3", std::string("reversed"), turns.observation()->turns);
  // A canonical run that lies, in a program without races.
  const Program p = test::program("program p { output X: i32[3]  for t in 0..3 @workgroup { X[t] = i32(t) } }");
  interp::Outcome wrong = interp::run(p, inputs_of(p), {});
  OtherTurns right(p, Purse(1'000'000));
  RULE_TRUE("TURN-1", right.run({}, exact, inputs_of(p), wrong) && !right.observation() && right.cases() == 1);
  wrong.outputs.at("X").set(1, {Type::i32, 9});
  OtherTurns others(p, Purse(1'000'000));
  RULE_TRUE("TURN-3", !others.run({}, exact, inputs_of(p), wrong));
  RULE_EQ("TURN-3", Observation::Kind::difference, others.observation()->kind);
}

}  // namespace
}  // namespace assay::oracle
