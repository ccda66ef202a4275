// Race detection between groups.
#include "exec_support.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;

interp::Outcome detect(const std::string& text, const TensorMap& inputs = {}) {
  interp::Options options;
  options.detect_races = true;
  return run_text(text, inputs, options);
}

TEST(ExecRace, StoresAndLoadsOfDifferentGroups) {
  const TensorMap x{{"X", row(Type::i32, {1, 2, 3, 4})}};
  const auto forward = detect("program p { inout X: i32[4]  for i in 0..3 @grid { X[i + 1] = X[i] } }", x);
  RULE_EQ("EXEC-28", std::string("1 i=0 stores, 1 i=1 loads X[1]"), describe_race(forward));
  RULE_EQ("EXEC-28", std::string("ok"), describe(forward));  // the canonical execution is not changed
  RULE_EQ("EXEC-28", (Values{1, 1, 1, 1}), output(forward, "X"));
  RULE_EQ("EXEC-28", std::string("1 i=0 loads, 1 i=1 stores X[1]"),
          describe_race(detect("program p { inout X: i32[4]  for i in 0..3 @grid { X[i] = X[i + 1] } }", x)));
  RULE_EQ("EXEC-28", std::string("1 i=0 stores, 1 i=3 stores C[0]"),
          describe_race(detect("program p { output C: i32[3]  for i in 0..5 @grid { C[floormod(i, 3)] = 1 } }")));
  // Equal values race all the same.
  RULE_EQ("EXEC-28", std::string("1 i=0 stores, 1 i=1 stores C[0]"),
          describe_race(detect("program p { output C: i32[1]  for i in 0..2 @grid { C[0] = 7 } }")));
  // Loads alone do not, nor do accesses of one group, nor those of different launches.
  RULE_EQ(
      "EXEC-28", std::string("none"),
      describe_race(detect(
          "program p { inout X: i32[4]  output C: i32[4]  for i in 0..4 @grid { C[i] = X[0] + X[1]  C[i] += C[i] } }",
          x)));
  RULE_EQ("EXEC-28", std::string("none"),
          describe_race(detect("program p { inout X: i32[4]  for i in 0..4 @grid { X[i] += 1 }  launch  for j in 0..4 "
                               "@grid { X[3 - j] += 1 } }",
                               x)));
  RULE_EQ("EXEC-28", std::string("none"),
          describe_race(detect("program p { inout X: i32[4]  for i in 0..4 { X[0] += i32(i) } }", x)));
}

TEST(ExecRace, SiblingNestsAreUnordered) {
  const auto o = detect(R"(program p { temp T: i32[4]  output C: i32[4]
    for i in 0..4 @grid { T[i] = 1 }
    for j in 0..4 @grid { C[j] = T[3 - j] } })");
  // Group 0 reads T[3], which no group has stored yet; the race is with group 3, which comes later: the fault comes first.
  RULE_EQ("EXEC-28", std::string("RUN-2 statement 3 line 3 j=0 T[3]"), describe(o));
  const auto defined = detect(R"(program p { inout T: i32[4]  output C: i32[4]
    for i in 0..4 @grid { T[i] = 1 }
    for j in 0..4 @grid { C[j] = T[3 - j] } })",
                              {{"T", row(Type::i32, {0, 0, 0, 0})}});
  RULE_EQ("EXEC-28", std::string("3 j=1 loads, 1 i=2 stores T[2]"), describe_race(defined));
}

TEST(ExecRace, UncoveredStatements) {
  const auto o = detect("program p { output C: i32[4]  output D: i32[1]  D[0] = 0  for i in 0..4 @grid { C[i] = 1 } }");
  RULE_EQ("EXEC-28", std::string("0 stores, 0 stores D[0]"), describe_race(o));
  RULE_EQ("EXEC-28", (Cells{0}), o.race->first.group);
  RULE_EQ("EXEC-28", (Cells{1}), o.race->second.group);
  RULE_EQ("EXEC-28", std::string("0 stores, 0 stores C[0]"),
          describe_race(detect("program p { output C: i32[4]  zero C  for i in 0..4 @grid { C[i] = 1 } }")));
  RULE_EQ("EXEC-28", std::string("none"),
          describe_race(detect("program p { output C: i32[4]  zero C  launch  for i in 0..4 @grid { C[i] = 1 } }")));
}

TEST(ExecRace, PrivateCopiesAndInputsDoNotRace) {
  RULE_EQ("EXEC-28", std::string("none"),
          describe_race(detect(
              R"(program p { input A: i32[1]  output C: i32[4]  shared S: i32[1]  local r: i32[1]  const K: i32[1] = {3}
    for i in 0..4 @grid { S[0] = A[0]  r[0] = S[0] + K[0]  var v: i32 = r[0]  v = v + 1  C[i] = v } })",
              {{"A", row(Type::i32, {1})}})));
}

TEST(ExecRace, TheEarliestPartnerIsReported) {
  // C[0] is loaded by groups 0 and 1 and stored by group 2; then stored by all.
  const auto o = detect(R"(program p { inout C: i32[4]
    for i in 0..4 @grid { var s: i32 = 0  if i < 2 { s = C[0] } else { C[0] = 5 } } })",
                        {{"C", row(Type::i32, {1, 2, 3, 4})}});
  RULE_EQ("EXEC-28", std::string("3 i=0 loads, 4 i=2 stores C[0]"), describe_race(o));
}

// A variable that the loop's iterations would share. Such a program is not well formed; a wrong transform can make it.
TEST(ExecRace, VariablesAssignedInsideAGrid) {
  const auto with_grid = [](Program p) {
    for (Stmt& s : p.body) {
      if (s->kind == StmtKind::loop) s = with(s, [](StmtNode& n) { n.axis = Axis::grid; });
    }
    interp::Options options;
    options.detect_races = true;
    TensorMap inputs{{"A", row(Type::i32, {1, 2, 3, 4})}};
    return run_both(p, inputs, options);
  };
  const auto sum = with_grid(program(
      "program p { input A: i32[4]  temp C: i32[4]  var s: i32 = 0  for i in 0..4 { s = s + A[i]  C[i] = s } }"));
  RULE_EQ("EXEC-29", std::string("2 i=0 stores, 2 i=1 loads s"), describe_race(sum));
  const auto last =
      with_grid(program("program p { input A: i32[4]  temp C: i32[4]  var s: i32 = 0  for i in 0..4 { if i == 2 { s = "
                        "A[i] } else { C[i] = s } } }"));
  RULE_EQ("EXEC-29", std::string("4 i=0 loads, 3 i=2 stores s"), describe_race(last));
  const auto own = with_grid(program(
      "program p { input A: i32[4]  temp C: i32[4]  for i in 0..4 { var s: i32 = 0  s = s + A[i]  C[i] = s } }"));
  RULE_EQ("EXEC-29", std::string("none"), describe_race(own));
  const auto one = with_grid(program(
      "program p { input A: i32[4]  temp C: i32[4]  var s: i32 = 0  for i in 0..1 { s = s + A[i]  C[i] = s } }"));
  RULE_EQ("EXEC-29", std::string("none"), describe_race(one));
  const auto only_read =
      with_grid(program("program p { input A: i32[4]  temp C: i32[4]  var s: i32 = 0  for i in 0..4 { C[i] = s } }"));
  RULE_EQ("EXEC-29", std::string("none"), describe_race(only_read));
}

TEST(ExecRace, ThreadsOfAGroup) {
  const TensorMap x{{"X", row(Type::i32, {1, 2, 3, 4, 5})}};
  const auto threads = [&](const std::string& body) {
    return describe_race(detect(
        "program p { inout X: i32[5]  shared S: i32[5]  local r: i32[1]  for t in 0..4 @workgroup { " + body + " } }",
        x));
  };
  RULE_EQ("PLL-11", std::string("1 t=0 stores, 1 t=1 loads X[1]"), threads("X[t + 1] = X[t]"));
  RULE_EQ("PLL-11", std::string("1 t=0 loads, 1 t=1 stores X[1]"), threads("X[t] = X[t + 1]"));
  RULE_EQ("PLL-11", std::string("1 t=0 stores, 1 t=1 stores S[0]"), threads("S[0] = 7"));
  RULE_EQ("PLL-11", std::string("1 t=1 stores, 3 t=2 loads S[1]"), threads("S[t] = X[t]  if t == 2 { X[t] = S[1] }"));
  RULE_EQ("PLL-11", std::string("none"), threads("S[t] = X[t]  barrier  X[t] = S[3 - t]"));
  RULE_EQ("PLL-11", std::string("none"), threads("r[0] = X[t]  X[t] = r[0]"));
  RULE_EQ("PLL-11", std::string("none"), threads("S[t] = X[0]"));
  // Between two barriers: the read of one iteration and the store of the next.
  RULE_EQ("PLL-11", std::string("2 t=1 k=1 stores, 4 t=2 k=0 loads S[1]"),
          threads("for k in 0..2 { S[t] = X[t]  barrier  X[t] = S[3 - t] }"));
  RULE_EQ("PLL-11", std::string("none"), threads("for k in 0..2 { S[t] = X[t]  barrier  X[t] = S[3 - t]  barrier }"));
  const auto o = detect("program p { inout X: i32[5]  for t in 0..4 @workgroup { X[t + 1] = X[t] } }", x);
  RULE_EQ("PLL-11", (Cells{0}), o.race->first.thread);
  RULE_EQ("PLL-11", (Cells{1}), o.race->second.thread);
  RULE_EQ("PLL-11", (Values{1, 1, 1, 1, 1}), output(o, "X"));  // the canonical execution is not changed
}

TEST(ExecRace, ThreadsAndGroups) {
  // Shared copies are one per group, and a group's race with an earlier group comes first.
  RULE_EQ("PLL-11", std::string("none"),
          describe_race(detect("program p { output C: i32[2, 4]  shared S: i32[4]  for g in 0..2 @grid { for t in 0..4 "
                               "@workgroup { S[t] = 1  barrier  C[g, t] = S[3 - t] } } }")));
  RULE_EQ("PLL-11", std::string("2 g=0 t=0 stores, 2 g=0 t=1 stores C[0]"),
          describe_race(
              detect("program p { temp C: i32[1]  for g in 0..2 @grid { for t in 0..2 @workgroup { C[0] = 1 } } }")));
  RULE_EQ("PLL-11", std::string("2 g=0 t=0 stores, 2 g=1 t=0 stores C[0]"),
          describe_race(
              detect("program p { temp C: i32[2]  for g in 0..2 @grid { for t in 0..2 @workgroup { C[t] = 1 } } }")));
  // Statements outside of the loop of a slot, and threads that none of the loops needs.
  RULE_EQ("PLL-11", std::string("2 stores, 2 stores C[0]"),
          describe_race(
              detect("program p { temp C: i32[1]  temp D: i32[2]  for t in 0..2 @workgroup { D[t] = 1 }  C[0] = 1 }")));
  // The threads of a reduce loop, too, execute what stands beside it.
  const TensorMap x{{"X", row(Type::i32, {1, 2, 3, 4})}};
  const std::string head = "program p { input X: i32[4]  output C: i32[1]  zero C ";
  const std::string sum = "for k in 0..4 @reduce { C[0] += X[k] } }";
  RULE_EQ("PLL-11", std::string("0 stores, 0 stores C[0]"), describe_race(detect(head + sum, x)));
  RULE_EQ("PLL-11", std::string("none"), describe_race(detect(head + "launch " + sum, x)));
}

interp::Outcome in_turns(const std::string& text, interp::Turns turns, const TensorMap& inputs = {},
                         interp::Engine engine = interp::Engine::compiled) {
  interp::Options options;
  options.turns = turns;
  options.seed = 5;
  options.engine = engine;
  options.detect_races = true;
  return run_text(text, inputs, options);
}

TEST(ExecTurns, ShowWhatRacesLeave) {
  using interp::Turns;
  const std::string last = "program p { output X: i32[1]  for t in 0..3 @workgroup { X[0] = i32(t) } }";
  RULE_EQ("EXEC-80", (Values{2}), output(in_turns(last, Turns::canonical), "X"));
  RULE_EQ("EXEC-80", (Values{0}), output(in_turns(last, Turns::reversed), "X"));
  // All load, then all store.
  const std::string lost = "program p { inout X: i32[1]  for t in 0..3 @workgroup { X[0] = X[0] + 1 } }";
  const TensorMap zero{{"X", row(Type::i32, {0})}};
  RULE_EQ("EXEC-80", (Values{3}), output(in_turns(lost, Turns::reversed, zero), "X"));
  RULE_EQ("EXEC-80", (Values{1}), output(in_turns(lost, Turns::round_robin, zero), "X"));
  for (const Turns turns : {Turns::canonical, Turns::reversed, Turns::round_robin, Turns::random}) {
    RULE_TRUE("EXEC-82", in_turns(lost, turns, zero).race.has_value());
    // The engines are one.
    RULE_EQ("EXEC-81", in_turns(lost, turns, zero, interp::Engine::tree).outputs, in_turns(lost, turns, zero).outputs);
  }
}

TEST(ExecTurns, LeaveTheSameMemoryWithoutRaces) {
  using interp::Turns;
  const std::string text = R"(program p { input A: f32[4]  output B: f32[4]  inout C: f32[1]  shared S: f32[4]
    for t in 0..4 @workgroup { S[t] = A[t] * 3.0  barrier  B[t] = S[3 - t] }
    for k in 0..4 @reduce { C[0] += A[k] } })";
  // The terms of the sum do not add up to the same in another order.
  const TensorMap x{{"A", row(Type::f32, {1e8, 1, -1e8, 1})}, {"C", row(Type::f32, {0})}};
  const interp::Outcome canonical = in_turns(text, Turns::canonical, x);
  RULE_EQ("EXEC-82", std::string("ok"), describe(canonical));
  RULE_EQ("EXEC-82", std::string("none"), describe_race(canonical));
  for (const Turns turns : {Turns::reversed, Turns::round_robin, Turns::random}) {
    const interp::Outcome o = in_turns(text, turns, x);
    RULE_EQ("EXEC-82", canonical.outputs, o.outputs);
    RULE_EQ("EXEC-82", std::string("none"), describe_race(o));
  }
  // What a thread contributes is its own access; the sum is the first one's.
  RULE_EQ("PLL-11", std::string("1 k=0 stores, 3 t=1 loads C[0]"),
          describe_race(detect("program p { inout C: i32[1]  output D: i32[2]\n"
                               "for k in 0..2 @reduce { C[0] += 1 }\n"
                               "for t in 0..2 @workgroup { D[t] = C[0] } }",
                               {{"C", row(Type::i32, {0})}})));
}

}  // namespace
}  // namespace assay::test
