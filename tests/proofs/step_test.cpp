// Obligations of steps: real rewrites are proved or refuted for the right reason, and falsified claims are never proved.
#include <gtest/gtest.h>

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

struct Step {
  Program before, after;
  Validation validation;
  bool proved() const {
    return std::all_of(validation.obligations.begin(), validation.obligations.end(),
                       [](const Obligation& o) { return o.status == Status::proved; });
  }
  const Obligation* failed() const {
    for (const Obligation& o : validation.obligations) {
      if (o.status != Status::proved) return &o;
    }
    return nullptr;
  }
  std::string failure() const {
    const Obligation* o = failed();
    return o ? o->kind + " " + o->code + " " + o->reason : "";
  }
};

Step step(const std::string& text, const std::string& operation) {
  const auto query = make_isl_query();
  Step s{number_statements(program(text)), {}, {}};
  auto rewritten = apply_line(s.before, line(operation), *query);
  if (!rewritten) {
    ADD_FAILURE() << rewritten.error().diagnostic.message;
    return s;
  }
  s.after = rewritten->program;
  s.validation = validate(s.before, s.after, *query);
  return s;
}

TEST(StepObligations, an_arm_in_the_form_of_the_other_is_a_rewriting) {
  const std::string head = "program p { input A: f32[3, 2] output Y: f32[2] for i in 0..2 { Y[i] = ";
  const Step s = step(head + "i <= 2*i ? max(A[i, 1 - i], A[i, 1 - i]) : A[i + 1, i] } }", "simplify");
  RULE_TRUE("PRF-108", s.proved()) << s.failure();
  // The other arm it must not become.
  Program wrong = s.after;
  wrong.body = rewrite(s.after.body, [](const Expr& e) {
    const Index i = Index::symbol("i");
    return e->op == Op::load ? make_load("A", Type::f32, {make_index(i + 1), make_index(i)}) : e;
  });
  const auto query = make_isl_query();
  bool proved = true;
  for (const Obligation& o : validate(s.before, wrong, *query).obligations) proved &= o.status == Status::proved;
  RULE_TRUE("PRF-108", !proved) << print(wrong);
}

TEST(StepObligations, split_is_a_bijection_at_every_bound) {
  for (const char* loop : {"for i in 0..n", "for i in 3..n", "for i in -5..n", "for i in 2..n step 3"}) {
    for (const char* factor : {"1", "4", "7", "100"}) {
      const Step s = step(std::string("program p { param n in 1..60 inout X: f32[64] ") + loop +
                              " { if i >= 0 { X[i] = X[i] * 2.0 } } }",
                          std::string("split i factor=") + factor);
      RULE_TRUE("PRF-11", s.proved()) << loop << " factor " << factor << ": " << s.failure();
    }
  }
}

TEST(StepObligations, reversed_dependences_are_found_by_kind) {
  const Step flow =
      step("program p { inout a: f32[8, 8] for i in 1..8 { for j in 0..7 { a[i, j] = a[i - 1, j + 1] + 1.0 } } }",
           "swap i j");
  ASSERT_NE(nullptr, flow.failed());
  RULE_EQ("DEP-2", std::string("DEP-2"), flow.failed()->code);
  RULE_TRUE("PRF-13", flow.failed()->kind == "dependence-order" && flow.failed()->status == Status::violated);
  const Witness& w = *flow.failed()->witness;
  RULE_TRUE("PRF-18", w.buffer == "a" && w.first.writes && !w.second.writes && w.cell.size() == 2);
  RULE_EQ("PRF-18", w.second.iteration[0].second, w.first.iteration[0].second + 1);
  RULE_EQ("PRF-18", w.second.iteration[1].second, w.first.iteration[1].second - 1);

  const Step anti =
      step("program p { inout a: f32[8, 8] for i in 1..8 { for j in 0..7 { a[i - 1, j + 1] = a[i, j] + 1.0 } } }",
           "swap i j");
  ASSERT_NE(nullptr, anti.failed());
  RULE_EQ("DEP-3", std::string("DEP-3"), anti.failed()->code);

  const Step output = step(
      "program p { output a: f32[16] for i in 0..8 { for j in 0..8 { a[i + j] = f32(i) } } for q in 15..16 { a[q] = "
      "0.0 } }",
      "swap i j");
  ASSERT_NE(nullptr, output.failed());
  RULE_EQ("DEP-1", std::string("DEP-1"), output.failed()->code);

  const Step fine = step(
      "program p { inout a: f32[8, 8] for i in 1..8 { for j in 0..7 { a[i, j] = a[i - 1, j] + 1.0 } } }", "swap i j");
  RULE_TRUE("PRF-13", fine.proved()) << fine.failure();
  const Step last_writer =
      step("program p { input b: f32[4, 6] output y: f32[4] for i in 0..4 { for j in 0..6 { y[i] = b[i, j] } } }",
           "swap i j");
  RULE_TRUE("PRF-13", last_writer.proved()) << last_writer.failure();
}

TEST(StepObligations, accumulations_need_the_licence_of_their_operator) {
  const std::string head =
      "program p { input M: f32[3, 4] input N: i32[3, 4] inout s: f32[1] inout t: i32[1] for p in 0..3 { for q in 0..4 "
      "{ ";
  const Step sum = step(head + "s[0] += M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", sum.proved() && sum.validation.licence == Licence::reassociates &&
                          sum.validation.reordered_before.size() == 1)
      << sum.failure();
  const Step greatest = step(head + "s[0] max= M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", greatest.proved() && greatest.validation.licence == Licence::exact) << greatest.failure();
  const Step integers = step(head + "t[0] += N[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", integers.proved() && integers.validation.licence == Licence::exact) << integers.failure();
  const Step difference = step(head + "s[0] = s[0] - M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", difference.proved() && difference.validation.licence == Licence::reassociates)
      << difference.failure();
  const Step chain = step(head + "s[0] = 1.0 + (s[0] - M[p, q] - 2.0) } } }", "swap p q");
  RULE_TRUE("PRF-14", chain.proved() && chain.validation.licence == Licence::reassociates) << chain.failure();
  const Step numbers = step(head + "s[0] = maxnum(M[p, q], maxnum(s[0], 0.5)) } } }", "swap p q");
  RULE_TRUE("PRF-14", numbers.proved() && numbers.validation.licence == Licence::exact) << numbers.failure();
  const Step smallest = step(head + "s[0] = minnum(s[0], M[p, q]) } } }", "swap p q");
  RULE_TRUE("PRF-14", smallest.proved() && smallest.validation.licence == Licence::exact) << smallest.failure();
  const Step wrong_side = step(head + "s[0] = 1.0 - (s[0] - M[p, q]) } } }", "swap p q");
  RULE_TRUE("PRF-14", wrong_side.failed() && wrong_side.failed()->status == Status::violated);
  const Step mixed = step(head + "s[0] = max(minnum(s[0], M[p, q]), 0.5) } } }", "swap p q");
  RULE_TRUE("PRF-14", mixed.failed() && mixed.failed()->status == Status::violated);
  const Step twice = step(head + "s[0] = s[0] + s[0] + M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", twice.failed() && twice.failed()->status == Status::violated);
  const Step horner = step(head + "s[0] = s[0] * 0.5 + M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", horner.failed() && horner.failed()->status == Status::violated);
  const Step turned = step(head + "s[0] = M[p, q] - s[0] } } }", "swap p q");
  RULE_TRUE("PRF-14", turned.failed() && turned.failed()->status == Status::violated);
  const Step self = step(head + "s[0] += M[p, q] * s[0] } } }", "swap p q");
  RULE_TRUE("PRF-14", self.failed() && self.failed()->status == Status::violated);
  // The same cell in another form, and a cell that only looks like it.
  const std::string cells = "program p { input M: i32[3, 4] inout t: i32[8] for p in 0..3 { for q in 0..4 { ";
  const Step form = step(cells + "t[floormod(p, 8)] = t[p] + M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", form.proved() && form.validation.licence == Licence::exact) << form.failure();
  const Step shared = step(cells + "t[floordiv(q, 4)] = t[floormod(p, 1)] + M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", shared.proved()) << shared.failure();
  const Step other = step(cells + "t[floordiv(q, 3)] = t[0] + M[p, q] } } }", "swap p q");
  RULE_TRUE("PRF-14", other.failed() != nullptr);
  // Interchanging an output loop with the reduction loop keeps every cell's order: exact.
  const Step inner = step(
      "program p { input A: f32[3, 4] input B: f32[4, 5] inout C: f32[3, 5] for i in 0..3 { for k in 0..4 { for j in "
      "0..5 "
      "{ C[i, j] += A[i, k] * B[k, j] } } } }",
      "swap k j");
  RULE_TRUE("PRF-14", inner.proved() && inner.validation.licence == Licence::exact) << inner.failure();
}

TEST(StepObligations, grid_loops_need_independence_and_coverage) {
  const Step good =
      step("program p { input X: f32[6] output Y: f32[6] for i in 0..6 { Y[i] = X[i] } }", "retype i axis=grid");
  RULE_TRUE("PRF-13", good.proved()) << good.failure();
  const Step race =
      step("program p { inout X: f32[9] for i in 0..8 { X[i + 1] = X[i] + X[i + 1] } }", "retype i axis=grid");
  ASSERT_NE(nullptr, race.failed());
  RULE_EQ("RACE-1", std::string("RACE-1"), race.failed()->code);
  RULE_EQ("PRF-13", std::string("race-freedom"), race.failed()->kind);
  const Step parity =
      step("program p { input a: f32[4] output y: f32[8] for i in 0..4 { y[2 * i] = a[i] y[2 * i + 1] = a[i] } }",
           "retype i axis=grid");
  RULE_TRUE("PRF-13", parity.proved()) << parity.failure();
  const Step beside = step(
      "program p { input X: f32[6] output Y: f32[6] output Z: f32[6] for i in 0..6 { Y[i] = X[i] } for j in 0..6 { "
      "Z[j] = X[j] } }",
      "retype i axis=grid");
  ASSERT_NE(nullptr, beside.failed());
  RULE_EQ("COV-1", std::string("COV-1"), beside.failed()->code);
  RULE_EQ("PRF-15", std::string("launch-coverage"), beside.failed()->kind);
  // A read outside the grid loop happens in every group, also in those that do not own the cell.
  const Step outside =
      step("program p { inout Y: f32[7] local r: f32[1] for k in 0..3 { r[0] = Y[k] } for i in 0..5 { Y[i] = 1.0 } }",
           "retype i axis=grid");
  RULE_TRUE("PRF-13", outside.failed() && outside.failed()->code == "RACE-1") << outside.failure();
  const Step one =
      step("program p { input x: f32[1] inout s: f32[1] for k in 0..1 { s[0] += x[k] } }", "retype k axis=grid");
  RULE_TRUE("PRF-15", one.proved()) << one.failure();
  const Step offset =
      step("program p { param n in 4..40 input X: f32[40] inout Y: f32[40] for i in 3..n { Y[i] = X[i - 1] } }",
           "retype i axis=grid");
  RULE_TRUE("PRF-13", offset.proved()) << offset.failure();
  const Step outer_time =
      step("program p { inout X: f32[8] for t in 0..3 { for i in 0..8 { X[i] = X[i] + 1.0 } } }", "retype i axis=grid");
  RULE_TRUE("PRF-13", outer_time.proved()) << outer_time.failure();  // each group owns its cell for all t
  const Step time_race = step("program p { inout X: f32[9] for t in 0..3 { for i in 0..8 { X[i] = X[i + 1] + 1.0 } } }",
                              "retype i axis=grid");
  RULE_TRUE("PRF-13", time_race.failed() && time_race.failed()->code == "RACE-1");
}

TEST(StepObligations, lanes_load_before_they_store) {
  const Step copy =
      step("program p { input X: f32[8] output Y: f32[8] for i in 0..8 { Y[i] = X[i] } }", "retype i axis=vectorized");
  RULE_TRUE("PRF-13", copy.proved()) << copy.failure();
  const Step anti = step("program p { inout X: f32[9] for i in 0..8 { X[i] = X[i + 1] } }", "retype i axis=vectorized");
  RULE_TRUE("PRF-13", anti.proved()) << anti.failure();
  const Step flow = step("program p { inout X: f32[9] for i in 0..8 { X[i + 1] = X[i] } }", "retype i axis=vectorized");
  RULE_TRUE("PRF-13", flow.failed() && flow.failed()->status == Status::violated && flow.failed()->code == "DEP-2")
      << flow.failure();
  const Step one_cell =
      step("program p { input X: f32[8] inout s: f32[1] for i in 0..8 { s[0] += X[i] } }", "retype i axis=vectorized");
  RULE_TRUE("IND-2", one_cell.failed() && one_cell.failed()->code == "IND-2") << one_cell.failure();
  const Step statements = step(
      "program p { input X: f32[9] inout Y: f32[9] output Z: f32[8] for i in 0..8 { Z[i] = Y[i + 1] Y[i] = X[i] } }",
      "retype i axis=vectorized");
  RULE_TRUE("PRF-13", statements.proved()) << statements.failure();
  const Step crossed = step(
      "program p { input X: f32[9] inout Y: f32[9] output Z: f32[8] for i in 0..8 { Y[i] = X[i] Z[i] = Y[i + 1] } }",
      "retype i axis=vectorized");
  RULE_TRUE("PRF-13", crossed.failed() && crossed.failed()->code == "DEP-3") << crossed.failure();
  const Step inner = step(
      "program p { input X: f32[4, 8] output Y: f32[8] for i in 0..8 { var s: f32 = 0.0 for k in 0..4 { s = s + X[k, "
      "i] } Y[i] = s } }",
      "retype i axis=vectorized");
  RULE_TRUE("PRF-12", inner.proved()) << inner.failure();
}

TEST(StepObligations, local_copies_keep_their_flow) {
  const Step good =
      step("program p { input X: f32[6] output Y: f32[6] local r: f32[2] for i in 0..6 { r[0] = X[i] Y[i] = r[0] } }",
           "retype i axis=grid");
  RULE_TRUE("PRF-16", good.proved()) << good.failure();
  const Step carried = step(
      "program p { input X: f32[6] output Y: f32[6] local r: f32[2] r[0] = 0.0 for i in 0..6 { Y[i] = r[0] r[0] = X[i] "
      "} }",
      "retype i axis=grid");
  RULE_TRUE("PRIV-1", carried.failed() && carried.failed()->code == "PRIV-1") << carried.failure();
}

TEST(StepObligations, local_copies_are_covered_by_arms_and_gathers) {
  const std::string head = "program p { input X: f32[6, 4] input ids: i32[6] in 0..4 output Y: f32[6] local r: f32[4] ";
  const auto grid = [&](const std::string& body) { return step(head + body, "retype i axis=grid"); };
  const Step arms = grid("for i in 0..6 { if X[i, 0] < 0.0 { r[0] = 1.0 } else { r[0] = 2.0 } Y[i] = r[0] } }");
  RULE_TRUE("PRF-16", arms.proved()) << arms.failure();
  const Step gather = grid("for i in 0..6 { for k in 0..4 { r[k] = X[i, k] } Y[i] = r[ids[i]] } }");
  RULE_TRUE("PRF-16", gather.proved()) << gather.failure();
  // One arm alone, one cell too few, and a second read whose cell the first one's store does not cover.
  for (const char* body :
       {"r[0] = 0.0 for i in 0..6 { if X[i, 0] < 0.0 { r[0] = 1.0 } Y[i] = r[0] } }",
        "zero r for i in 0..6 { for k in 0..3 { r[k] = X[i, k] } Y[i] = r[ids[i]] r[3] = X[i, 3] } }",
        "zero r for i in 0..6 { r[0] = X[i, 0] Y[i] = r[0] + r[1] r[1] = X[i, 0] } }"}) {
    const Step wrong = grid(body);
    RULE_TRUE("PRF-16", wrong.failed() && wrong.failed()->code == "PRIV-1") << body << ": " << wrong.failure();
  }
  const Step certain = grid("zero r for i in 0..6 { r[0] = X[i, 0] Y[i] = r[0] + r[1] r[1] = X[i, 0] } }");
  RULE_TRUE("PRF-18", certain.failed() && certain.failed()->status == Status::violated);
  const Step by_data = grid("zero r for i in 0..6 { if X[i, 0] < 0.0 { r[1] = 0.0 } Y[i] = r[1] r[1] = X[i, 0] } }");
  RULE_TRUE("PRF-18", by_data.failed() && by_data.failed()->status == Status::undecided);
}

TEST(StepObligations, widths_and_vacuity) {
  const Step wide = step(
      "program p { param n in 0..4611686018427387904 inout X: f32[4] for i in 0..n { if i < 4 { X[floormod(i, 4)] = "
      "1.0 } } }",
      "split i factor=16");
  const bool width =
      std::any_of(wide.validation.obligations.begin(), wide.validation.obligations.end(),
                  [](const Obligation& o) { return o.kind == "index-width" && o.status == Status::proved; });
  RULE_TRUE("PRF-17", width) << wide.failure();
  const Step too_wide = step(
      "program p { param n in 0..9223372036854775807 inout X: f32[4] for i in 0..n { if 3 * i < 12 { X[i] = 1.0 } } }",
      "split i factor=1024");
  const bool undecided =
      std::any_of(too_wide.validation.obligations.begin(), too_wide.validation.obligations.end(),
                  [](const Obligation& o) { return o.code == "WID-1" && o.status == Status::undecided; });
  RULE_TRUE("WID-1", undecided);
  const Step dead = step("program p { inout X: f32[4] for i in 5..2 { X[i] = 1.0 } }", "split i factor=2");
  const bool vacuous = std::any_of(dead.validation.obligations.begin(), dead.validation.obligations.end(),
                                   [](const Obligation& o) { return o.vacuous; });
  RULE_TRUE("PRF-19", dead.proved() && vacuous) << dead.failure();
}

TEST(StepObligations, data_dependent_order_stays_undecided_with_a_candidate) {
  const Step gather = step(
      "program p { input ids: i32[3] in 0..3 inout A: f32[3, 3, 3] for i in 1..3 { for j in 0..2 "
      "{ A[ids[0], i, j] = A[ids[0], i - 1, j + 1] + 1.0 } } }",
      "swap i j");
  ASSERT_NE(nullptr, gather.failed());
  RULE_TRUE("PRF-18", gather.failed()->status == Status::undecided && gather.failed()->witness.has_value());
  RULE_EQ("DEP-4", std::string("DEP-4"), gather.failed()->code);
}

TEST(StepObligations, what_is_not_decided_says_so) {
  const Step scatter =
      step("program p { input ids: i32[6] in 0..9 inout O: f32[9] for i in 0..6 { O[ids[i]] = f32(i) } }",
           "retype i axis=grid");
  ASSERT_NE(nullptr, scatter.failed());
  RULE_EQ("IND-1", std::string("IND-1"), scatter.failed()->code);
  const Step whole =
      step("program p { param n in 1..60 inout X: f32[64] for i in 0..n { X[i] = X[i] * 2.0 } }", "split i factor=4");
  const auto stingy = make_isl_query(1);
  bool undecided = false;
  for (const Obligation& o : validate(whole.before, whole.after, *stingy).obligations) {
    undecided = undecided || (o.kind == "domain-bijection" && o.status == Status::undecided && o.code == "DOM-2");
  }
  RULE_TRUE("DOM-2", undecided);
}

// ---- falsified claims --------------------------------------------------------------------------------------------

// Replaces the map of the k-th statement that has one by `change` of it; returns how many statements have a map.
int falsify(Program& p, int k, const std::function<void(Provenance&)>& change) {
  int seen = 0;
  p.body = rewrite(p.body, {}, [&](const Stmt& s) {
    if (s->kind == StmtKind::loop || s->kind == StmtKind::branch || !s->provenance || s->provenance->to_source.empty())
      return Block{s};
    if (seen++ != k) return Block{s};
    Provenance lie = *s->provenance;
    change(lie);
    return Block{with(s, [&](StmtNode& n) { n.provenance = std::make_shared<const Provenance>(lie); })};
  });
  return seen;
}

TEST(FalsifiedClaims, a_wrong_map_is_never_proved) {
  const std::string text =
      "program p { param n in 5..30 input A: f32[30, 7] inout C: f32[30, 7] for i in 0..n { for j in 0..7 { "
      "var s: f32 = A[i, j] s = s + 1.0 C[i, j] = C[i, j] + s } } }";
  const std::vector<std::function<void(Provenance&)>> lies = {
      [](Provenance& p) { p.to_source["i"] = p.to_source["i"] + 1; },
      [](Provenance& p) { p.to_source["j"] = Index(6) - p.to_source["j"]; },
      [](Provenance& p) { p.to_source["i"] = Index(0); },
      [](Provenance& p) { std::swap(p.to_source["i"], p.to_source["j"]); },
      [](Provenance& p) { p.to_source["i"] = p.to_source["i"] * 2; },
      [](Provenance& p) { p.to_source["j"] = Index::symbol("nowhere"); },
      [](Provenance& p) { p.to_source.erase("i"); },
      [](Provenance& p) { p.statement = p.statement + 1; },
      [](Provenance& p) { p.statement = -1; },
  };
  const auto query = make_isl_query();
  for (const char* operation : {"split i factor=4", "split j factor=3", "swap i j", "unroll j materialize=true",
                                "retype i axis=grid", "retype j axis=vectorized"}) {
    const Step honest = step(text, operation);
    ASSERT_TRUE(honest.proved()) << operation << ": " << honest.failure();
    for (std::size_t l = 0; l < lies.size(); ++l) {
      Program counted = honest.after;
      const int statements = std::min(falsify(counted, -1, lies[l]), 4);
      for (int k = 0; k < statements; ++k) {
        Program after = honest.after;
        falsify(after, k, lies[l]);
        const Validation v = validate(honest.before, after, *query);
        const bool refused = std::any_of(v.obligations.begin(), v.obligations.end(),
                                         [](const Obligation& o) { return o.status != Status::proved; });
        RULE_TRUE("CLAIM-1", refused) << operation << ", lie " << l << " at statement " << k;
      }
    }
  }
}

TEST(FalsifiedClaims, dropped_duplicated_and_changed_statements_are_refused) {
  const std::string text = "program p { param n in 5..30 inout C: f32[31] for i in 0..n { C[i] = C[i] + 1.0 } }";
  const auto query = make_isl_query();
  const Step honest = step(text, "split i factor=4");
  ASSERT_TRUE(honest.proved()) << honest.failure();
  const auto refused = [&](const std::function<Block(const Stmt&)>& change) {
    Program after = honest.after;
    after.body = rewrite(after.body, {}, change);
    const Validation v = validate(honest.before, after, *query);
    for (const Obligation& o : v.obligations) {
      if (o.status != Status::proved) return o.code;
    }
    return std::string();
  };
  RULE_EQ("DOM-1", std::string("DOM-1"),
          refused([](const Stmt& s) { return s->kind == StmtKind::store ? Block{} : Block{s}; }));
  RULE_EQ("DOM-1", std::string("DOM-1"), refused([](const Stmt& s) {
            return s->kind == StmtKind::store ? Block{s, s} : Block{s};
          }));
  RULE_EQ("DOM-1", std::string("DOM-1"),
          refused([](const Stmt& s) { return s->kind == StmtKind::branch ? s->body : Block{s}; }));
  RULE_EQ("CLAIM-1", std::string("CLAIM-1"), refused([](const Stmt& s) {
            if (s->kind != StmtKind::store) return Block{s};
            return Block{with(s, [](StmtNode& n) { n.indices[0] = make_index(n.indices[0]->index + 1); })};
          }));
  RULE_EQ("CLAIM-1", std::string("CLAIM-1"), refused([](const Stmt& s) {
            if (s->kind != StmtKind::store) return Block{s};
            return Block{with(s, [](StmtNode& n) { n.value = n.value->args[0]; })};
          }));
}

TEST(GuardFolding, a_fold_is_proved_and_a_wrong_fold_is_not) {
  const auto query = make_isl_query();
  const Program before =
      number_statements(program("program p { param n in 5..30 input A: f32[30] output C: f32[30] for i in 0..30 { C[i] "
                                "= i < n ? A[i] : 0.0 } }"));
  const auto folded = [&](std::size_t arm) {
    Program after = before;
    after.body = rewrite(after.body, [&](const Expr& e) { return e->op == Op::choice ? e->args[arm] : e; });
    return validate(before, after, *query);
  };
  const auto code = [](const Validation& v) {
    for (const Obligation& o : v.obligations) {
      if (o.status != Status::proved) return o.code;
    }
    return std::string();
  };
  RULE_EQ("GRD-1", std::string("GRD-1"), code(folded(1)));
  RULE_EQ("GRD-1", std::string("GRD-1"), code(folded(2)));
  const Program narrow = number_statements(program(
      "program p { param n in 5..30 input A: f32[30] output C: f32[5] for i in 0..5 { C[i] = i < n ? A[i] : 0.0 } }"));
  Program after = narrow;
  after.body = rewrite(after.body, [&](const Expr& e) { return e->op == Op::choice ? e->args[1] : e; });
  RULE_EQ("PRF-10", std::string(), code(validate(narrow, after, *query)));
}

}  // namespace
}  // namespace assay
