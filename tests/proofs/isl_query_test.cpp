// The isl engine against exhaustive enumeration of small boxes, and its determinism.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proofs/isl/query.hpp"
#include "random_formula.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(IslQuery, agrees_with_enumeration, ()) {
  const Formula f = test::random_formula(2);
  const Answer answer = make_isl_query()->solve(test::boxed(f));
  RC_ASSERT(answer.kind != Answer::Kind::unknown);
  RC_ASSERT(test::record_rule("PRF-1", (answer.kind == Answer::Kind::solution) == test::solvable(f)));
  if (answer.kind == Answer::Kind::solution) {
    auto point = answer.solution;
    RC_ASSERT(test::record_rule("PRF-1", test::holds(test::boxed(f), point)));
  }
}

TEST(IslQuery, budget_is_a_count_of_operations) {
  // Four squares of divisions: far more work than ten operations allow.
  Formula f = Formula::truth();
  for (int k = 2; k < 7; ++k) {
    f = f & Formula::nonneg(floormod(Index::symbol("a") * 3 + Index::symbol("b"), k + 5) -
                            floordiv(Index::symbol("b") + k, k) + k);
  }
  const Answer small = make_isl_query(10)->solve(f);
  RULE_TRUE("PRF-2", small.kind == Answer::Kind::unknown);
  const Answer first = make_isl_query()->solve(f);
  const Answer second = make_isl_query()->solve(f);
  RULE_TRUE("PRF-2", first.kind == Answer::Kind::solution && first.solution == second.solution);
}

// Two coordinates of a permutation by digits of a mixed radix, in three loops: few operations on long rows, and much that isl does not count.
TEST(IslQuery, WorkOnNumbersIsBoundedToo) {
  const auto cell = [](const Index& t) {
    return -floormod(floordiv(t, 4), 8) + floordiv(t, 32) * 8 + floormod(t, 4) * 64;
  };
  Formula covered = Formula::truth();
  for (const char* name : {"a", "b", "c"}) {
    const Index t = Index::symbol(name);
    covered = covered & Formula::nonneg(t) & Formula::lt(t, Index(256)) & !Formula::eq(cell(t), Index::symbol("y"));
  }
  const Formula f = Formula::nonneg(Index::symbol("y") + 7) & Formula::lt(Index::symbol("y"), Index(249)) &
                    !Formula::exists({"a", "b", "c"}, !covered);
  const Answer answer = make_isl_query(1000)->solve(f);
  RULE_TRUE("PRF-2", answer.kind == Answer::Kind::unknown);
  RULE_TRUE("PRF-2", answer.reason.find("quota") != std::string::npos) << answer.reason;
}

TEST(IslQuery, minimises_the_named_symbols_first) {
  const Index n = Index::symbol("n");
  const Index i = Index::symbol("i");
  const Formula f = Formula::le(Index(3), n) & Formula::lt(n, Index(100)) & Formula::le(Index(0), i) &
                    Formula::lt(i, n) & Formula::le(Index(5), i);
  const Answer answer = make_isl_query()->solve(f, {"n"});
  RULE_EQ("PRF-3", 6, answer.solution.at("n"));
  RULE_EQ("PRF-3", 5, answer.solution.at("i"));
}

}  // namespace
}  // namespace assay
