// Groups, threads, barriers, private copies, reductions.
#include "exec_support.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;

TEST(ExecLaunch, HardwareLoopsBindTheirSymbol) {
  const auto o = run_text(R"(program p { output C: i32[9]  output D: i32[9]
    zero C  zero D
    launch
    for g in 1..9 step 3 @grid { C[g] = i32(g) }
    launch
    for t in 2..9 step 4 @workgroup { D[t] = i32(t) }
  })");
  RULE_EQ("EXEC-14", (Values{0, 1, 0, 0, 4, 0, 0, 7, 0}), output(o, "C"));
  RULE_EQ("EXEC-14", (Values{0, 0, 2, 0, 0, 0, 6, 0, 0}), output(o, "D"));
  // Sibling loops of one slot: the smaller extent is a guard, also where it is empty.
  const auto siblings = run_text(R"(program p { output C: i32[4]  output D: i32[4]
    for i in 0..4 @grid { C[i] = 1  D[i] = 0 }
    for j in 0..2 @grid { D[1 - j] = 5 }
    for k in 3..2 @grid { D[k] = 9 }
  })");
  // Group 0 runs all three nests, then group 1, …: D[1] = 5 of group 0 comes before D[1] = 0 of group 1.
  RULE_EQ("EXEC-14", (Values{1, 1, 1, 1}), output(siblings, "C"));
  RULE_EQ("EXEC-16", (Values{5, 0, 0, 0}), output(siblings, "D"));
}

// A statement outside all loops runs in every thread: how often it ran is the number of threads of the launch.
TEST(ExecLaunch, SlotsAndExtents) {
  const auto threads = [](const std::string& nests) {
    return output(run_text("program p { output n: i32[1]  zero n  launch  n[0] += 1\n" + nests + "}"), "n")[0];
  };
  RULE_EQ("EXEC-15", 1.0, threads(""));
  RULE_EQ("EXEC-15", 6.0, threads("for i in 0..6 @grid { }"));
  RULE_EQ("EXEC-15", 12.0, threads("for i in 0..4 @grid { for j in 0..3 @workgroup { } }"));
  // Aligned from inside: slot 0 has 5 and 3, slot 1 has 2.
  RULE_EQ("EXEC-12", 10.0, threads("for i in 0..2 @grid { for j in 0..3 @grid { } }  for k in 0..5 @grid { }"));
  // The deepest nest below counts, and grid loops do not count for workgroup loops.
  RULE_EQ("EXEC-12", 2.0 * 7 * 3,
          threads("for i in 0..2 @grid { for j in 0..3 @grid { }  for k in 0..2 @grid { for l in 0..3 @grid { } }  }  "
                  "for m in 0..7 @grid { for q in 0..1 @grid { } }"));
  RULE_EQ("EXEC-12", 2.0 * 3 * 4 * 5,
          threads("for a in 0..2 @grid { for b in 0..3 @grid { for c in 0..4 @grid { for d in 0..5 @grid { } } } }"));
  RULE_EQ("EXEC-12", 2.0 * 4, threads("for a in 0..2 @workgroup { for g in 0..4 @grid { } }"));
  RULE_EQ("EXEC-12", 2.0 * 4, threads("for a in 0..2 @workgroup { for k in 0..4 @reduce { n[0] += 0 } }"));
  // The greatest trip count over the values of enclosing symbols.
  RULE_EQ("EXEC-13", 4.0, threads("for s in 0..5 { for i in s..4 @grid { } }"));
  RULE_EQ("EXEC-13", 7.0, threads("for s in 0..4 { for u in 0..1 { for i in 0..floordiv(7*s, 3) @grid { } } }"));
  RULE_EQ("EXEC-13", 5.0 * 8, threads("for g in 0..5 @grid { for i in 0..2*g step 1 @workgroup { } }"));
  RULE_EQ("EXEC-13", 3.0, threads("for g in 0..7 step 3 @grid { }"));
  RULE_EQ("EXEC-13", 1.0, threads("for s in 2..2 { for i in 0..9 @grid { } }"));
  RULE_EQ("EXEC-13", 9.0, threads("if 1 > 2 { for i in 0..9 @grid { } }"));
  RULE_EQ("EXEC-13", 1.0 + 9, threads("launch  n[0] += 1  for i in 0..9 @grid { }"));
  RULE_EQ("EXEC-13", 1.0, threads("for i in 5..3 @grid { }"));
}

TEST(ExecLaunch, GroupsAndThreadsInLexicographicOrder) {
  const auto grid = run_text(R"(program p { output trace: i64[1]
    zero trace
    launch
    for i in 0..2 @grid { for j in 0..3 @grid { trace[0] = trace[0] * 10 + i64(3*i + j + 1) } }
  })");
  RULE_EQ("EXEC-16", (Values{123456}), output(grid, "trace"));
  const auto threads = run_text(R"(program p { output trace: i64[1]
    zero trace
    launch
    for i in 0..2 @workgroup { for j in 0..3 @workgroup { trace[0] = trace[0] * 10 + i64(3*i + j + 1) } }
  })");
  RULE_EQ("EXEC-17", (Values{123456}), output(threads, "trace"));
  // The group is outermost whatever the nesting in the text.
  const auto outer = run_text(R"(program p { output trace: i64[1]
    zero trace
    launch
    for t in 0..2 @workgroup { for g in 0..2 @grid { trace[0] = trace[0] * 10 + i64(2*g + t + 1) } }
  })");
  RULE_EQ("EXEC-16", (Values{1234}), output(outer, "trace"));
  // A serial loop outside a hardware loop: every thread runs the whole of it before the next.
  const auto serial = run_text(R"(program p { output trace: i64[1]
    zero trace
    launch
    for s in 0..2 { for t in 0..2 @workgroup { trace[0] = trace[0] * 10 + i64(2*s + t + 1) } }
  })");
  RULE_EQ("EXEC-17", (Values{1324}), output(serial, "trace"));
}

TEST(ExecLaunch, BarriersSeparateIntervals) {
  const auto reverse = run_text(R"(program p { input A: f32[8]  output O: f32[8]  shared S: f32[4]
    for g in 0..2 @grid { for t in 0..4 @workgroup {
      S[t] = A[4*g + t]
      barrier
      O[4*g + t] = S[3 - t]
    } } })",
                                {{"A", row(Type::f32, {1, 2, 3, 4, 5, 6, 7, 8})}});
  RULE_EQ("EXEC-17", (Values{4, 3, 2, 1, 8, 7, 6, 5}), output(reverse, "O"));
  // Double buffering over four steps: every step reverses.
  const auto loop = run_text(R"(program p { input A: i32[4]  output O: i32[4]  shared S: i32[2, 4]
    for t in 0..4 @workgroup {
      S[0, t] = A[t]
      for k in 0..3 {
        barrier
        S[floormod(k + 1, 2), t] = S[floormod(k, 2), 3 - t] + 1
      }
      barrier
      O[t] = S[1, t]
    } })",
                             {{"A", row(Type::i32, {10, 20, 30, 40})}});
  RULE_EQ("EXEC-17", (Values{43, 33, 23, 13}), output(loop, "O"));
  // Intervals interleave the threads in order: all first parts, then all second parts.
  const auto trace = run_text(R"(program p { output trace: i64[1]
    zero trace
    launch
    for t in 0..3 @workgroup { trace[0] = trace[0] * 10 + i64(t + 1)  barrier  trace[0] = trace[0] * 10 + i64(t + 4)
      barrier  if t != 1 { trace[0] = trace[0] * 10 + i64(t + 7) } } })");
  RULE_EQ("EXEC-17", (Values{12345679}), output(trace, "trace"));
}

TEST(ExecLaunch, VariablesSurviveBarriers) {
  const auto o = run_text(R"(program p { input A: i32[3]  output O: i32[3]  shared S: i32[3]
    for t in 0..3 @workgroup {
      var mine: i32 = A[t]
      var sum: i32 = 0
      for k in 0..3 {
        if floormod(t + k, 3) == 0 { S[0] = mine * 10 }
        barrier
        sum = sum + S[0]
        barrier
      }
      O[t] = sum + mine
    } })",
                          {{"A", row(Type::i32, {1, 2, 3})}});
  RULE_EQ("EXEC-18", (Values{61, 62, 63}), output(o, "O"));
}

TEST(ExecLaunch, PrivateCopies) {
  // One local per thread, one shared per group; both undefined when a group or a launch begins.
  const auto o = run_text(R"(program p { output O: i32[2, 3]  shared S: i32[1]  local r: i32[2]
    for g in 0..2 @grid { for t in 0..3 @workgroup {
      r[0] = i32(t) + 1
      if t == 0 { S[0] = i32(g) * 100 }
      barrier
      r[1] = r[0] + S[0]
      barrier
      O[g, t] = r[0] * 1000 + r[1]
    } } })");
  RULE_EQ("EXEC-18", (Values{1001, 2002, 3003, 1101, 2102, 3103}), output(o, "O"));
  const auto across_groups = run_text(R"(program p { output O: i32[2]  shared S: i32[1]
    for g in 0..2 @grid {
      if g == 0 { S[0] = 1 }
      O[g] = S[0] } })");
  RULE_EQ("EXEC-18", std::string("RUN-2 statement 3 line 4 g=1 S[0]"), describe(across_groups));
  const auto across_threads = run_text(R"(program p { output O: i32[2]  local r: i32[1]
    for t in 0..2 @workgroup {
      if t == 0 { r[0] = 1 }
      O[t] = r[0] } })");
  RULE_EQ("EXEC-18", std::string("RUN-2 statement 3 line 4 t=1 r[0]"), describe(across_threads));
  const auto across_threads_with_barrier = run_text(R"(program p { output O: i32[2]  local r: i32[1]
    for t in 0..2 @workgroup {
      if t == 0 { r[0] = 1 }
      barrier
      O[t] = r[0] } })");
  RULE_EQ("EXEC-18", std::string("RUN-2 statement 4 line 5 t=1 r[0]"), describe(across_threads_with_barrier));
  for (const char* kind : {"shared", "local"}) {
    RULE_EQ("EXEC-18", std::string("RUN-2 statement 2 line 1 S[0]"),
            describe(run_text(std::string("program p { output O: i32[1]  ") + kind +
                              " S: i32[1]  S[0] = 1  launch  O[0] = S[0] }")));
    RULE_EQ(
        "EXEC-18", (Values{5}),
        output(run_text(std::string("program p { output O: i32[1]  ") + kind + " S: i32[1]  S[0] = 5  O[0] = S[0] }"),
               "O"));
  }
}

// A variable declared outside the hardware loops has a copy per thread, too.
TEST(ExecLaunch, VariablesOutsideHardwareLoops) {
  const auto o = run_text(R"(program p { output O: i32[4]
    var base: i32 = 7
    for g in 0..2 @grid { for t in 0..2 @workgroup { O[2*g + t] = base + i32(2*g + t) } } })");
  RULE_EQ("EXEC-18", (Values{7, 8, 9, 10}), output(o, "O"));
}

TEST(ExecLaunch, VariablesDoNotOutliveALaunch) {
  RULE_EQ("EXEC-18", std::string("RUN-2 statement 4 line 1 v"),
          describe(run_text("program p { output O: i32[2]  var v: i32 = 1  O[0] = v  launch  O[1] = 2  O[0] = v }")));
  RULE_EQ("EXEC-18", std::string("RUN-2 statement 4 line 1 v"),
          describe(run_text("program p { output O: i32[2]  var v: i32 = 1  launch  O[1] = 2  launch  O[0] = v }")));
  const auto o = run_text("program p { output O: i32[2]  var v: i32 = 1  O[0] = v  launch  v = 5  O[1] = v }");
  RULE_EQ("EXEC-18", (Values{1, 5}), output(o, "O"));
}

TEST(ExecLaunch, Divergence) {
  // DEV-12: the trip count depends on the thread.
  const auto dev12 = [](const char* loop) {
    return run_text(std::string(R"(program p { input a: i32[4]  output b: i32[2]  shared S: i32[2]
    for t in 0..2 @workgroup {
      S[t] = 0
      )") + loop + R"(
      b[t] = S[t]
    } })",
                    {{"a", row(Type::i32, {1, 2, 3, 4})}});
  };
  const auto bad = dev12("for i in 0..floordiv(4 - t, 2) { S[t] += a[2*i + t]  barrier }");
  RULE_EQ("RUN-8", std::string("RUN-8 statement 4 line 4 t=0 i=1"), describe(bad));
  RULE_EQ("RUN-8", (Cells{0}), bad.fault->at.thread);
  RULE_EQ("RUN-8", std::string("thread (0) waits at a barrier, thread (1) has ended"), bad.fault->message);
  RULE_EQ("RUN-8", (Values{4, 2}),
          output(dev12("for i in 0..2 { if i < floordiv(4 - t, 2) { S[t] += a[2*i + t] }  barrier }"), "b"));
  // Different barriers, different iterations, and threads that have ended.
  RULE_EQ("RUN-8", std::string("RUN-8 statement 2 line 1 t=0"),
          describe(run_text("program p { for t in 0..2 @workgroup { if t == 0 { barrier } else { barrier } } }")));
  RULE_EQ("RUN-8", std::string("RUN-8 statement 3 line 1 t=0 i=0"),
          describe(run_text("program p { for t in 0..2 @workgroup { for i in 0..2 { if i == t { barrier } } } }")));
  RULE_EQ("RUN-8", std::string("RUN-8 statement 1 line 1 t=0"),
          describe(run_text("program p { for t in 0..2 @workgroup { barrier }  for u in 0..3 @workgroup { } }")));
  // Iterations are counted from the lower bound, so these instances agree.
  RULE_EQ("EXEC-17", std::string("ok"),
          describe(run_text("program p { for t in 0..2 @workgroup { for i in t..t + 3 { barrier } } }")));
  // Divergence between groups is none.
  RULE_EQ("RUN-8", std::string("ok"),
          describe(run_text(
              "program p { for g in 0..3 @grid { for t in 0..2 @workgroup { for i in 0..g { barrier } } } }")));
}

// A tile product among threads: its lanes have a slot, the first one runs the nest, all threads wait behind it.
TEST(ExecLaunch, TileProductsOfThreads) {
  const auto with_tile = [](const std::string& before, const std::string& behind, const std::string& lanes = "3") {
    interp::Options options;
    options.detect_races = true;
    return run_text(
        "program p { input A: i32[2, 3]  input B: i32[3, 2]  output C: i32[2, 2]  output D: i32[6]  shared S: i32[3, "
        "2]\n" +
            before + "\nfor t in 0.." + lanes +
            " @tile { for i in 0..2 { for j in 0..2 { for k in 0..3 { C[i, j] += A[i, k] * S[k, j] } } } }\n" + behind +
            " }",
        {{"A", tensor(Type::i32, {2, 3}, {1, 2, 9, 3, 4, 9})},
         {"B", tensor(Type::i32, {3, 2}, {10, 20, 30, 40, 7, 7})}},
        options);
  };
  const std::string start = "for z in 0..3 @workgroup { if z < 2 { C[0, z] = 0  C[1, z] = 0 } ";
  const std::string copy = "S[z, 0] = B[z, 0]  S[z, 1] = B[z, 1] ";
  const std::string use = "for y in 0..3 @workgroup { D[y] = C[0, 0]  D[y + 3] = C[1, 1] }";
  const auto right = with_tile(start + copy + "barrier }", use);
  RULE_EQ("EXEC-76", (Values{133, 163, 213, 283}), output(right, "C"));
  RULE_EQ("EXEC-76", (Values{133, 133, 133, 283, 283, 283}), output(right, "D"));
  RULE_EQ("EXEC-77", std::string("none"),
          describe_race(right));  // ordered by the barrier and by the wait behind the nest
  // Nothing waits in front: the first lane runs the nest before the others copied.
  RULE_EQ("EXEC-76", std::string("RUN-2"), describe(with_tile(start + copy + "}", use)).substr(0, 5));
  // The first lane copies alone. Its values are there, and race with the other lanes all the same.
  const std::string alone = "if z == 0 { for c in 0..3 { S[c, 0] = B[c, 0]  S[c, 1] = B[c, 1] } } ";
  const std::string first = "if z == 0 { C[0, 0] = 0  C[0, 1] = 0  C[1, 0] = 0  C[1, 1] = 0 } ";
  const auto early = with_tile("for z in 0..3 @workgroup { " + first + alone + "}", use);
  RULE_EQ("EXEC-76", (Values{133, 163, 213, 283}), output(early, "C"));
  RULE_TRUE("EXEC-77", early.race.has_value());
  RULE_TRUE("EXEC-77", !with_tile("for z in 0..3 @workgroup { " + first + alone + "barrier }", use).race);
  // One lane is the thread itself.
  RULE_TRUE("EXEC-77", !with_tile("for z in 0..1 @workgroup { " + first + alone + "}", "", "1").race);
  // Lanes that are not all threads of their slot, and conditions that only some threads meet.
  const auto wide = with_tile("for z in 0..4 @workgroup { if z == 0 { zero S  zero C  zero D } barrier }", "");
  RULE_EQ("EXEC-76", std::string("RUN-8"), describe(wide).substr(0, 5));
  RULE_EQ("EXEC-76", std::string("thread (0) waits at a tile product, thread (3) has ended"), wide.fault->message);
  // Two teams: each its own product, and both wait for one another.
  const auto teams = run_text(R"(program p { input A: i32[4, 2]  inout C: i32[4, 2]  output D: i32[4]
    for w in 0..2 @workgroup {
      for t in 0..2 @tile { for i in 0..2 { for j in 0..2 { for k in 0..2 { C[2*w + i, j] += A[2*w + i, k] * A[k, j] } } } }
      for u in 0..2 @workgroup { D[2*w + u] = C[2 - 2*w + u, 0] } } })",
                              {{"A", tensor(Type::i32, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})},
                               {"C", tensor(Type::i32, {4, 2}, {0, 0, 0, 0, 0, 0, 0, 0})}});
  RULE_EQ("EXEC-75", (Values{7, 10, 15, 22, 23, 34, 31, 46}), output(teams, "C"));
  RULE_EQ("EXEC-75", (Values{23, 31, 7, 15}), output(teams, "D"));
}

// DEV-10 and DEV-13 have races that a canonical execution does not show: its values are those of the interval order.
TEST(ExecLaunch, CanonicalValuesOfRacyPrograms) {
  const auto dev10 = run_text(R"(program p { input A: i32[2, 2]  output R: i32[2, 2]  shared S: i32[2]
    for t in 0..2 @workgroup { for it in 0..2 { S[t] = A[it, t]  barrier  R[it, t] = S[0] + S[1] } } })",
                              {{"A", tensor(Type::i32, {2, 2}, {1, 2, 10, 20})}});
  RULE_EQ("EXEC-17", (Values{3, 12, 30, 30}), output(dev10, "R"));
  const auto dev13 = run_text(R"(program p { input A: i32[4]  output O: i32[4]  shared S: i32[4]
    for t in 0..4 @workgroup { S[t] = A[t]  if t < 2 { S[t + 2] = 9 }  barrier  O[t] = S[t] } })",
                              {{"A", row(Type::i32, {1, 2, 3, 4})}});
  RULE_EQ("EXEC-17", (Values{1, 2, 3, 4}), output(dev13, "O"));
}

TEST(ExecLaunch, ReduceIsTheSerialLoopDoneOnce) {
  // The initial store is under no loop of the slot: all lanes do it before the accumulation.
  const char* text = R"(program p { input A: f32[5]  output C: f32[2]
    C[0] = 1.0
    for k in 0..5 @reduce { C[0] += A[k] }
    C[1] = C[0] })";
  RULE_EQ("EXEC-19", (Values{16, 16}), output(run_text(text, {{"A", row(Type::f32, {1, 2, 3, 4, 5})}}), "C"));
  // In ascending order: f32 sums that depend on it.
  const auto order =
      run_text("program p { input A: f32[3]  output C: f32[1]  zero C  for k in 0..3 @reduce { C[0] += A[k] } }",
               {{"A", row(Type::f32, {16777216, 1, 1})}});
  RULE_EQ("EXEC-19", (Values{16777216}), output(order, "C"));
  // Under other threads and groups, with a smaller sibling, inside a serial loop, in some threads only.
  const auto nested = run_text(
      R"(program p { input A: i32[2, 3, 4]  output C: i32[2, 3]  output D: i32[2, 3]
    for g in 0..2 @grid { for t in 0..3 @workgroup {
      C[g, t] = 0
      for k in 0..4 @reduce { C[g, t] += A[g, t, k] }
      D[g, t] = 0
      for r in 0..2 { if t < 2 { for k in 1..3 @reduce { D[g, t] += A[g, t, k] } } }
    } } })",
      {{"A", tensor(Type::i32, {2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6})}});
  RULE_EQ("EXEC-19", (Values{10, 26, 15, 22, 20, 18}), output(nested, "C"));
  RULE_EQ("EXEC-19", (Values{10, 26, 0, 22, 20, 0}), output(nested, "D"));
}

TEST(ExecLaunch, ReduceOfWhatLanesContribute) {
  const auto o = run_text(R"(program p { input A: i32[4]  output C: i32[1]  local r: i32[1]
    for t in 0..4 @workgroup { r[0] = A[t] * 2 }
    C[0] = 0
    for k in 0..4 @reduce { C[0] += r[0] }
  })",
                          {{"A", row(Type::i32, {1, 2, 3, 4})}});
  RULE_EQ("EXEC-19", (Values{20}), output(o, "C"));
}

TEST(ExecLaunch, ReduceNeedsItsLanes) {
  const auto o = run_text(R"(program p { output C: i32[1]
    zero C
    for t in 0..4 @workgroup { if t < 2 { C[0] += 0 } }
    for s in 0..1 { for k in 0..4 @reduce { C[0] += 1 } } })");
  RULE_EQ("EXEC-19", (Values{4}), output(o, "C"));
  // Lanes 2 and 3 never come to the collective.
  const auto missing = run_text(R"(program p { output C: i32[1]  local r: i32[1]
    zero C
    for t in 0..4 @workgroup { r[0] = i32(t) }
    if r[0] < 2 {
      for k in 0..4 @reduce { C[0] += 1 }
    } })");
  RULE_EQ("RUN-8", std::string("RUN-8 statement 4 line 5"), describe(missing));
}

// A team of a reduce loop is not let go because another one, which waits elsewhere, has its size.
TEST(ExecLaunch, TeamsAreNotMixedUp) {
  const auto o = run_text(R"(program p { inout X: i32[16]
    for i in 0..1 @workgroup { barrier }
    for j in 2..4 @workgroup {
      for k in -2..0 @reduce { X[j] += 1 }
      barrier
    } })",
                          {{"X", row(Type::i32, Values(16))}});
  RULE_EQ("EXEC-19", std::string("RUN-8 statement 1 line 2 i=0"), describe(o));
  RULE_EQ("EXEC-19", std::string("thread (0, 0) waits at a barrier, thread (0, 1) waits at line 4"), o.fault->message);
}

TEST(ExecLaunch, PrivateReductionsAreInEveryLane) {
  const auto o = run_text(R"(program p { input A: i32[4]  output C: i32[4]  output D: i32[4]  local r: i32[1]
    var s: i32 = 100
    for k in 0..4 @reduce { s = s + A[k] }
    r[0] = 1
    for k in 0..4 @reduce { r[0] *= A[k] }
    for t in 0..4 @workgroup { C[t] = s + i32(t)  D[t] = r[0] } })",
                          {{"A", row(Type::i32, {1, 2, 3, 4})}});
  RULE_EQ("EXEC-33", (Values{110, 111, 112, 113}), output(o, "C"));
  RULE_EQ("EXEC-33", (Values{24, 24, 24, 24}), output(o, "D"));
  const auto lanes = run_text(R"(program p { input A: i32[2, 3]  output C: i32[2]  output n: i32[1]
    zero C  zero n
    launch
    n[0] += 1
    for v in 0..2 @vectorized { for k in 0..3 @reduce { C[v] += A[v, k] } }
    C[0] += scope s: i32 { s = 0  for k in 0..3 @reduce { s = s + 1 } } })",
                              {{"A", tensor(Type::i32, {2, 3}, {1, 2, 3, 4, 5, 6})}});
  RULE_EQ("EXEC-33", (Values{9, 15}), output(lanes, "C"));
  RULE_EQ("EXEC-33", (Values{1}), output(lanes, "n"));
}

// A classic tree reduction, with everything at once: groups, barriers in a loop, guards, shared memory.
TEST(ExecLaunch, TreeReduction) {
  Values a(16);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * i);
  const auto o = run_text(R"(program p { input A: i32[16]  output O: i32[2]  shared S: i32[8]
    for g in 0..2 @grid { for t in 0..8 @workgroup {
      S[t] = A[8*g + t]
      barrier
      if t < 4 { S[t] += S[t + 4] }
      barrier
      if t < 2 { S[t] += S[t + 2] }
      barrier
      if t == 0 { O[g] = S[0] + S[1] }
    } } })",
                          {{"A", row(Type::i32, a)}});
  RULE_EQ("EXEC-17", (Values{140, 1100}), output(o, "O"));
}

TEST(ExecLaunch, FaultsNameGroupAndThread) {
  const auto o = run_text(R"(program p { output C: i32[8]
    for g in 0..3 @grid { for h in 0..2 @grid { for t in 0..2 @workgroup {
      if g == 2 && h == 1 && t == 1 { C[9] = 1 } } } } })");
  RULE_EQ("RUN-1", std::string("RUN-1 statement 4 line 3 g=2 h=1 t=1 C[9]"), describe(o));
  EXPECT_EQ((Cells{2, 1}), o.fault->at.group);
  EXPECT_EQ((Cells{1}), o.fault->at.thread);
}

}  // namespace
}  // namespace assay::test
