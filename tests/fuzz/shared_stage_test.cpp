// Faults planted in the result of `stage … shared`: the obligations refute each, and executions show it.
#include <gtest/gtest.h>

#include <functional>

#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

const char* const product =
    "program p { input A: f32[8, 8] input B: f32[8, 4] inout C: f32[8, 4] for i in 0..8 @workgroup { for j in 0..4 "
    "@workgroup { for o in 0..2 { for k in 0..4 { C[i, j] += A[i, 4*o + k] * B[4*o + k, j] } } } } }";

// The n-th statement that is wanted, replaced.
Program replaced(const Program& p, const std::function<bool(const Stmt&)>& wanted, int n,
                 const std::function<Block(const Stmt&)>& by) {
  Program out = p;
  out.body = rewrite(p.body, {}, [&](const Stmt& s) -> Block { return wanted(s) && n-- == 0 ? by(s) : Block{s}; });
  return out;
}

bool is_barrier(const Stmt& s) { return s->kind == StmtKind::barrier; }
bool is_copy(const Stmt& s) { return s->kind == StmtKind::store && s->name == "As"; }
bool is_fill_loop(const Stmt& s) { return s->kind == StmtKind::loop && s->name == "k.1"; }
bool is_fill_guard(const Stmt& s) { return s->kind == StmtKind::branch; }

// Different bits, a fault or a race.
bool shows(const Program& before, const Program& after) {
  for (const auto kind : {interp::InputKind::exact, interp::InputKind::adversarial}) {
    interp::Options options;
    options.detect_races = true;
    const TensorMap inputs = interp::generate_inputs(before, {}, kind, 0);
    const interp::Outcome a = interp::run(before, inputs, options), b = interp::run(after, inputs, options);
    if (b.status != interp::Status::ok || b.race || !(a.outputs == b.outputs)) return true;
  }
  return false;
}

TEST(SharedStage, every_planted_fault_is_seen) {
  const auto query = make_portfolio_query();
  const Program before = number_statements(test::program(product));
  const auto honest = apply_line(before, test::line("stage A over=i,k shared -> As"), *query);
  ASSERT_TRUE(honest.has_value());
  const Program& right = honest->program;
  const auto none = [](const Stmt&) { return Block{}; };
  const auto bounds = [](int lo, int hi) {
    return [=](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.lo = Index(lo), n.hi = Index(hi); })}; };
  };
  const auto other_cell = [](const Stmt& s) {
    return Block{with(s, [](StmtNode& n) {
      n.value = make_load("A", Type::f32, {n.value->args[0], make_index(Index(7) - n.value->args[1]->index)});
    })};
  };
  struct Fault {
    std::string name;
    Program program;
  };
  const std::vector<Fault> faults = {
      {"no barrier before the reads", replaced(right, is_barrier, 0, none)},
      {"no barrier behind the reads", replaced(right, is_barrier, 1, none)},
      {"every thread copies", replaced(right, is_fill_guard, 0, [](const Stmt& s) { return s->body; })},
      {"the second thread alone copies",
       replaced(right, is_fill_guard, 0,
                [](const Stmt& s) {
                  return Block{make_branch(make_op(Op::eq, {make_index(Index::symbol("j")), make_index(4)}), s->body)};
                })},
      {"a short filling", replaced(right, is_fill_loop, 0, bounds(0, 3))},
      {"another cell", replaced(right, is_copy, 0, other_cell)},
      {"the barrier stands under the condition of the filling",
       replaced(replaced(right, is_barrier, 0, none), is_fill_guard, 0,
                [](const Stmt& s) { return Block{with(s, [](StmtNode& n) { n.body.push_back(make_barrier()); })}; })},
      {"the source's place is written",
       replaced(right, is_copy, 0,
                [](const Stmt& s) { return Block{with(s, [](StmtNode& n) { n.indices[1] = make_index(0); })}; })},
  };
  const auto refuted = [&](const Program& after) {
    for (const Obligation& o : validate(before, after, *query).obligations) {
      if (o.status == Status::violated) return true;
    }
    return false;
  };
  RULE_TRUE("PRF-60", !refuted(right) && !shows(before, right));
  for (const Fault& f : faults) {
    RULE_TRUE("PRF-60", refuted(f.program)) << f.name << " is not refuted";
    RULE_TRUE("PRF-60", shows(before, f.program)) << f.name << " does not show";
  }
}

}  // namespace
}  // namespace assay::fuzz
