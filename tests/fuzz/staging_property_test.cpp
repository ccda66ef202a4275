// Lines of `stage` and `privatize` with all their keys on random programs of threads (PRF-100): what is proved leaves the same bits without a
// race, what is violated shows in a run. ASSAY_PROPERTY_CASES sets their number, ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/generators/random_flow_line.hpp"
#include "fuzz/generators/random_staging.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "oracle/compare.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

TEST(StagingProperty, proved_leaves_the_same_bits_and_violated_shows) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int wanted = cases ? std::max(40, std::atoi(cases) / 4) : 600;
  interp::Random random(seed ? std::strtoull(seed, nullptr, 10) : 20261130);
  const auto query = make_portfolio_query();
  std::map<std::string, int> proved_with, refused;
  int proved = 0, violated = 0, unseen = 0, undecided = 0, wrong = 0;
  for (int k = 0, judged = 0; judged < wanted && k < 60 * wanted; ++k) {
    const Program before = number_statements(test::program(random_staging(random)));
    const ScheduleLine line = random_flow_line(random, before, random.below(4) == 0 ? "privatize" : "stage");
    const auto rewritten = apply_line(before, line, *query);
    if (!rewritten) {
      ++refused[rewritten.error().diagnostic.code];
      continue;
    }
    if (!is_right(before, *query)) {
      ++wrong;
      continue;
    }
    ++judged;
    const Program& after = rewritten->program;
    SCOPED_TRACE(line.text + "\n" + print(before));
    ASSERT_TRUE(check_well_formed(after).empty());
    bool all = true, broken = false;
    const Validation v = validate(before, after, *query);
    for (const Obligation& o : v.obligations) {
      all &= o.status == Status::proved;
      broken |= o.status == Status::violated;
    }
    if (broken) {
      ++violated;
      if (!runs_differ(before, after, v.reordered_before, v.reordered_after)) ++unseen;
      continue;
    }
    if (!all) {
      ++undecided;
      continue;
    }
    ++proved;
    for (const auto& [key, values] : line.keys) ++proved_with[line.op == "stage" ? key.text : line.op + " " + key.text];
    run_both(before, after, v.reordered_before, v.reordered_after,
             [&](const interp::Outcome& a, const interp::Outcome& b, const std::string& at) {
               const bool same =
                   b.status == interp::Status::ok && !b.race && oracle::compare_cells(a, b).differing == 0;
               ASSERT_TRUE(test::record_rule("PRF-100", same)) << at;
             });
  }
  fmt::print("proved {}, violated {} ({} not seen in runs), undecided {}, programs not right {}\n", proved, violated,
             unseen, undecided, wrong);
  for (const auto& [key, n] : proved_with) fmt::print("  proved with {} {}\n", key, n);
  for (const auto& [code, n] : refused) fmt::print("  {} {}\n", code, n);
  RULE_TRUE("PRF-100", unseen == 0);
  if (wanted < 600) return;  // too few to meet every key three times whatever the seed
  EXPECT_GE(violated, wanted / 20);
  for (const char* key : {"shared", "cooperative", "swizzle", "pipeline", "pad_stride", "hoisted", "privatize shared"})
    EXPECT_GE(proved_with[key], 3) << key;
}

}  // namespace
}  // namespace assay::fuzz
