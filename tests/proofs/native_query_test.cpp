// The native engine against isl, against enumeration, on shapes that are hard for it, and with faults planted.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formula_generator.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/native/faults.hpp"
#include "proofs/native/query.hpp"
#include "proofs/portfolio/query.hpp"
#include "random_formula.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using test::boxed;
using test::Dice;
using test::holds;
using test::random_boxed_formula;
using test::random_open_formula;

/// The smallest solution of `f` in the box, by enumeration.
std::optional<std::map<Symbol, std::int64_t>> enumerate(const Formula& f) {
  std::map<Symbol, std::int64_t> at;
  for (at["a"] = -3; at["a"] < 4; ++at["a"]) {
    for (at["b"] = -3; at["b"] < 4; ++at["b"]) {
      for (at["c"] = -3; at["c"] < 4; ++at["c"]) {
        if (holds(f, at)) return std::map<Symbol, std::int64_t>{{"a", at["a"]}, {"b", at["b"]}, {"c", at["c"]}};
      }
    }
  }
  return std::nullopt;
}

struct Tally {
  int questions = 0, unknown = 0;
};

/// What is wrong with the engine's answer to a question over the box; empty when nothing is.
std::string judge_boxed(Query& engine, Dice& dice, Tally& tally) {
  const Formula f = random_boxed_formula(dice);
  const Answer answer = engine.solve(boxed(f));
  ++tally.questions;
  if (answer.kind == Answer::Kind::unknown) {
    ++tally.unknown;
    return answer.reason == "a solution was not confirmed" ? answer.reason + ": " + f.text() : std::string();
  }
  const auto smallest = enumerate(f);
  if ((answer.kind == Answer::Kind::solution) != smallest.has_value())
    return (smallest ? "has a solution: " : "has none: ") + f.text();
  if (smallest && answer.solution != *smallest) return "not the smallest solution: " + f.text();
  return {};
}

std::string judge_open(Query& engine, Query& isl, Dice& dice, Tally& tally) {
  const Formula f = random_open_formula(dice);
  const std::vector<Symbol> first{"n"};
  const Answer answer = engine.solve(f, first);
  ++tally.questions;
  if (answer.kind == Answer::Kind::unknown) {
    ++tally.unknown;
    if (answer.reason == "a solution was not confirmed") return "a solution was not confirmed: " + f.text();
    return {};
  }
  const Answer reference = isl.solve(f, first);
  if (reference.kind == Answer::Kind::unknown) return {};
  if (answer.kind != reference.kind)
    return (reference.kind == Answer::Kind::solution ? "has a solution: " : "has none: ") + f.text();
  if (answer.solution != reference.solution) return "not the smallest solution: " + f.text();
  return {};
}

// RapidCheck's 100 seeds with 200 formulas each.
RC_GTEST_PROP(NativeQuery, agrees_with_enumeration, (std::uint64_t seed)) {
  Dice dice(seed);
  const auto engine = make_native_query();
  Tally tally;
  for (int i = 0; i < 200; ++i) {
    const std::string wrong = judge_boxed(*engine, dice, tally);
    RC_ASSERT(test::record_rule("PRF-1", wrong.empty()) || (RC_LOG(wrong), false));
  }
  RC_ASSERT(test::record_rule("PRF-32", tally.unknown < 20));
}

RC_GTEST_PROP(NativeQuery, agrees_with_isl, (std::uint64_t seed)) {
  Dice dice(seed);
  const auto engine = make_native_query();
  const auto isl = make_isl_query();
  Tally tally;
  for (int i = 0; i < 10; ++i) {
    const std::string wrong = judge_open(*engine, *isl, dice, tally);
    RC_ASSERT(test::record_rule("PRF-1", wrong.empty()) || (RC_LOG(wrong), false));
  }
}

// Every fault shows in the comparison with enumeration or, where boxes are too small for it, with isl.
TEST(NativeQuery, planted_faults_are_noticed) {
  const auto isl = make_isl_query();
  for (int k = 1; k < static_cast<int>(native::Fault::count); ++k) {
    const auto engine = native::make_faulty_query(default_native_budget, static_cast<native::Fault>(k));
    Dice boxes(1);
    Dice open(2);
    Tally tally;
    int asked = 0;
    bool noticed = false;
    while (!noticed && ++asked < 4000)
      noticed = !judge_boxed(*engine, boxes, tally).empty() ||
                (asked % 10 == 0 && !judge_open(*engine, *isl, open, tally).empty());
    RULE_TRUE("PRF-32", noticed) << "fault " << k;
  }
}

Index symbol(const char* s) { return Index::symbol(s); }
Formula within(const Index& lo, const Index& e, const Index& hi) { return Formula::le(lo, e) & Formula::lt(e, hi); }

void expect_empty(const Formula& f) {
  const Answer answer = make_native_query()->solve(f);
  RULE_TRUE("PRF-1", answer.kind == Answer::Kind::empty) << f.text() << "\n" << answer.reason;
}

TEST(NativeQuery, equalities_without_integer_points) {
  const Index x = symbol("x");
  const Index y = symbol("y");
  const Index z = symbol("z");
  expect_empty(Formula::eq(x * 2 + y * 4, z * 6 + 1));              // parity
  expect_empty(Formula::eq(x, y * 2) & Formula::eq(x, z * 2 + 1));  // both even and odd
  expect_empty(Formula::eq(floormod(x, 6), Index(1)) & Formula::eq(floormod(x, 4), Index(2)));
  expect_empty(Formula::eq(x * 3 + y * 5, Index(7)) & within(0, x, 100) &
               within(0, y, 100));  // Frobenius number of 3 and 5
  expect_empty(Formula::eq(x * 12 + y * 20 + z * 30, Index(1)));
}

TEST(NativeQuery, inequalities_with_real_but_no_integer_points) {
  const Index x = symbol("x");
  const Index y = symbol("y");
  const Index z = symbol("z");
  // The dark shadow is empty and only the splinters tell.
  expect_empty(within(27, x * 11 + y * 13, 46) & within(-10, x * 7 - y * 9, 5));
  expect_empty(within(1, x * 3, 3));
  expect_empty(within(y * 6 + 1, x * 6, y * 6 + 6));
  expect_empty(within(z * 4 + 1, x * 4 + y * 8, z * 4 + 4));
  // A thin slab in space: 5 <= 6x + 10y + 15z <= 5 has points, its part with small x, y, z has none.
  expect_empty(Formula::eq(x * 6 + y * 10 + z * 15, Index(29)) & within(0, x, 100) & within(0, y, 100) &
               within(0, z, 100));
}

TEST(NativeQuery, chinese_remainders) {
  const Index x = symbol("x");
  const Formula f = Formula::le(Index(0), x) & Formula::eq(floormod(x, 3), Index(2)) &
                    Formula::eq(floormod(x, 5), Index(3)) & Formula::eq(floormod(x, 7), Index(2));
  RULE_EQ("PRF-3", 23, make_native_query()->solve(f).solution.at("x"));
  expect_empty(f & Formula::lt(x, Index(128)) & Formula::ne(x, Index(23)));
}

// Two different threads of a 16 × 32 tile in rows of `stride` cells use one cell exactly when the stride is below 32.
TEST(NativeQuery, races_at_strides) {
  const Index i = symbol("i"), j = symbol("j"), k = symbol("k"), l = symbol("l");
  const Formula threads = within(0, i, 16) & within(0, j, 32) & within(0, k, 16) & within(0, l, 32) &
                          (Formula::ne(i, k) | Formula::ne(j, l));
  for (std::int64_t stride = 28; stride <= 68; ++stride) {
    const Answer answer = make_native_query()->solve(threads & Formula::eq(i * stride + j, k * stride + l));
    RULE_EQ("PRF-1", stride < 32 ? Answer::Kind::solution : Answer::Kind::empty, answer.kind);
  }
}

TEST(NativeQuery, typical_obligations) {
  const Index n = symbol("n"), i = symbol("i"), o = symbol("o"), p = symbol("p"), q = symbol("q"), k = symbol("k"),
              l = symbol("l");
  // Three levels of a split hit every iteration ...
  const Formula some =
      Formula::exists({"o", "p", "q"}, within(0, o, ceildiv(n, 96)) & within(0, p, 3) & within(0, q, 32) &
                                           Formula::lt(o * 96 + p * 32 + q, n) & Formula::eq(i, o * 96 + p * 32 + q));
  expect_empty(within(0, n, 100000) & within(0, i, n) & !some);
  // ... and none twice.
  const Index a = symbol("a"), b = symbol("b"), c = symbol("c");
  expect_empty(within(0, p, 3) & within(0, q, 32) & within(0, b, 3) & within(0, c, 32) &
               Formula::eq(o * 96 + p * 32 + q, a * 96 + b * 32 + c) &
               !(Formula::eq(o, a) & Formula::eq(p, b) & Formula::eq(q, c)));
  // A double buffer: the slot of stage k is not that of stage k + 1.
  expect_empty(within(0, k, n) & Formula::eq(floormod(k, 2), floormod(k + 1, 2)));
  // A window: every element of a tile's halo is copied.
  const Formula copied = Formula::exists({"l"}, within(0, l, 18) & Formula::eq(o * 16 + l, i + k));
  expect_empty(within(0, k, 3) & within(o * 16, i, o * 16 + 16) & !copied);
  // Folding to fours and back.
  expect_empty(Formula::ne(floordiv(i, 4) * 4 + floormod(i, 4), i));
  expect_empty(within(0, i, n * 8) & !within(0, floordiv(i, 8), n));
}

TEST(NativeQuery, numbers_beyond_64_bits_are_unknown) {
  const Index x = symbol("x");
  const Index y = symbol("y");
  const std::int64_t big = INT64_MAX / 3;
  const Formula f = Formula::eq(x * big + y * (big - 1), Index(1)) & Formula::lt(y * big, x * (big - 7)) &
                    Formula::lt(x * (big - 5), y * (big - 2));
  const Answer answer = make_native_query()->solve(f);
  RULE_TRUE("PRF-1", answer.kind != Answer::Kind::solution);
  if (answer.kind == Answer::Kind::unknown) {
    RULE_TRUE("PRF-1", answer.reason.find("64 bits") != std::string::npos);
  }
}

TEST(NativeQuery, an_overflowed_index_is_unknown) {
  const Index wide = symbol("x") * INT64_MAX * 4;
  const Formula f = Formula::nonneg(wide) & within(0, symbol("x"), 3);
  const std::unique_ptr<Query> engines[] = {make_native_query(), make_isl_query()};
  for (const auto& engine : engines) {
    RULE_TRUE("PRF-1", engine->solve(f).kind == Answer::Kind::unknown);
    RULE_TRUE("PRF-1", engine->solve(!f).kind == Answer::Kind::unknown);
  }
}

TEST(NativeQuery, budget_is_a_count_of_operations) {
  Dice dice(7);
  std::vector<Formula> formulas;
  for (int i = 0; i < 50; ++i) formulas.push_back(random_open_formula(dice));
  int unknown = 0;
  for (const Formula& f : formulas) {
    const Answer first = make_native_query(2000)->solve(f);
    const Answer second = make_native_query(2000)->solve(f);
    unknown += first.kind == Answer::Kind::unknown && first.reason == "native operation budget reached";
    RULE_TRUE("PRF-2", first.kind == second.kind && first.solution == second.solution && first.reason == second.reason);
  }
  RULE_TRUE("PRF-2", unknown > 0);
}

TEST(NativeQuery, an_unbounded_solution_is_left_to_others) {
  const Answer answer = make_native_query()->solve(Formula::lt(symbol("x"), Index(0)));
  RULE_TRUE("PRF-3", answer.kind == Answer::Kind::unknown);
  RULE_EQ("PRF-5", std::string("native"), answer.engine);
}

TEST(PortfolioQuery, asks_native_first_then_isl_then_z3) {
  const Index x = symbol("x");
  const Formula easy = within(0, x, 10) & Formula::eq(x * 2, Index(6));
  RULE_EQ("PRF-9", std::string("native"), make_portfolio_query()->solve(easy).engine);
  const Answer handed_on = make_portfolio_query()->solve(Formula::lt(x, Index(0)));
  RULE_TRUE("PRF-9", handed_on.engine == "isl" && handed_on.kind == Answer::Kind::solution);
  // A square: linear engines hand it on.
  const Answer square = make_portfolio_query()->solve(Formula::product(Index(1681), x, x) & Formula::lt(Index(0), x));
  RULE_TRUE("PRF-9", square.engine == "z3" && square.solution.at("x") == 41) << square.engine;
  std::vector<std::unique_ptr<Query>> two;
  two.push_back(make_native_query(1));
  two.push_back(make_isl_query(1));
  const Answer none = make_sequence_query(std::move(two))->solve(easy & Formula::eq(floormod(x, 7), floordiv(x, 3)));
  RULE_EQ("PRF-9", std::string("native: native operation budget reached; isl: isl operation quota reached"),
          none.reason);
}

}  // namespace
}  // namespace assay
