// Products of unknowns: their relaxation adds solutions and loses none, and a linear engine's answers stay right.
#include "proofs/obligation/products.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proofs/isl/query.hpp"
#include "random_formula.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(Products, a_linear_engine_stays_right, ()) {
  const Formula f = test::random_formula(2, true);
  RC_PRE(f.has_products());
  RC_ASSERT(!relax_products(f).has_products());
  const Answer answer = make_isl_query()->solve(test::boxed(f));
  if (answer.kind == Answer::Kind::empty) RC_ASSERT(test::record_rule("PRF-4", !test::solvable(f)));
  if (answer.kind == Answer::Kind::solution) {
    auto point = answer.solution;
    for (const char* s : {"a", "b", "c"}) point.emplace(s, 0);
    RC_ASSERT(test::record_rule("PRF-4", test::holds(test::boxed(f), point)));
  }
}

TEST(Products, are_linear_as_soon_as_a_factor_is_constant) {
  const Index v = Index::symbol("v"), a = Index::symbol("a"), b = Index::symbol("b");
  const Formula f = Formula::product(v, a, b);
  EXPECT_TRUE(f.has_products());
  EXPECT_FALSE(f.substitute({{"a", Index(3)}}).has_products());
  EXPECT_EQ(Formula::zero(v - b * 3).text(), f.substitute({{"a", Index(3)}}).text());
  EXPECT_EQ(f.text(), Formula::product(v, b, a).text());
}

TEST(Products, what_the_relaxation_cannot_settle_is_unknown) {
  const Index v = Index::symbol("v"), a = Index::symbol("a");
  const Formula square = Formula::product(v, a, a);
  const auto isl = make_isl_query();
  // v = a*a, v = 2: no solution, which no linear argument shows.
  const Answer open = isl->solve(square & Formula::eq(v, Index(2)));
  RULE_TRUE("PRF-4", open.kind == Answer::Kind::unknown);
  EXPECT_EQ("not linear", open.reason);
  EXPECT_EQ("isl", open.engine);
  // The bounds alone contradict: proved although there is a product.
  RULE_TRUE("PRF-4",
            isl->solve(square & Formula::lt(a, Index(0)) & Formula::lt(Index(0), a)).kind == Answer::Kind::empty);
  // A point that the relaxation finds is completed and checked.
  const Answer point = isl->solve(square & Formula::eq(a, Index(3)));
  RULE_TRUE("PRF-4", point.kind == Answer::Kind::solution && point.solution.at("v") == 9);
}

TEST(Products, evaluation_is_three_valued) {
  const Index a = Index::symbol("a");
  const std::map<Symbol, std::int64_t> at{{"a", INT64_MAX}};
  EXPECT_EQ(std::nullopt, evaluate(Formula::nonneg(a * 2), at));
  EXPECT_EQ(std::nullopt, evaluate(Formula::nonneg(Index::symbol("b")), at));
  EXPECT_EQ(true, evaluate(Formula::nonneg(a * 2) | Formula::nonneg(a), at));
  EXPECT_EQ(false, evaluate(Formula::product(Index::symbol("b"), a, a) & Formula::lt(a, Index(0)), at));
}

}  // namespace
}  // namespace assay
