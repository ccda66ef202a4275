// The native engine against isl, against enumeration, on shapes that are hard for it, and with faults planted.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "proofs/isl/query.hpp"
#include "proofs/native/faults.hpp"
#include "proofs/native/query.hpp"
#include "formula_generator.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using test::Dice;
using test::holds;
using test::random_boxed_formula;
using test::random_open_formula;

const Symbol names[] = {"a", "b", "c"};

Formula boxed(const Formula& f) {
  Formula out = f;
  for (const Symbol& s : names)
    out = out & Formula::le(Index(-3), Index::symbol(s)) & Formula::lt(Index::symbol(s), Index(4));
  return out;
}

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

// 100 seeds with 100 formulas each.
RC_GTEST_PROP(NativeQuery, agrees_with_enumeration, (std::uint64_t seed)) {
  Dice dice(seed);
  const auto engine = make_native_query();
  Tally tally;
  for (int i = 0; i < 100; ++i) {
    const std::string wrong = judge_boxed(*engine, dice, tally);
    if (!wrong.empty()) RC_FAIL(wrong);
  }
  if (getenv("NT")) printf("boxed unknown %d of %d\n", tally.unknown, tally.questions);
  RC_ASSERT(test::record_rule("PRF-1", tally.unknown < 15));
}

RC_GTEST_PROP(NativeQuery, agrees_with_isl, (std::uint64_t seed)) {
  Dice dice(seed);
  const auto engine = make_native_query();
  const auto isl = make_isl_query();
  Tally tally;
  for (int i = 0; i < 100; ++i) {
    const std::string wrong = judge_open(*engine, *isl, dice, tally);
    if (!wrong.empty()) RC_FAIL(wrong);
  }
  if (getenv("NT")) printf("open unknown %d of %d\n", tally.unknown, tally.questions);
  RC_ASSERT(test::record_rule("PRF-1", tally.unknown < 30));
}

}  // namespace
}  // namespace assay
