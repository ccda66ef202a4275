// The isl engine against exhaustive enumeration of small boxes, and its determinism.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proofs/isl/query.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

const Symbol names[] = {"a", "b", "c"};

// A random Index over a, b, c with every kind of atom.
Index random_index(int depth) {
  Index e(*rc::gen::inRange(-6, 7));
  const int terms = *rc::gen::inRange(1, 4);
  for (int i = 0; i < terms; ++i) {
    Index atom = Index::symbol(names[*rc::gen::inRange(0, 3)]);
    if (depth > 0) {
      switch (*rc::gen::inRange(0, 6)) {
        case 0: atom = floordiv(random_index(depth - 1), *rc::gen::inRange(1, 6)); break;
        case 1: atom = floormod(random_index(depth - 1), *rc::gen::inRange(1, 6)); break;
        case 2: atom = min({random_index(depth - 1), random_index(depth - 1)}); break;
        case 3: atom = max({random_index(depth - 1), random_index(depth - 1)}); break;
        default: break;
      }
    }
    e = e + atom * *rc::gen::inRange(-3, 4);
  }
  return e;
}

Formula random_formula(int depth) {
  switch (depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 6)) {
    case 0: return Formula::nonneg(random_index(1));
    case 1: return Formula::zero(random_index(1));
    case 2: return random_formula(depth - 1) & random_formula(depth - 1);
    case 3: return random_formula(depth - 1) | random_formula(depth - 1);
    case 4: return !random_formula(depth - 1);
    default: {
      // exists q in 0..4 with the body over q in place of c
      const Symbol q = "q" + std::to_string(*rc::gen::inRange(0, 1000000));
      const Formula range = Formula::nonneg(Index::symbol(q)) & Formula::lt(Index::symbol(q), Index(4));
      return Formula::exists({q}, range & random_formula(depth - 1).substitute({{"c", Index::symbol(q)}}));
    }
  }
}

bool holds(const Formula& f, std::map<Symbol, std::int64_t>& at) {
  const auto value = [&](const Symbol& s) -> std::optional<std::int64_t> { return at.at(s); };
  switch (f.kind()) {
    case Formula::Kind::truth: return true;
    case Formula::Kind::falsity: return false;
    case Formula::Kind::nonneg: return *f.expression().evaluate(value) >= 0;
    case Formula::Kind::zero: return *f.expression().evaluate(value) == 0;
    case Formula::Kind::negation: return !holds(f.parts()[0], at);
    case Formula::Kind::conjunction:
      return std::all_of(f.parts().begin(), f.parts().end(), [&](const Formula& p) { return holds(p, at); });
    case Formula::Kind::disjunction:
      return std::any_of(f.parts().begin(), f.parts().end(), [&](const Formula& p) { return holds(p, at); });
    case Formula::Kind::exists:
      for (std::int64_t q = -1; q <= 5; ++q) {
        at[f.variables()[0]] = q;
        if (holds(f.parts()[0], at)) return true;
      }
      return false;
  }
  return false;
}

RC_GTEST_PROP(IslQuery, agrees_with_enumeration, ()) {
  const Formula f = random_formula(2);
  Formula boxed = f;
  for (const Symbol& s : names)
    boxed = boxed & Formula::le(Index(-3), Index::symbol(s)) & Formula::lt(Index::symbol(s), Index(4));
  const Answer answer = make_isl_query()->solve(boxed);
  bool solvable = false;
  std::map<Symbol, std::int64_t> at;
  for (at["a"] = -3; at["a"] < 4 && !solvable; ++at["a"]) {
    for (at["b"] = -3; at["b"] < 4 && !solvable; ++at["b"]) {
      for (at["c"] = -3; at["c"] < 4 && !solvable; ++at["c"]) solvable = holds(f, at);
    }
  }
  RC_ASSERT(answer.kind != Answer::Kind::unknown);
  RC_ASSERT(test::record_rule("PRF-1", (answer.kind == Answer::Kind::solution) == solvable));
  if (answer.kind == Answer::Kind::solution) {
    auto point = answer.solution;
    RC_ASSERT(test::record_rule("PRF-1", holds(boxed, point)));
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
