// alias and sink_zero on random chains of loops over internal buffers: what is proved leaves the same bits, whether the
// operation made it or a fault. ASSAY_PROPERTY_CASES sets the number of chains (default 300), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fuzz/generators/random_chain.hpp"
#include "fuzz/mutants/storage_faults.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "ir/analysis/spans.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;
const std::vector<Symbol> temps{"T", "U", "V", "W"};

int chains() {
  const char* text = std::getenv("ASSAY_PROPERTY_CASES");
  return text ? std::clamp(std::atoi(text) / 5, 100, 300) : 300;
}

Program chain(const char* what, int k) {
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  interp::Random random(interp::seed_for(
      what, (seed ? std::strtoull(seed, nullptr, 10) : 20261130) * 1000003 + static_cast<std::uint64_t>(k)));
  return number_statements(test::program(random_chain(random)));
}

ScheduleLine parsed(const std::string& text) {
  return parse_source(text + "\n", "s.sched")->schedules.at(0).lines.at(0);
}

struct Count {
  int proved = 0, refuted = 0, seen = 0, needless = 0;
};

/// Validates and runs: a proof that a run contradicts is a failure.
void judge(const Program& before, const Program& after, Query& query, Count& count, const std::string& what) {
  const auto list = validate(before, after, query).obligations;
  const bool proved =
      std::all_of(list.begin(), list.end(), [](const Obligation& o) { return o.status == Status::proved; });
  const bool differ = runs_differ(before, after);
  ++(proved ? count.proved : count.refuted);
  if (!proved && differ) ++count.seen;
  if (!proved && !differ) ++count.needless;
  RULE_TRUE("PRF-90", !(proved && differ)) << what << "\n" << print(before) << print(after);
}

bool has_zero(const Program& p, const Symbol& buffer) {
  return std::any_of(p.body.begin(), p.body.end(),
                     [&](const Stmt& s) { return s->kind == StmtKind::zero && s->name == buffer; });
}

TEST(StorageProperty, SharedStorageIsProvedExactlyWhereItIsFree) {
  const auto query = make_portfolio_query();
  const char* const faults[] = {"the spans overlap",      "the loads stay",
                                "the stores stay",        "the loads are shifted",
                                "the stores are shifted", "into the storage of a third buffer"};
  Count honest, by_fault[std::size(faults)];
  for (int k = 0; k < chains(); ++k) {
    const Program p = chain("alias", k);
    if (!is_right(p, *query)) continue;
    const auto spans = access_spans(p);
    for (const Symbol& a : temps) {
      for (const Symbol& b : temps) {
        if (a == b || spans.count(a) == 0 || spans.count(b) == 0) continue;
        const auto apply = [&](std::size_t fault, const Program& after) {
          judge(p, after, *query, by_fault[fault], faults[fault]);
        };
        if (const StepResult r = apply_line(p, parsed(fmt::format("alias {} {}", a, b)), *query)) {
          EXPECT_TRUE(check_well_formed(r->program).empty());
          RULE_TRUE("ALIAS-5", r->program.find_buffer(a) == nullptr);
          judge(p, r->program, *query, honest, "alias");
          apply(1, with_storage(p, a, b, false, true, 0));
          apply(2, with_storage(p, a, b, true, false, 0));
          apply(3, with_storage(with_storage(p, a, b, true, false, 1), a, b, false, true, 0));
          apply(4, with_storage(with_storage(p, a, b, false, true, 1), a, b, true, false, 0));
          for (const Symbol& c : temps) {
            if (c != a && c != b && spans.count(c) != 0 && spans.at(c).overlaps(spans.at(a)))
              apply(5, with_storage(p, a, c, true, true, 0));
          }
        } else if (spans.at(a).overlaps(spans.at(b)) && !has_zero(p, a)) {
          apply(0, with_storage(p, a, b, true, true, 0));
        }
      }
    }
  }
  fmt::print("alias: proved {}, refuted {}\n", honest.proved, honest.refuted);
  RULE_TRUE("ALIAS-5", honest.refuted == 0 && honest.proved >= 10);
  for (std::size_t f = 0; f < std::size(faults); ++f) {
    const Count& c = by_fault[f];
    fmt::print("  {}: proved {}, refuted {} (of them seen in runs {})\n", faults[f], c.proved, c.refuted, c.seen);
    RULE_TRUE("PRF-90", c.refuted >= 5 && c.seen >= 5) << faults[f];
  }
}

TEST(StorageProperty, ZeroesSinkToTheFirstUse) {
  const auto query = make_portfolio_query();
  Count honest;
  const std::vector<ZeroFault>& faults = zero_faults();
  std::vector<Count> by_fault(faults.size());
  for (int k = 0; k < chains(); ++k) {
    const Program p = chain("sink_zero", k);
    std::vector<Symbol> buffers = temps;
    buffers.emplace_back("Y");
    for (const Symbol& a : buffers) {
      const StepResult r =
          has_zero(p, a) ? apply_line(p, parsed("sink_zero " + a), *query) : StepResult(tl::unexpected(Refusal{}));
      if (!r || !is_right(p, *query)) continue;
      judge(p, r->program, *query, honest, "sink_zero");
      for (std::size_t f = 0; f < faults.size(); ++f) {
        Program wrong = r->program;
        const auto at = std::find_if(wrong.body.begin(), wrong.body.end(),
                                     [&](const Stmt& s) { return s->kind == StmtKind::zero && s->name == a; });
        if (faults[f].plant(wrong.body, static_cast<std::size_t>(at - wrong.body.begin())))
          judge(p, wrong, *query, by_fault[f], faults[f].name);
      }
    }
  }
  fmt::print("sink_zero: proved {}, refuted {}\n", honest.proved, honest.refuted);
  RULE_TRUE("SINK-3", honest.refuted == 0 && honest.proved >= 10);
  for (std::size_t f = 0; f < faults.size(); ++f) {
    const Count& c = by_fault[f];
    fmt::print("  {}: proved {}, refuted {} (of them seen in runs {})\n", faults[f].name, c.proved, c.refuted, c.seen);
    RULE_TRUE("SINK-3", c.refuted >= 5 && c.seen >= 5) << faults[f].name;
  }
}

}  // namespace
}  // namespace assay::fuzz
