// The SMT engines against exhaustive enumeration of small boxes, their settings, and their honesty about models.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proofs/cvc5/query.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/smtlib/values.hpp"
#include "proofs/z3/query.hpp"
#include "random_formula.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

void agrees_with_enumeration(Query& engine, const Formula& f, bool always_decided) {
  const Answer answer = engine.solve(test::boxed(f));
  const bool solvable = test::solvable(f);
  if (always_decided) RC_ASSERT(answer.kind != Answer::Kind::unknown);
  if (answer.kind == Answer::Kind::empty) RC_ASSERT(test::record_rule("PRF-1", !solvable));
  if (answer.kind != Answer::Kind::solution) return;
  auto point = answer.solution;
  for (const char* s : {"a", "b", "c"}) point.emplace(s, 0);
  RC_ASSERT(test::record_rule("PRF-1", solvable && test::holds(test::boxed(f), point)));
}

RC_GTEST_PROP(Z3Query, agrees_with_enumeration, ()) {
  agrees_with_enumeration(*make_z3_query(), test::random_formula(2), false);
}
RC_GTEST_PROP(Z3Query, agrees_with_enumeration_on_products, ()) {
  agrees_with_enumeration(*make_z3_query(), test::random_formula(2, true), false);
}
RC_GTEST_PROP(Cvc5Query, agrees_with_enumeration, ()) {
  if (!cvc5_engine_name()) RC_DISCARD("cvc5 is not installed");
  if (*rc::gen::inRange(0, 5) != 0) return;  // a process for each question: a fifth of the cases
  agrees_with_enumeration(*make_cvc5_query(10'000), test::random_formula(2, true), false);
}

Formula hard() {
  // A product of two four-digit primes, none of which is found by bounds.
  const Index a = Index::symbol("a"), b = Index::symbol("b");
  return Formula::product(Index(9'999'991), a, b) & Formula::le(Index(2), a) & Formula::le(a, b);
}

TEST(SmtQuery, budgets_count_operations_and_answers_repeat) {
  for (const auto make : {make_z3_query, make_cvc5_query}) {
    if (make == make_cvc5_query && !cvc5_engine_name()) continue;
    const Answer small = make(2'000)->solve(hard());
    RULE_TRUE("PRF-7", small.kind == Answer::Kind::unknown) << small.engine;
    EXPECT_NE(std::string::npos, small.reason.find("rlimit")) << small.reason;
    const Answer first = make(4'000)->solve(hard()), second = make(4'000)->solve(hard());
    RULE_TRUE("PRF-7", first.kind == second.kind && first.solution == second.solution && first.reason == second.reason);
  }
}

TEST(SmtQuery, quantified_parts_are_decided) {
  // Every i below 4*n is 4*a + b with a < n, b < 4; not so with b < 3.
  const Index i = Index::symbol("i"), n = Index::symbol("n"), a = Index::symbol("a"), b = Index::symbol("b");
  const auto uncovered = [&](std::int64_t width) {
    const Formula reached =
        Formula::exists({"a", "b"}, Formula::le(Index(0), a) & Formula::lt(a, n) & Formula::le(Index(0), b) &
                                        Formula::lt(b, Index(width)) & Formula::eq(i, a * 4 + b));
    return Formula::le(Index(1), n) & Formula::lt(n, Index(100)) & Formula::le(Index(0), i) & Formula::lt(i, n * 4) &
           !reached;
  };
  for (const auto make : {make_z3_query, make_cvc5_query}) {
    if (make == make_cvc5_query && !cvc5_engine_name()) continue;
    RULE_EQ("PRF-1", Answer::Kind::empty, make(300'000)->solve(uncovered(4)).kind);
    const Answer found = make(300'000)->solve(uncovered(3));
    RULE_TRUE("PRF-1", found.kind == Answer::Kind::solution && found.solution.at("i") % 4 == 3) << found.reason;
  }
}

TEST(SmtQuery, an_unchecked_solution_is_none) {
  const Formula f = Formula::product(Index::symbol("v"), Index::symbol("a"), Index::symbol("a"));
  const smtlib::Script asked = smtlib::script(f);
  const auto isl = make_isl_query();
  RULE_EQ("PRF-7", Answer::Kind::solution, smtlib::checked_solution(asked, {{"v", 9}, {"a", -3}}, f, *isl).kind);
  RULE_EQ("PRF-7", Answer::Kind::unknown, smtlib::checked_solution(asked, {{"v", 8}, {"a", -3}}, f, *isl).kind);
  RULE_EQ("PRF-7", Answer::Kind::unknown, smtlib::checked_solution(asked, {{"a", 4'000'000'000}}, f, *isl).kind);
}

TEST(SmtQuery, without_cvc5_every_answer_is_unknown) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const Answer answer = make_cvc5_query()->solve(Formula::nonneg(Index::symbol("a")));
  setenv("PATH", path.c_str(), 1);
  RULE_EQ("PRF-8", Answer::Kind::unknown, answer.kind);
  EXPECT_TRUE(answer.reason.find("could not be run") != std::string::npos) << answer.reason;  // or cvc5 said nothing
}

TEST(Smtlib, text_is_a_function_of_the_formula) {
  const Index a = Index::symbol("i'1"), b = Index::symbol("n");
  const Formula f = Formula::lt(floormod(a, 4), floordiv(a, 4)) & Formula::product(Index::symbol("v"), a, b) &
                    Formula::nonneg(min({a, b}) - 2);
  RULE_EQ("PRF-7",
          std::string("(set-logic QF_NIA)\n"
                      "(declare-const |i'1| Int)\n"
                      "(declare-const |n| Int)\n"
                      "(declare-const |v| Int)\n"
                      "(declare-const q!1 Int)\n"
                      "(assert (and (<= (* 4 q!1) |i'1|) (< |i'1| (+ (* 4 q!1) 4))))\n"
                      "(assert (>= (+ q!1 (- (- |i'1| (* 4 q!1))) (- 1)) 0))\n"
                      "(assert (= |v| (* |i'1| |n|)))\n"
                      "(assert (>= (+ (ite (<= |i'1| |n|) |i'1| |n|) (- 2)) 0))\n"
                      "(check-sat)\n"),
          smtlib::script(f).text());
  EXPECT_EQ("LIA", smtlib::script(!Formula::exists({"q"}, Formula::eq(Index::symbol("q") * 2, b))).logic);
  EXPECT_EQ("QF_LIA", smtlib::script(Formula::exists({"q"}, Formula::eq(Index::symbol("q") * 2, b))).logic);
}

}  // namespace
}  // namespace assay
