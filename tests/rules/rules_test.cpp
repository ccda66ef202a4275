// The kept list of proofs of rewrite rules: complete, in step with the table, and true where it is quick to prove again.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "ir/rules/reductions.hpp"
#include "ir/text/source.hpp"
#include "proofs/cvc5/query.hpp"
#include "proofs/scalar/script.hpp"
#include "proofs/z3/text.hpp"
#include "prove_rules.hpp"
#include "tests/support/rules.hpp"

namespace assay::rules {
namespace {

struct Row {
  std::string rule, law, type, claim, status, by;
  std::uint64_t operations = 0, ms = 0;
};

std::vector<Row> kept() {
  std::ifstream in(ASSAY_SOURCE_DIR "/tests/rules/proved.tsv");
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    Row r;
    std::string operations, ms;
    for (std::string* f : {&r.rule, &r.law, &r.type, &r.claim, &r.status, &r.by, &operations, &ms})
      std::getline(fields, *f, '\t');
    r.operations = std::stoull(operations);
    r.ms = std::stoull(ms);
    rows.push_back(r);
  }
  return rows;
}

Type type_named(const std::string& text) {
  for (const Type t : storage_types) {
    if (name(t) == text) return t;
  }
  return Type::index;
}

TEST(Rules, TheKeptListHasEveryRuleAtEveryTypeOfTheTable) {
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const Row& r : kept()) EXPECT_TRUE(rows.emplace(std::pair{r.law, r.type}, r).second) << r.law << " " << r.type;
  std::size_t expected = 0;
  for (const laws::Law& law : laws::all_laws()) {
    for (const Type t : storage_types) {
      const bool exact = law.exact.contains(t);
      if (!exact && !law.refuted.contains(t)) continue;
      ++expected;
      const auto at = rows.find({std::string(law.name), std::string(name(t))});
      RULE_TRUE("LAW-20", at != rows.end()) << law.name << " at " << name(t) << ": run prove_rules again";
      if (at == rows.end()) continue;
      const std::string& status = at->second.status;
      RULE_TRUE("LAW-20", status == (exact ? "proved" : "refuted")) << law.name << " at " << name(t);
    }
  }
  EXPECT_EQ(expected, rows.size());
}

TEST(Rules, QuickProofsHoldAgain) {
  int z3 = 0, cvc5 = 0, exhausted = 0, left_out = 0;
  for (const Row& r : kept()) {
    if (r.status != "proved" || r.operations > (r.by.starts_with("z3") ? 6'000 : 70'000) ||
        (r.by == "cvc5" && r.ms > 600))
      continue;
    if (r.by == "exhaustion" && exhausted++ % 8 != 0) continue;
    if (r.by == "cvc5") {
      if (!cvc5_engine_name()) {
        ++left_out;
        continue;
      }
      if (cvc5++ % 8 != 0) continue;
    } else if (r.by == "z3" && z3++ % 3 != 0) {
      continue;
    }
    const laws::Law* law = laws::find_law(r.law);
    ASSERT_NE(nullptr, law) << r.law;
    const Evidence e = evidence(*law, type_named(r.type));
    RULE_TRUE("LAW-20", e.status == Evidence::Status::proved && e.by == r.by)
        << r.law << " at " << r.type << ": " << e.by << " " << e.detail;
  }
  EXPECT_GT(z3, 20);
  if (left_out > 0) std::cout << left_out << " rules are proved with cvc5, which is not installed: not proved again\n";
}

// The variables that an expression evaluates under the given truth values of its conditions.
void evaluated(const Expr& e, const std::map<std::string, bool>& truth, std::set<Symbol>& into) {
  if (e->op == Op::variable) into.insert(e->name);
  const bool conditional = e->op == Op::choice || e->op == Op::land || e->op == Op::lor;
  if (!conditional) {
    for (const Expr& a : e->args) evaluated(a, truth, into);
    return;
  }
  evaluated(e->args[0], truth, into);
  const Expr& test = e->args[0]->op == Op::lnot ? e->args[0]->args[0] : e->args[0];
  const bool holds = truth.at(print(test)) == (test == e->args[0]);
  if (e->op == Op::choice) {
    evaluated(e->args[holds ? 1 : 2], truth, into);
  } else if (holds == (e->op == Op::land)) {
    evaluated(e->args[1], truth, into);
  }
}
// The conditions of choices, && and || that occur, as text and without a negation.
void conditions(const Expr& e, std::map<std::string, bool>& into) {
  for (const Expr& a : e->args) conditions(a, into);
  if (e->op == Op::choice || e->op == Op::land || e->op == Op::lor)
    into.emplace(print(e->args[0]->op == Op::lnot ? e->args[0]->args[0] : e->args[0]), false);
}

TEST(Rules, ReductionsAreProvedShorterAndEvaluateNothingMore) {
  std::size_t count = 0;
  std::set<std::string_view> used;
  for (std::size_t op = 0; op < op_count; ++op) {
    for (const laws::Reduction& r : laws::reductions(static_cast<Op>(op))) {
      ++count;
      used.insert(r.law->name);
      RULE_TRUE("LAW-20", r.law->exact.contains(r.type) && !r.law->sides(r.type).condition) << r.law->name;
      EXPECT_EQ(static_cast<Op>(op), r.from->op);
      EXPECT_EQ(r.from->type, r.to->type);
      std::map<std::string, bool> truth;
      conditions(r.from, truth);
      conditions(r.to, truth);
      for (std::uint64_t bits = 0; bits >> truth.size() == 0; ++bits) {
        std::size_t k = 0;
        for (auto& [text, value] : truth) value = (bits >> k++ & 1) != 0;
        std::set<Symbol> before, after;
        evaluated(r.from, truth, before);
        evaluated(r.to, truth, after);
        RULE_TRUE("LAW-21", std::includes(before.begin(), before.end(), after.begin(), after.end())) << r.law->name;
      }
    }
  }
  EXPECT_GT(count, 300U);
  for (const char* wanted : {"neg-neg", "mul-one", "choice-equal-arms", "choice-negated", "through-f64", "mul-zero"})
    EXPECT_EQ(1U, used.count(wanted)) << wanted;
  // Not where they are wrong.
  for (const laws::Reduction& r : laws::reductions(Op::mul))
    EXPECT_FALSE(r.law->name == "mul-zero" && is_float(r.type));
}

// What must fail, fails in the solver's translation as well.
TEST(Rules, ForbiddenRulesAreRefutedByTheSolverToo) {
  for (const char* wrong : {"mul-zero", "sub-self", "add-zero", "zero-sub", "negs-out-of-add", "relu-as-choice",
                            "not-lt-is-ge", "eq-self", "max-is-maxnum", "abs-as-choice", "absorption"}) {
    const laws::Sides s = laws::find_law(wrong)->sides(Type::f16);
    const auto script = scalar::rule_script(s.left, s.right, s.condition);
    ASSERT_TRUE(script.has_value()) << wrong;
    RULE_TRUE("LAW-20", z3_satisfiable(script->logic, script->body, 3'000'000).answer == true) << wrong;
  }
  for (const char* wrong : {"abs-neg", "max-of-negs", "ceildiv-by-adding", "floordiv-self", "mod-over-ramp"}) {
    const laws::Sides s = laws::find_law(wrong)->sides(Type::u8);
    const auto script = scalar::rule_script(s.left, s.right, s.condition);
    ASSERT_TRUE(script.has_value()) << wrong;
    RULE_TRUE("LAW-20", z3_satisfiable(script->logic, script->body, 3'000'000).answer == true) << wrong;
  }
}

}  // namespace
}  // namespace assay::rules
