// Witnesses of steps that name accesses, and of accumulations that name threads, against runs (RPL-9, RPL-10): true ones are
// borne out, and falsified ones are contradictions.
#include <gtest/gtest.h>

#include <functional>

#include "ir/traverse.hpp"
#include "oracle/point_replay.hpp"
#include "oracle/screen.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using Status = Obligation::Status;

// A schedule judged after every witness of a violated obligation of this kind was changed.
CheckResult check_with(const std::string& text, CheckOptions o, const std::string& kind,
                       const std::function<void(Witness&)>& change, int* changed = nullptr) {
  o.judges.validate = [=](const Program& before, const Program& after, Query& query) {
    Validation v = validate(before, after, query);
    for (Obligation& x : v.obligations) {
      if (x.status != Status::violated || x.kind != kind || !x.witness) continue;
      if (changed != nullptr) ++*changed;
      change(*x.witness);
    }
    return v;
  };
  return test::check_text(text, o);
}

void expect_contradiction(const char* rule, const std::string& why, const CheckResult& r) {
  SCOPED_TRACE(to_screen(r.report, {}));
  RULE_EQ(rule, Verdict::contradiction, r.report.verdict);
  RULE_EQ(rule, 70, exit_status(r.report.verdict));
  RULE_TRUE(rule, r.report.claim.find(why) != std::string::npos) << r.report.claim;
}

TEST(PointReplay, ADependenceHappensAsItIsSaid) {
  const auto unchanged = [](Witness&) {};
  RULE_EQ("RPL-9", Verdict::illegal, check_with(test::skew, {}, "dependence-order", unchanged).report.verdict);
  expect_contradiction(
      "RPL-9", "(1) of the witness does not come before (2)",
      check_with(test::skew, {}, "dependence-order", [](Witness& w) { std::swap(w.first, w.second); }));
  expect_contradiction(
      "RPL-9", "access (2) of the witness does not happen",
      check_with(test::skew, {}, "dependence-order", [](Witness& w) { w.second.iteration.front().second += 1000; }));
  expect_contradiction("RPL-9", "access (1) of the witness does not happen",
                       check_with(test::skew, {}, "dependence-order",
                                  [](Witness& w) { w.first.writes = !w.first.writes, w.second.writes = true; }));
}

// Where the threads of the program before are those of a launch, an access is looked for in its own thread.
TEST(PointReplay, HardwareLoopsGiveTheThread) {
  const std::string text =
      "program p { inout y: f32[4, 5, 6] for g in 0..4 @grid { for t in 1..5 @workgroup { for i in 1..5 {\n"
      "y[g, t, i + 1] = y[g, t, i] } } } }\nschedule s { swap t i }\n";
  const Program p = number_statements(test::material(text).program());
  Obligation o = test::obligation("dependence-order", Status::violated, "DEP-2");
  o.witness = Witness{};
  o.witness->buffer = "y";
  o.witness->cell = {2, 3, 3};
  const auto at = [](std::int64_t i) {
    return std::vector<std::pair<Symbol, std::int64_t>>{{"g", 2}, {"t", 3}, {"i", i}};
  };
  o.witness->first = {3, {}, at(2), true};
  o.witness->second = {3, {}, at(3), false};
  Purse purse(1'000'000);
  RULE_TRUE("RPL-9", replay_points(p, o, purse).result == PointReplay::Result::confirmed);
  o.witness->second.iteration = at(2);
  RULE_TRUE("RPL-9", replay_points(p, o, purse).result == PointReplay::Result::contradicted);
  o.witness->second.iteration = at(3);
  o.witness->cell = {2, 3, 9};
  RULE_TRUE("RPL-9", replay_points(p, o, purse).result == PointReplay::Result::open);
}

const char* const sum =
    "program p { input A: f32[4, 8] inout C: f32[4] for t in 0..4 { for k in 0..8 { C[t] += A[t, k] } } }\n"
    "schedule s { split_reduce k blocks=4 target=C combine=c -> kb, ki, P }\n";

// split_reduce, with one loop changed.
CheckOptions faulty_step(const Symbol& loop, const std::function<void(StmtNode&)>& change) {
  CheckOptions o;
  o.judges.apply = [=](const Program& before, const ScheduleLine& line, Query& query) -> StepResult {
    StepResult r = apply_line(before, line, query);
    if (!r) return r;
    Program p = r->program;
    p.body = rewrite(p.body, {}, [&](const Stmt& s) -> Block {
      return {s->kind == StmtKind::loop && s->name == loop ? with(s, change) : s};
    });
    return Rewrite{p};
  };
  return o;
}

TEST(PointReplay, ATermThatIsLostIsOne) {
  const CheckOptions lossy = faulty_step("c", [](StmtNode& n) { n.hi = n.hi - 1; });
  int seen = 0;
  const CheckResult r = check_with(
      sum, lossy, "same-contributions", [](Witness&) {}, &seen);
  SCOPED_TRACE(to_screen(r.report, {}));
  RULE_EQ("RPL-9", Verdict::illegal, r.report.verdict);
  EXPECT_GE(seen, 1);
  expect_contradiction(
      "RPL-9", "access (1) of the witness does not happen",
      check_with(sum, lossy, "same-contributions", [](Witness& w) { w.first.iteration.back().second += 8; }));
}

TEST(PointReplay, ThreadsOfAnAccumulationAreRunWhereTheyAre) {
  const CheckOptions racy = faulty_step("kb", [](StmtNode& n) { n.axis = Axis::workgroup; });
  int seen = 0;
  const CheckResult r = check_with(
      sum, racy, "race-freedom", [](Witness&) {}, &seen);
  SCOPED_TRACE(to_screen(r.report, {}));
  RULE_EQ("RPL-10", Verdict::illegal, r.report.verdict);
  EXPECT_GE(seen, 1);
  RULE_TRUE("RPL-10", std::any_of(r.report.findings.begin(), r.report.findings.end(), [](const Finding& f) {
              return std::any_of(f.remarks.begin(), f.remarks.end(), [](const std::string& s) {
                return s.find("stored straight into its target bears it out") != std::string::npos;
              });
            }));
  const CheckResult moved = check_with(sum, racy, "race-freedom", [](Witness& w) {
    if (w.judged) (*w.threads)[1].iteration.front().second += 100;
  });
  expect_contradiction("RPL-10", "does not bear out", moved);
}

}  // namespace
}  // namespace assay::oracle
