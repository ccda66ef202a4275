// Products of unknowns: their relaxation adds solutions and loses none, and a linear engine's answers stay right.
#include "proofs/obligation/products.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proofs/cvc5/query.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/obligation/lemmas.hpp"
#include "proofs/z3/query.hpp"
#include "random_formula.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(Products, a_linear_engine_stays_right, ()) {
  const Formula f = test::random_formula(2, true);
  RC_PRE(f.has_products());
  for (const Formula& relaxed : linearisations(test::boxed(f))) RC_ASSERT(!relaxed.has_products());
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

Index sym(const char* s) { return Index::symbol(s); }
Formula within(const Index& lo, const Index& x, const Index& hi) { return Formula::le(lo, x) & Formula::lt(x, hi); }

// A lemma is proved for all integers, by a solver that knows products: never assumed.
void expect_proved(const Formula& definitions, const Formula& lemma) {
  const Formula violation = definitions & !lemma;
  Answer answer = make_z3_query()->solve(violation);
  if (answer.kind == Answer::Kind::unknown) answer = make_cvc5_query(2'000'000)->solve(violation);
  if (answer.kind == Answer::Kind::unknown && !cvc5_engine_name()) {
    std::cout << "left out, needs cvc5: " << lemma.text() << "\n";
    return;
  }
  RULE_TRUE("PRF-6", answer.kind == Answer::Kind::empty) << lemma.text() << "\n" << answer.reason;
}

TEST(Lemmas, are_proved_by_a_solver) {
  const Index p = sym("p"), q = sym("q"), a = sym("a"), b = sym("b"), n = sym("n");
  const Formula radix = Formula::product(p, a, n) & Formula::product(q, b, n);
  expect_proved(radix, radix_lemma(p, a, q, b, n));
  for (const std::int64_t c : {-3, 1, 7}) expect_proved(radix & Formula::eq(a - b, c), shift_lemma(p, q, c, n));
  expect_proved(Formula::product(p, a, a) & Formula::product(q, b, b), square_lemma(p, a, q, b));
  for (const Interval in_a : {Interval{0, 31}, Interval{-5, 100}, Interval{-7, -2}}) {
    for (const Interval in_b : {Interval{1, 1024}, Interval{-3, 3}}) {
      const auto in = [](const Index& x, const Interval& i) {
        return within(static_cast<std::int64_t>(i.lo), x, static_cast<std::int64_t>(i.hi + 1));
      };
      expect_proved(Formula::product(p, a, b) & in(a, in_a) & in(b, in_b), enclosure_lemma(p, a, in_a, b, in_b));
    }
  }
}

TEST(Lemmas, wrong_ones_are_refuted) {
  const Index p = sym("p"), q = sym("q"), a = sym("a"), b = sym("b"), n = sym("n");
  const Formula radix = Formula::product(p, a, n) & Formula::product(q, b, n);
  // Without the case of a negative n, and one too strong by one.
  const Formula no_sign = (Formula::lt(a, b) & Formula::le(p + n, q)) | (Formula::lt(b, a) & Formula::le(q + n, p)) |
                          (Formula::eq(a, b) & Formula::eq(p, q));
  const Formula too_strong = Formula::le(b, a) | Formula::lt(n, Index(0)) | Formula::le(p + n + 1, q);
  for (const Formula& wrong : {no_sign, too_strong})
    EXPECT_EQ(Answer::Kind::solution, make_z3_query()->solve(radix & !wrong).kind) << wrong.text();
}

TEST(Lemmas, let_a_linear_engine_decide_flattened_indices) {
  const Index i = sym("i"), j = sym("j"), k = sym("k"), I = sym("I"), J = sym("J"), K = sym("K");
  const Index m = sym("m"), n = sym("n"), o = sym("o");
  const Formula point = within(0, i, m) & within(0, j, n) & within(0, k, o);
  const Formula other = within(0, I, m) & within(0, J, n) & within(0, K, o);
  const Formula first = Formula::product(sym("in"), i, n) & Formula::product(sym("IN"), I, n);
  const auto isl = make_isl_query();
  const auto status = [&](const Formula& f) { return isl->solve(f).kind; };
  const Formula apart2 = !(Formula::eq(i, I) & Formula::eq(j, J));
  RULE_EQ("PRF-6", Answer::Kind::empty,
          status(point & other & first & Formula::eq(sym("in") + j, sym("IN") + J) & apart2));
  // A column too many, and two cells meet.
  EXPECT_NE(Answer::Kind::empty, status(within(0, i, m) & within(0, j, n + 1) & other & first &
                                        Formula::eq(sym("in") + j, sym("IN") + J) & apart2));
  // (i*n + j)*o + k.
  const Formula second = Formula::product(sym("v"), sym("in") + j, o) & Formula::product(sym("V"), sym("IN") + J, o);
  RULE_EQ(
      "PRF-6", Answer::Kind::empty,
      status(point & other & first & second & Formula::eq(sym("v") + k, sym("V") + K) & (apart2 | Formula::ne(k, K))));
  // In bounds of m*n cells, and of constantly many.
  RULE_EQ("PRF-6", Answer::Kind::empty,
          status(point & Formula::product(sym("in"), i, n) & Formula::product(sym("mn"), m, n) &
                 !within(0, sym("in") + j, sym("mn"))));
  RULE_EQ("PRF-6", Answer::Kind::empty,
          status(point & within(0, m, 33) & within(0, n, 33) & Formula::product(sym("in"), i, n) &
                 !within(0, sym("in") + j, 1024)));
  RULE_EQ("PRF-6", Answer::Kind::solution,
          status(point & within(0, m, 33) & within(0, n, 33) & Formula::product(sym("in"), i, n) &
                 !within(0, sym("in") + j, 1023)));
  // Triangles of squares: i*i + j with j <= 2*i.
  RULE_EQ("PRF-6", Answer::Kind::empty,
          status(within(0, i, m) & within(0, I, m) & within(0, j, i * 2 + 1) & within(0, J, I * 2 + 1) &
                 Formula::product(sym("ii"), i, i) & Formula::product(sym("II"), I, I) &
                 Formula::eq(sym("ii") + j, sym("II") + J) & apart2));
}

}  // namespace
}  // namespace assay
