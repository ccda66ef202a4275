// What `zero` and `launch` mean in obligations (PRF-28, PRF-29).
#include <gtest/gtest.h>

#include <functional>

#include "ir/traverse.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay {
namespace {

using test::line;
using test::program;
using Status = Obligation::Status;

// The first obligation that is not proved, as "KIND CODE"; empty when all are.
std::string failure(const std::vector<Obligation>& all) {
  for (const Obligation& o : all) {
    if (o.status != Status::proved) return o.kind + " " + o.code;
  }
  return {};
}

std::string answer(const std::string& text, const std::string& operation,
                   const std::function<Stmt(const Stmt&)>& change = {}) {
  const auto query = make_isl_query();
  const Program before = number_statements(program(text));
  auto rewritten = apply_line(before, line(operation), *query);
  if (!rewritten) return rewritten.error().diagnostic.code;
  Program after = rewritten->program;
  if (change) after.body = rewrite(after.body, {}, [&](const Stmt& s) { return Block{change(s)}; });
  return failure(validate(before, after, *query).obligations);
}
std::string lint(const std::string& text) {
  const auto query = make_isl_query();
  return failure(lint_obligations(program(text), *query));
}

const char* const zeroed =
    "program p { param n in 0..9 output C: f32[n, 4] inout S: f32[1] S[0] = 1.0 zero C for i in 0..n { C[i, 2] += S[0] "
    "} }";

TEST(Zeroing, a_nest_over_all_cells_is_proved) {
  RULE_EQ("PRF-28", "", answer(zeroed, "expand_zero C -> a, b"));
  RULE_EQ("PRF-28", "", answer("program p { inout C: f32[] zero C C[] += 1.0 }", "expand_zero C"));
  RULE_EQ(
      "PRF-28", "",
      answer("program p { inout C: f32[4] for i in 0..3 { zero C C[i] = 1.0 } zero C C[1] = 2.0 }", "expand_zero C"));
}

TEST(Zeroing, a_wrong_nest_is_not) {
  const auto cell = [](const std::function<void(std::vector<Expr>&)>& change) {
    return [=](const Stmt& s) {
      if (s->kind != StmtKind::store || s->name != "C" || s->value->op != Op::literal) return s;
      return with(s, [&](StmtNode& n) { change(n.indices); });
    };
  };
  const std::string bijection = "domain-bijection DOM-1";
  // Columns are left out that are added to, or that stay undefined.
  RULE_EQ("PRF-106", "flow-equal FLOW-1",
          answer(zeroed, "expand_zero C -> a, b", cell([](auto& c) { c[1] = make_index(0); })));
  RULE_EQ("PRF-28", bijection, answer(zeroed, "expand_zero C -> a, b", cell([](auto& c) { c[1] = c[0]; })));
  RULE_EQ("PRF-28", bijection,
          answer(zeroed, "expand_zero C -> a, b", cell([](auto& c) { c[1] = make_index(c[1]->index + 1); })));
  RULE_EQ("PRF-106", "flow-equal FLOW-3", answer(zeroed, "expand_zero C -> a, b", [](const Stmt& s) {
            if (s->kind != StmtKind::loop || s->name != "b") return s;
            return with(s, [](StmtNode& n) { n.hi = n.hi - 1; });
          }));
  RULE_EQ("PRF-28", "claim CLAIM-1", answer(zeroed, "expand_zero C -> a, b", [](const Stmt& s) {
            if (s->kind != StmtKind::store || s->name != "C" || s->value->op != Op::literal) return s;
            return with(s, [](StmtNode& n) { n.value = make_literal(Scalar{Type::f32, 0x80000000U}); });  // -0.0
          }));
  // A cell that data chooses claims no execution.
  RULE_EQ("PRF-28", "claim CLAIM-1",
          answer("program p { inout C: f32[4] input ids: i32[4] in 0..4 zero C C[ids[0]] += 1.0 }", "expand_zero C",
                 [](const Stmt& s) {
                   if (s->kind != StmtKind::store || s->value->op != Op::literal) return s;
                   return with(s, [](StmtNode& n) { n.indices[0] = make_load("ids", Type::i32, n.indices); });
                 }));
}

TEST(Zeroing, witnesses_are_in_the_numbers_of_the_program) {
  const auto query = make_isl_query();
  const Program before = number_statements(
      program("program p { inout C: f32[4] inout D: f32[4] zero C for i in 0..4 { D[i] = C[3 - i] } }"));
  Program after = apply_line(before, line("expand_zero C"), *query)->program;
  std::swap(after.body[0], after.body[1]);
  const Validation v = validate(before, after, *query);
  ASSERT_EQ("dependence-order DEP-2", failure(v.obligations));
  for (const Obligation& o : v.obligations) {
    if (!o.witness) continue;
    RULE_TRUE("PRF-28", o.witness->first.statement == 0 && o.witness->second.statement == 2);
  }
}

TEST(Launches, order_everything_before_everything_after) {
  const std::string reversed =
      "program p { input X: f32[6] inout T: f32[6] output Y: f32[6] for i in 0..6 { T[i] = X[i] } ";
  const std::string reader = "for j in 0..6 @grid { Y[j] = T[5 - j] } }";
  RULE_EQ("PRF-29", "race-freedom RACE-1",
          lint("program p { input X: f32[6] inout T: f32[6] output Y: f32[6] for i in 0..6 @grid { T[i] = X[i] } " +
               reader));
  RULE_EQ(
      "PRF-29", "",
      lint("program p { input X: f32[6] inout T: f32[6] output Y: f32[6] for i in 0..6 @grid { T[i] = X[i] } launch " +
           reader));
  RULE_EQ("PRF-29", "race-freedom RACE-1",
          answer(reversed + "for j in 0..6 { Y[j] = T[5 - j] } }", "retype j axis=grid"));
  RULE_EQ("PRF-29", "", answer(reversed + "launch for j in 0..6 { Y[j] = T[5 - j] } }", "retype j axis=grid"));
  RULE_EQ("PRF-29", "", answer(reversed + "launch " + reader, "retype i axis=grid"));
}

TEST(Launches, extents_are_those_of_one_launch) {
  // One group in the first launch, so its statement outside the loop runs once; six in the second.
  RULE_EQ(
      "PRF-29", "",
      lint(
          "program p { inout S: f32[1] output Y: f32[6] S[0] = 1.0 for i in 0..1 @grid { S[0] += 1.0 } launch for j in "
          "0..6 @grid { Y[j] = S[0] } }"));
  RULE_EQ(
      "PRF-29", "launch-coverage COV-1",
      lint("program p { inout S: f32[1] output Y: f32[6] S[0] = 1.0 for j in 0..6 @grid { Y[j] = 1.0 } launch Y[0] = "
           "S[0] }"));
}

TEST(Launches, copies_do_not_outlive_them) {
  RULE_EQ("PRF-29", "defined-before-read DEF-1",
          lint("program p { output Y: f32[2] local r: f32[1] r[0] = 1.0 Y[0] = r[0] launch Y[1] = r[0] }"));
  RULE_EQ("PRF-29", "defined-before-read DEF-1",
          lint("program p { output Y: f32[2] var v: f32 = 1.0 Y[0] = v launch Y[1] = v }"));
  RULE_EQ("PRF-29", "",
          lint("program p { output Y: f32[2] temp r: f32[1] r[0] = 1.0 Y[0] = r[0] launch Y[1] = r[0] }"));
  const std::string local =
      "program p { output Y: f32[2] local r: f32[1] r[0] = 1.0 Y[0] = r[0] r[0] = 2.0 Y[1] = r[0] }";
  RULE_EQ("PRF-29", "private-flow PRIV-1", answer(local, "fission after=1"));
  RULE_EQ("PRF-29", "", answer(local, "fission after=2"));
  RULE_EQ("PRF-29", "private-flow PRIV-1", answer(local, "fission after=3"));
}

// The operation refuses a variable that crosses; the derivation does not need it to.
TEST(Launches, variables_do_not_outlive_them) {
  const auto query = make_isl_query();
  const Program before = number_statements(
      program("program p { output Y: f32[3] var v: f32 = 1.0 Y[0] = v v = 2.0 Y[1] = v Y[2] = 0.0 }"));
  const auto with_launch = [&](std::ptrdiff_t at) {
    Program after = before;
    after.body.insert(after.body.begin() + at, make_launch());
    return failure(validate(before, after, *query).obligations);
  };
  RULE_EQ("PRF-29", "private-flow PRIV-1", with_launch(1));
  RULE_EQ("PRF-29", "", with_launch(2));  // assigned before it is read
  RULE_EQ("PRF-29", "private-flow PRIV-1", with_launch(3));
  RULE_EQ("PRF-29", "", with_launch(4));
}

}  // namespace
}  // namespace assay
