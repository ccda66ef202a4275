// Races and divergence in programs that are too large to be run: their two threads run alone (RPL-11).
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/screen.hpp"
#include "oracle/thread_part.hpp"
#include "report_support.hpp"
#include "tests/support/programs.hpp"

namespace assay::oracle {
namespace {

using Status = Obligation::Status;
using Point = Witness::Point;

// A million threads; `body` inside two hardware loops and a long serial one.
std::string large(const std::string& body) {
  return "program p { input A: f32[1048576]  input I: i32[8] in 0..8  output O: f32[1048576]  inout X: i32[8]\n"
         "shared S: f32[1024]  shared T: f32[1024]\n"
         "for g in 0..1024 @grid { for t in 0..1024 @workgroup { for k in 0..100000 {\n" +
         body + " } } } }";
}

const Finding* table_in(const Report& r) {
  const auto f = std::find_if(r.findings.begin(), r.findings.end(), [](const Finding& g) { return g.threads; });
  return f == r.findings.end() ? nullptr : &*f;
}

bool says_alone(const Finding& f) {
  return std::any_of(f.remarks.begin(), f.remarks.end(), [](const std::string& r) {
    return r.find("these two threads were run alone") != std::string::npos;
  });
}

Report expect_alone(const std::string& text, const char* code) {
  Report r = test::lint_text(text);
  SCOPED_TRACE(text + to_screen(r, {false, false, true}));
  RULE_EQ("RPL-11", Verdict::faulty, r.verdict);
  RULE_TRUE("RPL-11", r.claim.find("observed by running two of its threads alone") != std::string::npos) << r.claim;
  const Finding* f = table_in(r);
  RULE_TRUE("RPL-11", f != nullptr && f->diagnostic.code == code && says_alone(*f) && !f->threads->affected);
  return r;
}

TEST(ThreadsAlone, ARaceIsShownWhateverTheRestCosts) {
  const Report r = expect_alone(large("S[t] = A[t]\nO[1024*g + t] = S[1023 - t]"), "RACE-2");
  const Finding* f = table_in(r);
  ASSERT_NE(nullptr, f);
  RULE_EQ("RPL-11", std::string("writes S[0]"), f->threads->a.does);
  RULE_TRUE("RPL-11", !f->threads->a.interval && !f->threads->b.interval);
  // Behind the end of an iteration, with a barrier on the way.
  const Report loop = expect_alone(large("S[t] = A[t]\nbarrier\nO[1024*g + t] = S[1023 - t]"), "RACE-2");
  RULE_TRUE("RPL-11",
            to_screen(loop, {false, false, true})
                    .find("no barrier instance lies between, the last one before: line 5 (k=0), the first one "
                          "after: line 5 (k=1)") != std::string::npos);
  expect_alone(large("for j in 0..7 { S[t] = A[t]\nbarrier\nO[1024*g + t] = S[1023 - t] }\nbarrier"), "RACE-2");
  expect_alone(large("if t < 512 { S[t] = A[t] } else { O[1024*g + t] = S[1023 - t] }\nbarrier"), "RACE-2");
  expect_alone(large("O[t] = A[t]"), "RACE-1");
}

TEST(ThreadsAlone, ABarrierThatOneDoesNotReach) {
  expect_alone(large("if g == 900 && t < 500 {\nbarrier }\nO[1024*g + t] = 1.0"), "BAR-1");
  expect_alone(large("if g > 900 { for j in 0..t {\nbarrier } }\nO[1024*g + t] = 1.0"), "BAR-1");
}

TEST(ThreadsAlone, AStepIsIllegal) {
  CheckOptions o;
  o.backends = {"interp"};
  const CheckResult c = test::check_text(
      "program p { input A: f32[4000000]  inout O: f32[1001]  for r in 0..4000 { for i in 0..1000 {\n"
      "O[i] = O[i + 1] + A[1000*r + i] } } }\n"
      "schedule s { retype i axis=workgroup }",
      o);
  SCOPED_TRACE(to_screen(c.report, {false, false, true}));
  RULE_EQ("RPL-11", Verdict::illegal, c.report.verdict);
  const Finding* f = table_in(c.report);
  RULE_TRUE("RPL-11", f != nullptr && says_alone(*f));
}

TEST(ThreadsAlone, WhatTheRestComputesLeavesItOpen) {
  for (const char* body : {"var i: i32 = I[floormod(k, 8)]\nif i > 2 { S[t] = A[t]  O[1024*g + t] = S[1023 - t] }",
                           "if X[0] > 0 { S[t] = A[t]  O[1024*g + t] = S[1023 - t] }"}) {
    const Report r = test::lint_text(large(body));
    SCOPED_TRACE(to_screen(r, {false, false, true}));
    RULE_EQ("RPL-11", Verdict::undecided, r.verdict);
  }
}

// A judge that claims a race between two accesses of a large program.
Report lint_with_claim(const std::string& text, const Witness& w, const char* kind = "race-freedom") {
  LintOptions o;
  o.judges.lint = [=](const Program&, Query&) {
    Obligation claim = test::obligation(kind, Status::violated, "RACE-2");
    claim.witness = w;
    return std::vector<Obligation>{claim};
  };
  return test::lint_text(text, o);
}

Witness meeting(int first, std::int64_t k, int second, std::int64_t l, std::int64_t other, std::int64_t cell) {
  Witness w;
  w.buffer = "S";
  w.cell = {cell};
  w.first = Point{first, {}, {{"g", 3}, {"t", 5}, {"k", k}}, true, {3}, {5}};
  w.second = Point{second, {}, {{"g", 3}, {"t", other}, {"k", l}}, false, {3}, {other}};
  w.threads = {w.first, w.second};
  return w;
}

TEST(ThreadsAlone, AWitnessThatIsNotBorneOutIsAContradiction) {
  const std::string text = large("S[t] = A[t]\nbarrier\nO[1024*g + t] = S[1023 - t]");
  RULE_EQ("RPL-11", Verdict::faulty, lint_with_claim(text, meeting(3, 8, 5, 7, 1018, 5)).verdict);
  const auto contradicted = [&](const std::string& program, const Witness& w, const std::string& why) {
    const Report r = lint_with_claim(program, w);
    RULE_EQ("RPL-11", Verdict::contradiction, r.verdict);
    RULE_TRUE("RPL-11", r.claim.find(why) != std::string::npos) << r.claim;
  };
  contradicted(text, meeting(3, 8, 5, 8, 1018, 5), "a barrier lies between");
  contradicted(text, meeting(3, 9, 5, 7, 1018, 5), "a barrier lies between");
  contradicted(text, meeting(3, 7, 5, 5000, 1018, 5), "a barrier lies between");
  contradicted(text, meeting(3, 8, 5, 7, 1017, 5), "thread B of the witness does not do what it names");
  contradicted(text, meeting(3, 8, 5, 7, 1018, 6), "does not do what it names");
  contradicted(text, meeting(3, 100000, 5, 99999, 1018, 5), "thread A of the witness does not do what it names");
  // What inputs decide is no contradiction: here they are zero, and the condition does not hold.
  const std::string data = large("if I[floormod(k, 8)] > 2 { S[t] = A[t]\nO[1024*g + t] = S[1023 - t] }");
  RULE_EQ("RPL-11", Verdict::undecided, lint_with_claim(data, meeting(4, 7, 5, 7, 1018, 5)).verdict);
  const std::string zero = large("if I[floormod(k, 8)] < 2 { S[t] = A[t]\nO[1024*g + t] = S[1023 - t] }");
  RULE_EQ("RPL-11", Verdict::faulty, lint_with_claim(zero, meeting(4, 7, 5, 7, 1018, 5)).verdict);
  Witness barrier;
  barrier.first = Point{4, {}, {{"g", 0}, {"t", 0}, {"k", 7}}, false, {0}, {0}};
  barrier.second = Point{4, {}, {{"g", 0}, {"t", 9}, {"k", 7}}, false, {0}, {9}};
  barrier.threads = {barrier.first, barrier.second};
  RULE_EQ("RPL-11", Verdict::contradiction, lint_with_claim(text, barrier, "barrier-uniformity").verdict);
}

TEST(ThreadsAlone, PartsSayWhatTheyNeed) {
  const Program p = number_statements(test::program(
      "program p { input A: f32[8]  output O: f32[8]  shared S: f32[8]\n"
      "for t in 0..8 @workgroup { for k in 0..9 { S[t] = A[t]\nbarrier\nO[t] = S[7 - t]\nO[t] = 1.0 } } }"));
  interp::Focus f;
  f.points = {interp::Focus::Point{2, true, {{"t", 0}, {"k", 4}}, {}, {0}},
              interp::Focus::Point{4, false, {{"t", 7}, {"k", 1}}, {}, {7}}};
  f.storage = "S";
  f.cell = {0};
  const auto part = part_of(p, f);
  ASSERT_TRUE(part.has_value()) << part.error();
  RULE_EQ("RPL-11", (std::set<int>{0, 1, 2, 3, 4}), part->focus.part->statements);
  RULE_EQ("RPL-11", (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 4}}), part->focus.part->values.at(1));
  f.points[0].iteration[1].second = 1;
  f.points[1].statement = 2;  // one statement: no barrier can be between
  const auto one = part_of(p, f);
  ASSERT_TRUE(one.has_value());
  RULE_EQ("RPL-11", (std::set<int>{0, 1, 2}), one->focus.part->statements);
}

}  // namespace
}  // namespace assay::oracle
