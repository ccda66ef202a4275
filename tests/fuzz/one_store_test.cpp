// A buffer that several statements fill, as one that one statement fills: both operation and validator take the one for the other
// (W-14, W-15), so here the interpreter says whether they are the same.
// ASSAY_PROPERTY_CASES makes the test small, ASSAY_PROPERTY_SEED takes another seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/targets/paired_runs.hpp"
#include "interp/random.hpp"
#include "ir/analysis/one_store.hpp"
#include "ir/text/source.hpp"
#include "oracle/compare.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

// Statements that fill m[i], that look at it, that change what they read, and that have nothing to do with it.
std::string filling(interp::Random& random, bool zero) {
  const char* const statements[] = {
      "m[i] = X[i, 1]",
      "m[i] = m[i] * 2 + Z[i]",
      "m[i] += X[i, 2]",
      "for k in 0..3 { m[i] += X[i, k] * Z[i] }",
      "for k in 0..3 { var v: i32 = X[i, k] if v > 1 { v = v - 1 m[i] = max(m[i], v) } }",
      "if i < 2 { m[i] = 7 } else { m[i] += 5 }",
      "if X[i, 0] > 0 { m[i] += 1 }",
      "m[3 - i] += 1",
      "Z[i] = Z[i] + 1",
      "for k in 0..3 { Z[i] += X[i, k] }",
      "B[i] = m[i]",
      "B[i] = X[i, 0] + 3",
  };
  std::string body = zero || random.below(8) == 0 ? "" : "m[i] = Z[i] - X[i, 0]\n";
  for (std::uint64_t n = 2 + random.below(4); n > 0; --n) {
    std::string s = statements[random.below(random.below(2) == 0 ? 7 : std::size(statements))];
    // A name is bound once in a program.
    for (const std::string name : {"k", "v"}) {
      for (std::size_t at = 0; (at = s.find(name, at)) != std::string::npos; at += name.size()) {
        const auto part = [&](std::size_t p) { return p < s.size() && (std::isalnum(s[p]) || s[p] == '_'); };
        if ((at > 0 && part(at - 1)) || part(at + 1)) continue;
        s.replace(at, 1, fmt::format("{}{}", name, n));
      }
    }
    body += s + "\n";
  }
  return fmt::format(
      "program p {{ input X: i32[4, 3] inout Z: i32[4] inout B: i32[4] output A: i32[4] temp m: i32[4]\n{}\n"
      "for i in 0..{} {{ {} }}\nfor j in 0..4 {{ A[j] = m[j] }} }}",
      zero ? "zero m" : "", random.below(8) == 0 ? 3 : 4, body);
}

TEST(OneStore, RunsTheSame) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int wanted = cases ? 400 : 2000;
  int made[] = {0, 0}, same[] = {0, 0};
  for (int k = 0; k < wanted; ++k) {
    interp::Random random(interp::seed_for("one-store", (seed ? std::strtoull(seed, nullptr, 10) : 1) * 100000U + k));
    const bool zero = random.below(3) == 0;
    const std::string text = filling(random, zero);
    const Program before = test::program(text);
    ASSERT_TRUE(check_well_formed(before).empty()) << text;
    int names = 0;
    const auto after = with_one_store(before, "m", [&](const Symbol& s) { return fmt::format("{}_{}", s, names++); });
    if (!after) continue;
    ++made[zero];
    bool equal = true;
    run_both(before, number_statements(*after), {}, {},
             [&](const interp::Outcome& was, const interp::Outcome& is, const std::string& where) {
               // A cell that is read between the `zero` and the store is undefined now, so that nothing is proved of it (W-5).
               if (zero && is.fault && is.fault->code == "RUN-2") return;
               if (is.status == interp::Status::ok && oracle::compare_cells(was, is).differing == 0) return;
               equal = false;
               ADD_FAILURE() << where << "\n" << text << "\n" << print(*after);
             });
    same[zero] += equal ? 1 : 0;
  }
  fmt::print("of {} programs {} have one store, {} of those that begin with `zero`\n", wanted, made[0], made[1]);
  EXPECT_GT(made[0], wanted / 20);
  EXPECT_GT(made[1], wanted / 50);
  RULE_EQ("W-14", made[0], same[0]);
  RULE_EQ("W-15", made[1], same[1]);
}

}  // namespace
}  // namespace assay::fuzz
