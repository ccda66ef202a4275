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

}  // namespace
}  // namespace assay
