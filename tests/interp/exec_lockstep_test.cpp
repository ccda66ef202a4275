// Threads in lockstep and nests of loops, where they differ most from the walk: run_both compares the engines.
#include <fmt/format.h>

#include "exec_support.hpp"
#include "interp/inputs.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

// With and without race detection and marks, and with budgets that end the run somewhere.
interp::Outcome both(const std::string& text) {
  const Program p = program(text);
  interp::Outcome plain;
  for (int mode = 0; mode < 3; ++mode) {
    interp::Options options;
    options.detect_races = mode == 1;
    if (mode == 2) options.reordered = {2, 3, 4, 5, 6};
    const interp::Outcome o = run_both(p, interp::generate_inputs(p, {}, interp::InputKind::exact, 1), options);
    if (mode == 0) plain = o;
  }
  interp::Options options;
  for (std::uint64_t k = 1; k < 8; ++k) {
    options.budget = plain.operations * k / 8;
    run_both(p, interp::generate_inputs(p, {}, interp::InputKind::exact, 1), options);
  }
  return plain;
}
constexpr const char* buffers =
    "inout A: f32[64, 64]  inout B: f32[64, 64]  inout V: f32[640]  output W: f32[64]  shared S: f32[80]  shared T: "
    "f32[8, 8]\n"
    "local L: f32[5]  input ids: i32[64] in 0..64";
std::string with_buffers(const std::string& body) { return fmt::format("program p {{ {}\n{} }}", buffers, body); }
std::string ended(const interp::Outcome& o) {
  return o.status == interp::Status::ok ? "ok" : o.fault ? o.fault->code : "limit";
}

TEST(Lockstep, EveryDistanceBetweenThreads) {
  // Two accesses of one interval at every distance, in both orders, with a barrier between them and without one.
  for (int distance : {-33, -32, -31, -8, -2, -1, 0, 1, 2, 7, 8, 31, 32, 33}) {
    for (const char* index : {"t", "2*t", "-t", "8*t", "t + u", "floordiv(t, 2)", "3"}) {
      for (const char* between : {"", "barrier"}) {
        const auto o =
            both(with_buffers(fmt::format("for t in 0..32 @workgroup {{ for u in 0..2 {{ V[{0} + 300] = f32(t)\n {1}\n "
                                          "B[t, u] = V[{0} + {2} + 300]\n {1} }} }}",
                                          index, between, distance)));
        RULE_TRUE("EXEC-46", ended(o) == "RUN-6") << index;  // W is never stored: the run itself is right
      }
    }
  }
}

TEST(Lockstep, OnlyTheStartOfARun) {
  const auto start = [](const std::string& text, std::uint64_t budget) {
    interp::Options options;
    options.budget = budget;
    options.detect_races = true;
    options.partial = true;
    const Program p = program(text);
    return interp::run(p, interp::generate_inputs(p, {}, interp::InputKind::exact, 1), options);
  };
  const std::string mirror =
      "program p { input A: f32[4096]  output O: f32[4096]  shared S: f32[4096]\n"
      "for t in 0..4096 @workgroup { for k in 0..100 { S[t] = A[t]\nbarrier\nO[t] = S[4095 - t]\n";
  const interp::Outcome right = start(mirror + "barrier } } }", 100'000);
  RULE_TRUE("EXEC-88", right.status == interp::Status::budget && !right.race && !right.limit.empty());
  RULE_TRUE("EXEC-88", right.operations > 100'000 && right.operations < 200'000) << right.operations;
  const interp::Outcome racy = start(mirror + "} } }", 1'000'000);
  RULE_TRUE("EXEC-88", racy.status == interp::Status::budget && racy.race);
  RULE_EQ("EXEC-88", interp::Status::ok, start(mirror + "barrier } } }", 1'000'000'000).status);
  // What alone is too much is begun.
  const interp::Outcome nest = start("program p { output O: f32[1]  for i in 0..1000000 { O[0] = 1.0 } }", 50'000);
  RULE_TRUE("EXEC-88", nest.status == interp::Status::budget && nest.operations >= 50'000) << nest.operations;
}

TEST(Lockstep, GridsOfThreads) {
  for (const char* body :
       {"for x in 0..4 @workgroup { for y in 0..8 @workgroup { S[8*x + y] = A[x, y]  T[x, y] = A[y, x]  barrier\n"
        " for k in 0..8 { B[x, y] = B[x, y] + S[8*x + k] * T[floordiv(k, 2), y] } } }",
        "for x in 0..2 @workgroup { for y in 1..4 @workgroup { for z in 0..3 @workgroup { V[9*x + 3*y + z] = A[y, z] + "
        "f32(x)\n"
        " barrier  B[z, y] = V[8*x + 4*y + z]  B[40 + z, 3*x + y] = 1.0 } } }",
        "for x in 0..2 @workgroup { for y in 0..2 @workgroup { for z in 0..2 @workgroup { B[2*x + y, z] = A[x, y] + "
        "A[z, x] } } }",
        "for g in 0..3 @grid { for x in 0..5 @workgroup { for y in 0..x + 1 @workgroup { B[8*g + x, y] = A[y, x] * 2.0 "
        "} } }",
        "for x in 0..8 @workgroup { B[x, 0] = 1.0 }  for y in 0..5 @workgroup { B[y, 1] = B[y, 0] }",
        "for x in 0..8 step 3 @workgroup { B[x, 0] = 1.0  for y in 0..9 step 2 @workgroup { B[x, y] = B[x, y] + 1.0 } "
        "}",
        "for x in 0..8 @workgroup { for j in x..2*x { B[x, j] = A[x, j] + A[ids[x], j] } }",
        "for x in 0..8 @workgroup { for j in 0..4 { V[4*x + j] = V[4*x + j] + 1.0 } }",
        "for x in 0..8 @workgroup { for j in 0..5 { V[4*x + j] = V[4*x + j] + 1.0 } }",
        "for x in 0..8 @workgroup { for v in 0..4 @vectorized { V[4*x + v] = V[4*x + v] + A[x, v] } }",
        "for x in 0..8 @workgroup { for v in 0..4 @vectorized { V[v] = V[v] + A[x, v] } }",
        "for x in 0..8 @workgroup { var s: f32 = A[x, 0]  if s > 0.0 { B[x, 1] = s } else { s = 2.0 }  barrier  B[x, "
        "2] = s }"}) {
    RULE_TRUE("EXEC-46", ended(both(with_buffers(body))) == "RUN-6") << body;
  }
}

TEST(Lockstep, LocalCopies) {
  for (const char* body : {"for x in 0..8 @workgroup { for k in 0..5 { L[k] = A[x, k] }  barrier  for k in 0..5 { B[x, "
                           "k] = L[4 - k] + 1.0 } }",
                           "for x in 0..8 @workgroup { for y in 0..3 @workgroup { L[i32(y)] = A[x, y]  barrier "
                           " B[x, y] = L[y] } }",
                           "for x in 0..8 @workgroup { for v in 0..5 @vectorized { L[v] = A[x, v] }  for v in 0..5 "
                           "@vectorized { B[x, v] = L[4 - v] } }"}) {
    RULE_TRUE("EXEC-46", ended(both(with_buffers(body))) == "RUN-6") << body;
  }
  // A cell that the group or thread before has left.
  RULE_EQ("EXEC-46", std::string("RUN-2"),
          ended(both(with_buffers(
              "for g in 0..2 @grid { for x in 0..8 @workgroup { if g == 0 { L[0] = 1.0 }  B[x, g] = L[0] } }"))));
  RULE_EQ("EXEC-46", std::string("RUN-2"),
          ended(both(with_buffers("for x in 0..8 @workgroup { if x < 7 { L[0] = 1.0 }  B[x, 0] = L[0] }"))));
}

TEST(Lockstep, FaultsAreThoseOfTheFirstThread) {
  const struct {
    const char* body;
    const char* end;
  } cases[] = {
      {"for x in 0..8 @workgroup { B[x, x + 60] = 1.0  V[100 * x] = 2.0 }", "RUN-1"},
      {"for x in 0..8 @workgroup { S[x] = 1.0  barrier  B[x, 0] = S[2 * x] }", "RUN-2"},
      {"for x in 0..8 @workgroup { if x < 5 { barrier }  B[x, 0] = 1.0 }", "RUN-8"},
      {"for x in 0..8 @workgroup { for k in 0..x { barrier }  B[x, 0] = 1.0 }", "RUN-8"},
      {"for x in 0..8 @workgroup { for y in 0..x + 1 @workgroup { barrier  B[x, y] = 1.0 } }", "RUN-8"},
      {"for x in 0..8 @workgroup { for k in 0..3 { if k < 3 { barrier }  B[x, k] = 1.0 } }", "RUN-6"},
      {"for x in 0..8 @workgroup { for v in 0..2 @vectorized { B[x, 0] = 1.0 } }", "RUN-7"},
      {"for g in 0..4 @grid { for x in 0..8 @workgroup { V[7*g + x] = 1.0 } }", "RUN-6"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.body);
    RULE_EQ("EXEC-46", std::string(c.end), ended(both(with_buffers(c.body))));
  }
}

TEST(Lockstep, GroupsTogether) {
  const struct {
    const char* body;
    const char* end;
  } cases[] = {
      // Copies of shared and local buffers of every group, also where the last batch is smaller than the others.
      {"for g in 0..61 @grid { for x in 0..8 @workgroup { S[x] = A[g, x]  L[1] = A[x, g]  barrier\n"
       " B[g, x] = S[7 - x] + L[1] } }",
       "RUN-6"},
      {"for h in 0..3 @grid { for g in 0..50 @grid { for x in 0..8 @workgroup { S[x] = A[g, x]  barrier\n"
       " B[g, 8*h + x] = S[7 - x] } } }",
       "RUN-6"},
      {"for g in 0..40 @grid { for x in 0..4 @workgroup { for y in 0..3 @workgroup { T[x, y] = A[g, x]  barrier\n"
       " B[g, 3*x + y] = T[3 - x, 2 - y] } } }",
       "RUN-6"},
      {"for g in 0..63 step 2 @grid { for x in 0..5 @workgroup { S[x] = A[x, g]  barrier\n"
       " for v in 0..4 @vectorized { B[g + v - v, 4*x + v] = S[4 - x] } } }",
       "RUN-6"},
      {"for g in 0..64 @grid { for x in 0..1 @workgroup { S[3] = A[g, x]  barrier  B[g, 5] = S[3] } }", "RUN-6"},
      {"for g in 0..64 @grid { for x in 0..4 @workgroup { S[ids[x]] = 1.0  B[g, x] = S[ids[x]] } }", "RUN-6"},
      // A value that the group before has left in the copy.
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { if g == 0 { S[x] = 1.0 }  barrier  B[g, x] = S[x] } }",
       "RUN-2"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { if g < 15 { S[x] = 1.0 }  barrier  B[g, x] = S[x] } }",
       "RUN-2"},
      // Barriers, loops and guards that differ between groups.
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { if floormod(g, 3) == 1 { S[x] = A[g, x]  barrier\n"
       " B[g, x] = S[7 - x] } } }",
       "RUN-6"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { for k in 0..g { S[x] = A[g, x] + f32(k)  barrier\n"
       " B[g, x] = B[g, x] + S[7 - x]  barrier } } }",
       "RUN-6"},
      {"for g in 0..16 @grid { for x in 0..g @workgroup { S[x] = A[g, x]  barrier  B[g, x] = S[g - 1 - x] } }",
       "RUN-8"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { if g == 7 { if x < 5 { barrier } }  B[g, x] = 1.0 } }",
       "RUN-8"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { B[g, x] = 1.0 } }\n"
       "for g in 0..9 @grid { for x in 0..8 @workgroup { B[g, x] = B[g, x] + 2.0 } }",
       "RUN-6"},
      // Groups that meet.
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { V[g + 20*x] = A[g, x]  B[g, x] = V[g + 20*x + 1] } }",
       "RUN-6"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { V[x] = V[x] * 0.5 + A[g, x] } }", "RUN-6"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { V[7*g + x] = A[g, x] } }", "RUN-6"},
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { V[8*g + x] = A[g, x] } }", "RUN-6"},
      // The first fault of several.
      {"for g in 0..16 @grid { for x in 0..8 @workgroup { if g == 9 { B[64, x] = 1.0 }  if g == 5 { V[700*x] = 1.0 } } "
       "}",
       "RUN-1"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.body);
    RULE_EQ("EXEC-48", std::string(c.end), ended(both(with_buffers(c.body))));
  }
  // Every distance between what two groups touch.
  for (int distance = -9; distance <= 9; ++distance) {
    const auto o = both(with_buffers(
        fmt::format("for g in 0..16 @grid {{ for x in 0..4 @workgroup {{ V[4*g + x + 100] = f32(g)\n B[g, x] = V[4*g + "
                    "x + {} + 100] }} }}",
                    distance)));
    RULE_TRUE("EXEC-48", ended(o) == "RUN-6") << distance;
  }
}

TEST(Nests, LoopsInLoops) {
  for (const char* body :
       {"for i in 0..9 { for j in 1..9 { for k in 0..3 { A[i, j] = A[i, j - 1] * B[j, k] + V[9*i + j] } } }",
        "for i in 0..9 { A[i, 0] = 1.0  for j in 1..9 { A[i, j] = A[i, j - 1] - 2.0 * f32(i + j) }  B[i, 0] = A[i, 8] "
        "}",
        "for i in 0..9 step 2 { for j in 3..9 step 3 { V[3*i + j] = V[3*i + j - 3] + V[40 - i - j] } }",
        "for i in 0..9 { for j in 0..9 { for k in i..j { A[i, j] = A[i, k] + A[k, j] } } }",
        "for i in 0..9 { var s: f32 = 0.0  for j in 0..7 { s = s * A[i, j] + B[j, i]  A[j, i] = s } }",
        "for i in 0..9 { for j in 0..6 { V[i + j] = select(A[i, j] > 0.0, max(V[i + j], 1.0), exp(A[j, i])) } }",
        "for i in 0..9 { for j in 0..0 { A[i, j] = 1.0 }  for j in 1..5 { A[i, j] = A[i, j - 1] } }",
        "for i in 0..9 { for q in 0..4 { for j in 0..8 @vectorized { A[i, 8*q + j] = A[i, 8*q + j] + B[i, q] * V[8*q + "
        "j] } } }",
        "for i in 0..9 { for q in 0..4 { for j in 0..8 @vectorized { var x: f32 = B[i, j]  A[i, q + j] = A[i, q + j] + "
        "x  x = x + 1.0  V[j] = x } } }",
        "for i in 0..9 { for j in 0..8 @vectorized { V[j + 1] = V[j] + 1.0 } }",
        "for i in 0..9 { for j in 0..8 @vectorized { V[j] = V[j + 1] + 1.0  A[i, j] = V[j] } }",
        "for i in 0..9 { for j in 0..30 @vectorized { V[j] = V[j] + A[i, j] } }"}) {
    RULE_TRUE("EXEC-47", ended(both(with_buffers(body))) == "RUN-6") << body;
  }
}

TEST(Nests, FaultsAreTheFirstOnes) {
  const struct {
    const char* body;
    const char* end;
  } cases[] = {
      {"for i in 0..9 { for j in 1..9 { A[i, j + 56] = A[i, j + 55] + 1.0  V[80*i + j] = A[i, 0] } }", "RUN-1"},
      {"for i in 0..9 { for j in 1..5 { W[j + i] = W[j + i - 1] + 1.0 } }", "RUN-2"},
      {"W[0] = 1.0  for i in 0..9 { for j in 1..5 { W[j + i] = W[j + i - 1] + 1.0 } }", "RUN-6"},
      {"for i in 0..9 { var s: f32  for j in 1..5 { if i < 9 { s = s + 1.0 } } }", "RUN-2"},
      {"for i in 0..9 { for j in 0..8 @vectorized { V[i] = A[i, j] } }", "RUN-7"},
      {"for i in 0..9 { for j in 0..1 @vectorized { V[i] = A[i, j] } }", "RUN-6"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.body);
    RULE_EQ("EXEC-47", std::string(c.end), ended(both(with_buffers(c.body))));
  }
  RULE_EQ("EXEC-47", std::string("RUN-3"),
          ended(both("program p { inout A: i32[40]\n for i in 0..3 { for j in 1..8 { A[i + j] = floormod(A[i + j - 1], "
                     "A[j] - A[j]) } } }")));
}

/// A budget far too small for a nest must not let it begin.
TEST(Nests, BudgetsAreLookedAtBefore) {
  const Program p = program(R"(program p { inout A: i32[4]
    for i in 0..4000000000000 { for j in 0..4000000000000 { for k in 1..4 { A[k] = A[k - 1] + 1 } } } })");
  interp::Options options;
  options.budget = 1000;
  const auto o = run_both(p, interp::generate_inputs(p, {}, interp::InputKind::exact, 1), options);
  RULE_EQ("EXEC-47", std::string("limit"), ended(o));
}

}  // namespace
}  // namespace assay::test
