// Faults planted in the results of `stage` with `shared`, `cooperative`, `swizzle` and `hoisted`: the obligations refute each,
// and executions show it.
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

struct Fault {
  std::string name;
  Program program;
};
Block none(const Stmt&) { return {}; }

// What the line honestly makes of the program.
struct Honest {
  std::unique_ptr<Query> query = make_portfolio_query();
  Program before, right;
  Honest(const std::string& text, const std::string& line) : before(number_statements(test::program(text))) {
    auto rewritten = apply_line(before, test::line(line), *query);
    if (!rewritten) {
      ADD_FAILURE() << line << ": " << rewritten.error().diagnostic.message;
      return;
    }
    right = std::move(rewritten->program);
  }

  void judge(const char* rule, const std::vector<Fault>& faults) const {
    const auto refuted = [&](const Program& after) {
      for (const Obligation& o : validate(before, after, *query).obligations) {
        if (o.status == Status::violated) return true;
      }
      return false;
    };
    RULE_TRUE(rule, !refuted(right) && !shows(before, right)) << print(right);
    EXPECT_GE(faults.size(), 5U);
    for (const Fault& f : faults) {
      EXPECT_FALSE(f.program == right) << f.name << " is planted nowhere";
      RULE_TRUE(rule, refuted(f.program)) << f.name << " is not refuted";
      RULE_TRUE(rule, shows(before, f.program)) << f.name << " does not show";
    }
  }
};

TEST(SharedStage, every_planted_fault_is_seen) {
  const Honest honest(product, "stage A over=i,k shared -> As");
  const Program& right = honest.right;
  const auto bounds = [](int lo, int hi) {
    return [=](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.lo = Index(lo), n.hi = Index(hi); })}; };
  };
  const auto other_cell = [](const Stmt& s) {
    return Block{with(s, [](StmtNode& n) {
      n.value = make_load("A", Type::f32, {n.value->args[0], make_index(Index(7) - n.value->args[1]->index)});
    })};
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
  honest.judge("PRF-60", faults);
}

TEST(SharedStage, faults_of_accumulators_are_seen) {
  const Honest honest(
      "program p { input A: f32[8, 8] input B: f32[8, 6] inout C: f32[8, 6] for w in 0..2 @workgroup { for o in 0..2 { "
      "for "
      "l in 0..4 @tile { for i in 0..4 { for j in 0..6 { for k in 0..4 { C[4*w + i, j] += A[4*w + i, 4*o + k] * B[4*o "
      "+ "
      "k, j] } } } } } } }",
      "privatize C over=o shared -> acc");
  const Program& right = honest.right;
  const auto is_in = [](const Stmt& s) {
    return s->kind == StmtKind::store && s->name == "acc" && s->value->op == Op::load;
  };
  const auto is_out = [](const Stmt& s) { return s->kind == StmtKind::store && s->name == "C"; };
  const auto is_loop = [](const std::string& name) {
    return [=](const Stmt& s) { return s->kind == StmtKind::loop && s->name == name; };
  };
  const auto shorter = [](const Stmt& s) { return Block{with(s, [](StmtNode& n) { n.hi = n.hi - 1; })}; };
  const auto next_row = [](const Stmt& s) {
    return Block{with(s, [](StmtNode& n) {
      n.value = make_load(n.value->name, n.value->type,
                          {make_index(floormod(n.value->args[0]->index + 1, 4)), n.value->args[1]});
    })};
  };
  const auto every_lane = [](const Stmt& s) { return s->body; };
  honest.judge("PRF-101", {
                              {"no barrier before the products", replaced(right, is_barrier, 0, none)},
                              {"nothing is copied in", replaced(right, is_in, 0, none)},
                              {"nothing is copied back", replaced(right, is_out, 0, none)},
                              {"every lane copies in", replaced(right, is_fill_guard, 0, every_lane)},
                              {"every lane copies back", replaced(right, is_fill_guard, 1, every_lane)},
                              {"a row too few comes in", replaced(right, is_loop("i.1"), 0, shorter)},
                              {"a row too few goes back", replaced(right, is_loop("i.2"), 0, shorter)},
                              {"another row goes back", replaced(right, is_out, 0, next_row)},
                          });
}

TEST(SharedStage, faults_of_reductions_are_seen) {
  const Honest honest(
      "program p { input A: f32[4, 8] inout y: f32[4] for g in 0..4 @grid { for k in 0..8 { y[g] += A[g, k] } } }",
      "retype k axis=reduce");
  const Program& right = honest.right;
  const auto is_loop = [](const Stmt& s) { return s->kind == StmtKind::loop && s->axis == Axis::reduce; };
  const auto is_update = [](const Stmt& s) { return s->kind == StmtKind::store; };
  const auto loop = [&](const std::function<void(StmtNode&)>& change) {
    return replaced(right, is_loop, 0, [&](const Stmt& s) { return Block{with(s, change)}; });
  };
  const auto update = [&](const std::function<void(StmtNode&)>& change) {
    return replaced(right, is_update, 0, [&](const Stmt& s) { return Block{with(s, change)}; });
  };
  const Index g = Index::symbol("g");
  const Expr next = make_index(floormod(g + 1, 4));
  honest.judge("PRF-101",
               {
                   {"the last term is lost", loop([](StmtNode& n) { n.hi = n.hi - 1; })},
                   {"the first term is lost", loop([](StmtNode& n) { n.lo = n.lo + 1; })},
                   {"every other term is lost", loop([](StmtNode& n) { n.step = 2; })},
                   {"the threads add for themselves", loop([](StmtNode& n) { n.axis = Axis::workgroup; })},
                   {"another group's cell", update([&](StmtNode& n) {
                      n.indices = {next};
                      n.value = make_op(Op::add, {make_load("y", Type::f32, {next}), n.value->args[1]});
                    })},
                   {"nothing is added", replaced(right, is_update, 0, none)},
                   {"all terms twice", replaced(right, is_loop, 0,
                                                [](const Stmt& s) {
                                                  return Block{s, with(s, [](StmtNode& n) { n.axis = Axis::serial; })};
                                                })},
               });
}

TEST(SharedStage, faults_of_lanes_are_seen) {
  const Honest honest(
      "program p { input A: f32[3, 10] inout Y: f32[8] for o in 0..3 { for t in 0..8 @workgroup { for k in 0..10 { "
      "Y[t] += "
      "A[o, k] } } } }",
      "stage A over=k shared cooperative=8 -> As");
  const Program& right = honest.right;
  const auto is_lanes = [](const Stmt& s) { return s->kind == StmtKind::loop && s->name == "lane"; };
  const auto lane = Index::symbol("lane"), round = Index::symbol("k.1");
  const auto copies = [&](const Index& k) {
    return replaced(right, is_copy, 0, [&](const Stmt&) {
      return Block{make_store("As", {make_index(k)},
                              make_load("A", Type::f32, {make_index(Index::symbol("o")), make_index(k)}))};
    });
  };
  const auto lanes = [](int n) {
    return [=](const Stmt& s) { return Block{with(s, [&](StmtNode& l) { l.hi = Index(n); })}; };
  };
  honest.judge("PRF-101",
               {
                   {"no barrier before the reads", replaced(right, is_barrier, 0, none)},
                   {"no barrier behind the reads", replaced(right, is_barrier, 1, none)},
                   {"a lane too few", replaced(right, is_lanes, 0, lanes(7))},
                   {"two lanes for one cell", copies(floordiv(round * 8 + lane, 2) * 2)},
                   {"every lane copies the first cell of its round", copies(round * 8)},
                   {"rounds overlap", copies(round * 2 + lane)},
                   {"cells beyond the tile", replaced(right, is_fill_guard, 0, [](const Stmt& s) { return s->body; })},
                   {"no lanes: every thread copies", replaced(right, is_lanes, 0,
                                                              [&](const Stmt& s) {
                                                                return substitute(s->body, {{"lane", Index(0)}});
                                                              })},
               });
}

TEST(SharedStage, faults_of_layouts_are_seen) {
  const Honest honest(product, "stage A over=i,k shared swizzle=elem -> As");
  const auto laid_out = [&](const std::function<void(Buffer&)>& change) {
    Program p = honest.right;
    for (Buffer& b : p.buffers) {
      if (b.name == "As") change(b);
    }
    return p;
  };
  const auto rows = [&](std::int64_t n) { return laid_out([=](Buffer& b) { b.dims.back() = Index(n); }); };
  honest.judge("PRF-101", {
                              {"rows of five", rows(5)},
                              {"rows of six", rows(6)},
                              {"rows of seven", rows(7)},
                              {"rows of twelve", rows(12)},
                              {"three units in a row", laid_out([](Buffer& b) {
                                 b.dims.back() = Index(12);
                                 b.swizzle = Swizzle::b128;
                               })},
                          });
  EXPECT_FALSE(shows(honest.before, rows(8)) ||
               shows(honest.before, laid_out([](Buffer& b) { b.swizzle = Swizzle::none; })));
}

TEST(SharedStage, faults_of_packing_are_seen) {
  const Honest honest(
      "program p { input A: f32[12, 8] inout Y: f32[8] for t in 0..8 @workgroup { for o in 0..3 { for k in 0..4 { Y[t] "
      "+= "
      "A[4*o + k, t] } } } }",
      "stage A over=k,t hoisted -> Q");
  const Program& right = honest.right;
  const auto is_launch = [](const Stmt& s) { return s->kind == StmtKind::launch; };
  const auto is_pack = [](const Stmt& s) { return s->kind == StmtKind::store && s->name == "Q"; };
  const auto loop = [](const std::string& name) {
    return [=](const Stmt& s) { return s->kind == StmtKind::loop && s->name == name; };
  };
  const auto shorter = [](const Stmt& s) { return Block{with(s, [](StmtNode& n) { n.hi = n.hi - 1; })}; };
  const auto reads = [&](const Index& row, const Index& column) {
    return replaced(right, is_pack, 0, [&](const Stmt& s) {
      return Block{with(s, [&](StmtNode& n) {
        n.value = make_load("A", Type::f32, {make_index(row), make_index(column)});
      })};
    });
  };
  const Index o = Index::symbol("o.1"), k = Index::symbol("k.1"), t = Index::symbol("t.1");
  Program last = right;
  std::rotate(last.body.begin(), last.body.begin() + 2, last.body.end());
  last.body.insert(last.body.begin() + 1, make_launch());
  honest.judge("PRF-101", {
                              {"in the launch of the threads", replaced(right, is_launch, 0, none)},
                              {"a tile too few", replaced(right, loop("o.1"), 0, shorter)},
                              {"a row too few", replaced(right, loop("k.1"), 0, shorter)},
                              {"a column too few", replaced(right, loop("t.1"), 0, shorter)},
                              {"rows of the tile backwards", reads(o * 4 - k + 3, t)},
                              {"tiles overlap", reads(o * 3 + k, t)},
                              {"columns of the neighbour", reads(o * 4 + k, floormod(t + 1, 8))},
                              {"packed behind the use", last},
                          });
}

}  // namespace
}  // namespace assay::fuzz
