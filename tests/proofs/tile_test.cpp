// What `@tile` loops mean in obligations (PRF-70).
#include <gtest/gtest.h>

#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay {
namespace {

using test::line;
using test::program;

std::string failure(const std::vector<Obligation>& all) {
  for (const Obligation& o : all) {
    if (o.status != Obligation::Status::proved) return o.kind + " " + o.code;
  }
  return {};
}

// The claim of a step, its result changed by hand.
std::string answer(const std::string& text, const std::string& operation,
                   const std::function<Stmt(const Stmt&)>& change = {}) {
  const auto query = make_portfolio_query();
  const Program before = number_statements(program(text));
  auto rewritten = apply_line(before, line(operation), *query);
  if (!rewritten) return rewritten.error().diagnostic.code;
  Program after = rewritten->program;
  if (change) after.body = rewrite(after.body, {}, [&](const Stmt& s) { return Block{change(s)}; });
  return failure(validate(before, after, *query).obligations);
}
std::string lint(const std::string& text) {
  const auto query = make_portfolio_query();
  return failure(lint_obligations(program(text), *query));
}

const char* const scalar =
    "program p { param n in 0..9 input A: f32[8, 8] input B: f32[8, 8] inout C: f32[8, 8] for i in 0..8 { for j in "
    "0..8 { for k "
    "in 0..n { C[i, j] += A[i, k] * B[k, j] } } } }";

// Beside a nest of two slots there is a team in every row of threads, all of them on the same block.
TEST(Tile, teams_are_told_apart_by_slots_without_a_loop) {
  const auto beside = [](const std::string& rows) {
    return lint(
        "program p { input A: f32[2, 2] inout C: f32[2, 2] inout y: f32[2, 2] for l in 0..2 @tile { for i in 0..2 { "
        "for j "
        "in 0..2 { for k in 0..2 { C[i, j] += A[i, k] * A[k, j] } } } } for a in 0.." +
        rows + " @workgroup { for b in 0..2 @workgroup { y[a, b] = 1.0 } } }");
  };
  RULE_EQ("TILE-20", std::string("race-freedom RACE-2"), beside("2"));
  RULE_EQ("TILE-20", std::string(), beside("1"));
}

TEST(Tile, lanes_are_one_execution) {
  // Were there 32 of each store, the step would map 32 executions onto one, and its terms would be reordered.
  RULE_EQ("PRF-70", std::string(), answer(scalar, "tensorize i j k simd=32"));
  RULE_EQ("PRF-70", std::string(),
          lint("program p { input A: f32[8, 8] output C: f32[4, 4] zero C for t in 0..32 @tile { for i in "
               "0..4 { for j in 0..4 { for k in 0..4 { C[i, j] += A[i, k] * A[k, j] } } } } }"));
  RULE_EQ("PRF-70", std::string("in-bounds BND-1"),
          lint("program p { input A: f32[8, 8] inout C: f32[4, 4] for t in 0..32 @tile { for i in 0..5 { for j in 0..4 "
               "{ for k in "
               "0..4 { C[i, j] += A[i, k] * A[k, j] } } } } }"));
  // A lane loop around other statements would repeat them.
  const auto doubled = [](const Stmt& s) {
    return s->kind == StmtKind::loop && s->axis == Axis::tile ? with(s, [](StmtNode& n) { n.axis = Axis::serial; }) : s;
  };
  RULE_EQ("PRF-70", std::string("domain-bijection DOM-1"), answer(scalar, "tensorize i j k simd=2", doubled));
  RULE_EQ("PRF-70", std::string(), answer(scalar, "tensorize i j k simd=1", doubled));
}

// A group of lanes that copies a block of B into shared memory and multiplies it.
std::string threads(const std::string& before, const std::string& behind, const std::string& lanes = "4",
                    const std::string& around = "") {
  return "program p { param n in 1..9 input A: f32[8, 8] input B: f32[8, 8] inout C: f32[4, 4] output D: f32[4] shared "
         "S: f32[4, 4] " +
         around + " for r in 0..n { for t in 0..4 @workgroup { " + before + " } for l in 0.." + lanes +
         " @tile { for i in 0..4 { for j in 0..4 { for k in 0..4 { C[i, j] += A[i, k] * S[k, j] } } } } for u in 0..4 "
         "@workgroup { " +
         behind + " } }" + (around.empty() ? " }" : " } }");
}

TEST(Tile, lanes_among_threads_are_a_collective) {
  const std::string fill = "for c in 0..4 { S[c, t] = B[c, t] } ";
  // The barrier behind the product is implied (S is filled again, C is read), the one in front is not.
  RULE_EQ("TILE-21", "", lint(threads(fill + "barrier", "D[u] = C[u, u]")));
  RULE_EQ("TILE-21", "race-freedom RACE-2", lint(threads(fill, "D[u] = C[u, u]")));
  // Behind the loads of the last statement a barrier is needed before C is accumulated into again.
  RULE_EQ("TILE-20", "", lint(threads(fill + "barrier", "D[u] = C[u, u] barrier")));
  RULE_EQ("TILE-20", "race-freedom RACE-2", lint(threads("barrier " + fill, "D[u] = A[u, u]")));
  // One lane alone copies: another lane reads.
  RULE_EQ("TILE-20", "race-freedom RACE-2",
          lint(threads("if t == 0 { for d in 0..4 { for c in 0..4 { S[c, d] = B[c, d] } } }", "D[u] = 1.0")));
  RULE_EQ("TILE-20", "",
          lint(threads("if t == 0 { for d in 0..4 { for c in 0..4 { S[c, d] = B[c, d] } } } barrier", "D[u] = 1.0")));
  // Every thread of the slot is a lane, and no condition tells them apart.
  RULE_EQ("TILE-22", "barrier-uniformity BAR-1", lint(threads(fill + "barrier", "D[u] = 1.0", "3")));
  RULE_EQ("TILE-22", "barrier-uniformity BAR-1",
          lint(threads(fill + "barrier", "D[u] = 1.0", "4", "for w in 0..2 @workgroup { if w < 1 {") + " }"));
  // Two teams that accumulate into one block race.
  RULE_EQ("TILE-20", "race-freedom RACE-2",
          lint(threads("if w == 0 { " + fill + " } barrier", "D[u] = A[u, w]", "4", "for w in 0..2 @workgroup {")));
}

TEST(Tile, steps_are_judged_with_the_lanes_in_their_slot) {
  const auto nest = [](const std::string& barrier) {
    return "program p { input A: f32[8, 8] input B: f32[8, 8] inout C: f32[4, 4] shared S: f32[8, 4] for t in 0..4 "
           "@workgroup { for c in 0..8 { S[c, t] = "
           "B[c, t] } " +
           barrier + " } for i in 0..4 { for j in 0..4 { for k in 0..8 { C[i, j] += A[i, k] * S[k, j] } } } }";
  };
  // Before, every thread executes the nest, which races; so the source is one thread.
  RULE_EQ("TILE-23", "race-freedom RACE-2", lint(nest("barrier")));
  const auto teams = [](const std::string& barrier) {
    return "program p { input A: f32[8, 8] input B: f32[8, 8] inout C: f32[8, 4] shared S: f32[8, 4] for w in 0..2 "
           "@workgroup { if w == 0 { for d in 0..4 { "
           "for c in 0..8 { S[c, d] = B[c, d] } } } " +
           barrier +
           " for i in 0..4 { for j in 0..4 { for k in 0..8 { C[4*w + i, j] += A[4*w + i, k] * S[k, j] } } } } }";
  };
  RULE_EQ("TILE-23", "", answer(teams("barrier"), "tensorize i j k"));
  // With more lanes than one, every lane copies.
  RULE_EQ("PRF-105", "race-freedom RACE-2", answer(teams("barrier"), "tensorize i j k simd=4"));
  const auto without = [](const Stmt& s) {
    return s->kind == StmtKind::barrier ? make_loop("none", 0, 0, 1, Axis::serial, {}) : s;
  };
  RULE_EQ("PRF-105", "race-freedom RACE-2", answer(teams("barrier"), "tensorize i j k", without));
}

}  // namespace
}  // namespace assay
