// Two threads looked at closely (EXEC-83 to EXEC-87).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "exec_support.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;
using Point = interp::Focus::Point;

interp::Outcome look(const std::string& text, const interp::Focus& focus, const TensorMap& inputs) {
  interp::Options options;
  options.detect_races = true;
  options.focus = focus;
  return run_text(text, inputs, options);
}

// Statement 1 stores S[t], statement 2 loads S[3 − t].
const char* const mirror =
    "program p { input A: i32[4]  output O: i32[4]  shared S: i32[4]\n"
    "for t in 0..4 @workgroup { S[t] = A[t]  O[t] = S[3 - t] } }";

interp::Focus meeting_in_mirror() {
  interp::Focus f;
  f.points = {Point{1, true, {{"t", 0}}, {}, {0}}, Point{2, false, {{"t", 3}}, {}, {3}}};
  f.storage = "S";
  f.cell = {0};
  return f;
}

TEST(ExecFocus, EitherThreadGoesAhead) {
  const TensorMap a{{"A", row(Type::i32, {5, 6, 7, 8})}};
  interp::Focus f = meeting_in_mirror();
  f.ahead = 0;
  const interp::Outcome first = look(mirror, f, a);
  ASSERT_TRUE(first.seen && first.seen->points[0] && first.seen->points[1]);
  RULE_TRUE("EXEC-83", first.seen->points[0]->ordinal < first.seen->points[1]->ordinal);
  RULE_TRUE("EXEC-84", first.seen->points[1]->value == (Scalar{Type::i32, 5}));
  RULE_TRUE("EXEC-84", !first.seen->points[0]->value);
  f.ahead = 1;
  const interp::Outcome second = look(mirror, f, a);
  ASSERT_TRUE(second.seen && second.seen->points[1] && second.fault);
  RULE_TRUE("EXEC-83", !second.seen->points[0]);
  RULE_TRUE("EXEC-84", !second.seen->points[1]->value);
  RULE_EQ("EXEC-83", std::string("RUN-2 statement 2 line 2 t=3 S[0]"), describe(second));
}

TEST(ExecFocus, EitherGroupGoesAhead) {
  const std::string text = "program p { input A: i32[3]  output O: i32[1]  for b in 0..3 @grid { O[0] = A[b] } }";
  const TensorMap a{{"A", row(Type::i32, {5, 6, 7})}};
  interp::Focus f;
  f.points = {Point{1, true, {{"b", 2}}, {2}, {}}, Point{1, true, {{"b", 1}}, {1}, {}}};
  f.storage = "O";
  f.cell = {0};
  for (const std::size_t ahead : {0, 1}) {
    f.ahead = ahead;
    const interp::Outcome o = look(text, f, a);
    ASSERT_TRUE(o.seen && o.seen->points[0] && o.seen->points[1]);
    RULE_EQ("EXEC-83", ahead == 0, o.seen->points[0]->ordinal < o.seen->points[1]->ordinal);
    RULE_EQ("EXEC-83", (Values{5}), output(o, "O"));  // all other groups come behind
    RULE_EQ("EXEC-86", 1, o.seen->affected);
    RULE_EQ("EXEC-86", 1, o.seen->cells);
  }
}

// Statements: 0 and 1 the hardware loops, 2 the serial one, 3 the store, 4 the barrier, 5 the load and the store of O.
TEST(ExecFocus, TwoThreadsRunAloneInAPart) {
  const std::string text =
      "program p { temp A: i32[1048576]  temp O: i32[1048576, 2]  shared S: i32[1024]\n"
      "for g in 0..1024 @grid { for t in 0..1024 @workgroup { for k in 0..1000000 step 3 {\n"
      "S[t] = A[t]  barrier  O[t, 1] = S[1023 - t] } } } }";
  interp::Focus f;
  f.blind = true;
  f.storage = "S";
  f.cell = {7};
  f.points = {Point{3, true, {{"g", 900}, {"t", 7}, {"k", 300003}}, {900}, {7}},
              Point{5, false, {{"g", 900}, {"t", 1016}, {"k", 300000}}, {900}, {1016}}};
  const auto look_at = [&](std::set<int> statements, std::vector<std::pair<std::int64_t, std::int64_t>> values) {
    f.part = interp::Focus::Part{std::move(statements), {{2, std::move(values)}}};
    interp::Outcome o = look(text, f, {});
    RULE_EQ("EXEC-87", interp::Status::ok, o.status);
    RULE_TRUE("EXEC-87", o.operations < 200) << o.operations;
    return o;
  };
  const std::set<int> all{0, 1, 2, 3, 4, 5};
  interp::Outcome o = look_at(all, {{300000, 300003}});
  ASSERT_TRUE(o.seen && o.seen->points[0] && o.seen->points[1]);
  RULE_TRUE("EXEC-87", o.race && o.race->cell == std::vector<std::int64_t>{7});
  RULE_EQ("EXEC-87", o.seen->points[0]->interval, o.seen->points[1]->interval);
  RULE_TRUE("EXEC-87", o.seen->before[0] && o.seen->before[0]->iteration.front().second == 300000);
  f.points[0].iteration[2].second = 300000;  // one iteration: the barrier is between
  o = look_at(all, {{300000, 300000}});
  ASSERT_TRUE(o.seen->points[0] && o.seen->points[1]);
  RULE_TRUE("EXEC-87", !o.race && o.seen->points[0]->interval < o.seen->points[1]->interval);
  o = look_at({0, 1, 2, 3, 5}, {{300000, 300000}});  // without it
  RULE_TRUE("EXEC-87", o.race && o.seen->points[0]->interval == o.seen->points[1]->interval);
  o = look_at({0, 1, 2, 3}, {{300000, 300000}});
  RULE_TRUE("EXEC-87", o.seen->points[0] && !o.seen->points[1]);
  o = look_at(all, {{300001, 300002}});  // between two iterations
  RULE_TRUE("EXEC-87", !o.seen->points[0] && !o.seen->points[1]);
  o = look_at(all, {{-9, -1}, {300000, 300002}, {999'999'999, 999'999'999}});
  RULE_TRUE("EXEC-87", o.seen->points[0] && o.seen->points[1] && o.operations < 60);
}

TEST(ExecFocus, AnotherLaunchIsNotTouched) {
  const std::string text =
      "program p { output X: i32[1]  output O: i32[1]\n"
      "for t in 0..3 @workgroup { X[0] = i32(t) }  launch  for b in 0..3 @grid { O[0] = i32(b) } }";
  interp::Focus f;
  f.points = {Point{4, true, {{"b", 2}}, {2}, {}}, Point{4, true, {{"b", 0}}, {0}, {}}};
  f.storage = "O";
  f.cell = {0};
  f.ahead = 0;
  const interp::Outcome o = look(text, f, {});
  RULE_EQ("EXEC-83", (Values{2}), output(o, "X"));
  RULE_EQ("EXEC-83", (Values{1}), output(o, "O"));
}

TEST(ExecFocus, BarriersAreNamed) {
  const std::string text =
      "program p { inout A: i32[4]  inout O: i32[4]\n"
      "for t in 0..4 @workgroup { for k in 0..3 { A[t] = 1\nbarrier\nO[t] = A[3 - t] } } }";
  interp::Focus f;
  f.points = {Point{2, true, {{"t", 0}, {"k", 1}}, {}, {0}}, Point{4, false, {{"t", 3}, {"k", 0}}, {}, {3}}};
  f.storage = "A";
  f.cell = {0};
  const TensorMap zero{{"A", row(Type::i32, {0, 0, 0, 0})}, {"O", row(Type::i32, {0, 0, 0, 0})}};
  const interp::Outcome o = look(text, f, zero);
  ASSERT_TRUE(o.seen && o.seen->points[0] && o.seen->points[1]);
  for (const std::size_t k : {0, 1}) {
    RULE_EQ("EXEC-84", 1U, o.seen->points[k]->interval);
    ASSERT_TRUE(o.seen->before[k] && o.seen->after[k]);
    RULE_EQ("EXEC-84", 3, o.seen->before[k]->where.line);
    RULE_EQ("EXEC-84", (Iteration{{"k", 0}}), o.seen->before[k]->iteration);
    RULE_EQ("EXEC-84", (Iteration{{"k", 1}}), o.seen->after[k]->iteration);
  }
  RULE_EQ("EXEC-86", 4, o.seen->affected);
  // Nothing happens at an iteration that there is not, or in a thread that does something else.
  f.points[0].iteration[1].second = 3;
  f.points[1].thread = {2};
  const interp::Outcome none = look(text, f, zero);
  RULE_TRUE("EXEC-84", none.seen && !none.seen->points[0] && !none.seen->points[1]);
}

TEST(ExecFocus, ThreadsThatPartAreNamed) {
  interp::Focus f;
  f.points = {Point{2, false, {{"t", 0}}, {}, {0}}, Point{2, false, {{"t", 3}}, {}, {3}}};
  const interp::Outcome o =
      look("program p { output O: i32[4]\nfor t in 0..4 @workgroup { if t < 2 {\nbarrier }  O[t] = 1 } }", f, {});
  ASSERT_TRUE(o.seen.has_value());
  RULE_TRUE("EXEC-84", o.seen->diverged && o.seen->waits[0] && !o.seen->waits[1]);
  RULE_EQ("EXEC-84", 3, o.seen->waits[0]->where.line);
}

TEST(ExecFocus, BlindRunsGoOn) {
  interp::Focus f = meeting_in_mirror();
  const TensorMap a{{"A", row(Type::i32, {5, 6, 7, 8})}};
  RULE_EQ("EXEC-85", std::string("RUN-2 statement 2 line 2 t=0 S[3]"), describe(look(mirror, f, a)));
  f.blind = true;
  const interp::Outcome o = look(mirror, f, a);
  RULE_EQ("EXEC-85", std::string("ok"), describe(o));
  RULE_EQ("EXEC-85", (Values{0, 0, 6, 5}), output(o, "O"));
  RULE_EQ("EXEC-86", 4, o.seen->affected);
  f.points = {Point{2, true, {{"t", 0}}, {}, {0}}, Point{2, true, {{"t", 1}}, {}, {1}}};
  f.storage = "O";
  const std::string variables =
      "program p { output O: i32[2]  for t in 0..2 @workgroup { var x: i32  O[t] = x + (scope y: i32 { }) } }";
  RULE_EQ("EXEC-85", (Values{0, 0}), output(look(variables, f, {}), "O"));
}

// All pairs of affine indices of four threads, with and without a barrier, against enumeration.
TEST(ExecFocus, CellsAreCounted) {
  const TensorMap zero{{"S", row(Type::i32, std::vector<double>(8))}};
  int affected_somewhere = 0;
  for (int code = 0; code < 3 * 2 * 3 * 2 * 2; ++code) {
    const int a = code % 3, b = code / 3 % 2, c = code / 6 % 3, d = code / 18 % 2;
    const bool barrier = code / 36 == 1;
    const std::string text = fmt::format(
        "program p {{ inout S: i32[8]  output O: i32[4]\n"
        "for t in 0..4 @workgroup {{ S[{}*t + {}] = 1  {}  O[t] = S[{}*t + {}] }} }}",
        a, b, barrier ? "barrier" : "", c, d);
    std::set<int> cells;
    for (int t = 0; t < 4; ++t) {
      for (int u = 0; u < 4; ++u) {
        if (t != u && a * t + b == c * u + d) cells.insert(a * t + b);
      }
    }
    interp::Focus f;
    f.points = {Point{1, true, {{"t", 0}}, {}, {0}}, Point{barrier ? 3 : 2, false, {{"t", 1}}, {}, {1}}};
    f.storage = "S";
    f.cell = {0};
    SCOPED_TRACE(text);
    const interp::Outcome o = look(text, f, zero);
    ASSERT_TRUE(o.seen.has_value());
    RULE_EQ("EXEC-86", barrier ? 0 : static_cast<std::int64_t>(cells.size()), o.seen->affected);
    RULE_EQ("EXEC-86", 8, o.seen->cells);
    if (o.seen->affected > 0) ++affected_somewhere;
  }
  EXPECT_GT(affected_somewhere, 10);
}

// What several threads do together counts for the thread that it counts for.
TEST(ExecFocus, CollectivesCountForTheirThread) {
  const std::string text =
      "program p { input X: i32[4]  inout C: i32[1]\nfor k in 0..4 @reduce { C[0] += X[k] }  "
      "for t in 0..4 @workgroup { C[0] = 1 } }";
  const TensorMap inputs{{"X", row(Type::i32, {1, 2, 3, 4})}, {"C", row(Type::i32, {0})}};
  interp::Focus f;
  f.points = {Point{1, true, {{"k", 2}}, {}, {0}}, Point{3, true, {{"t", 3}}, {}, {3}}};
  f.storage = "C";
  f.cell = {0};
  const interp::Outcome o = look(text, f, inputs);
  RULE_TRUE("EXEC-84", o.seen && o.seen->points[0] && o.seen->points[1]);
  f.points[0].thread = {2};  // it contributes, but does not store
  RULE_TRUE("EXEC-84", !look(text, f, inputs).seen->points[0]);
}

}  // namespace
}  // namespace assay::test
