// Proofs about threads against brute force over all pairs of accesses (PLL-10), on random programs of @workgroup loops,
// shared buffers and barriers. ASSAY_PROPERTY_CASES sets their number, ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "fuzz/generators/random_phases.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "fuzz/judges/thread_races.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "interp/difference.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/traverse.hpp"
#include "oracle/barrier_hints.hpp"
#include "oracle/lint.hpp"
#include "oracle/thread_alone.hpp"
#include "oracle/thread_findings.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

struct Claims {
  bool uniform = true, threads = true, groups = true;  // proved
  bool uniform_broken = false, threads_broken = false, groups_broken = false;
  bool undecided = false;
};

Claims claims_of(const Program& p, Query& query) {
  Claims c;
  for (const Obligation& o : lint_obligations(p, query)) {
    const bool barrier = o.kind == "barrier-uniformity";
    if (!barrier && o.kind != "race-freedom" && o.kind != "launch-coverage") continue;
    const bool groups = o.kind == "launch-coverage" || o.claim.find("two groups") != std::string::npos;
    (barrier ? c.uniform : groups ? c.groups : c.threads) &= o.status == Status::proved;
    if (o.status == Status::undecided) c.undecided = true;
    if (o.status == Status::violated) (barrier ? c.uniform_broken : groups ? c.groups_broken : c.threads_broken) = true;
  }
  return c;
}

// The interpreter's detectors against enumeration, at one size: what a run reports is there, and what is there a run that
// ends reports. Without races every order of turns leaves the same memory.
void runs_agree(const Program& p, const ParameterMap& size, const ThreadFindings& found) {
  const bool races = found.thread_race || found.group_race;
  interp::Options options;
  options.parameters = size;
  options.detect_races = true;
  const TensorMap inputs = interp::generate_inputs(p, size, interp::InputKind::exact, 1);
  const interp::Outcome canonical = interp::run(p, inputs, options);
  const bool diverges = canonical.fault && canonical.fault->code == "RUN-8";
  RULE_TRUE("PLL-11", !diverges || !found.uniform);
  if (!found.uniform) return;
  RULE_TRUE("PLL-11", !canonical.race || races);
  if (canonical.status != interp::Status::ok) return;
  RULE_TRUE("PLL-11", canonical.race.has_value() == races);
  for (const interp::Turns turns : {interp::Turns::reversed, interp::Turns::round_robin, interp::Turns::random}) {
    options.turns = turns;
    for (options.seed = 0; options.seed < (turns == interp::Turns::random ? 3 : 1); ++options.seed) {
      const interp::Outcome other = interp::run(p, inputs, options);
      RULE_TRUE("EXEC-82", other.race.has_value() == races || other.status != interp::Status::ok);
      RULE_TRUE("EXEC-82", races || (other.status == interp::Status::ok && other.outputs == canonical.outputs));
    }
  }
}

TEST(ThreadProperty, proofs_agree_with_enumeration) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int programs = cases ? std::max(100, std::atoi(cases) / 4) : 400;
  interp::Random random(seed ? std::strtoull(seed, nullptr, 10) : 20261130);
  const auto query = make_portfolio_query();
  int tiled = 0, tiled_clean = 0, tiled_racy = 0, tiled_divergent = 0;
  int judged = 0, clean = 0, racy = 0, divergent = 0, undecided = 0;
  for (int k = 0; k < programs; ++k) {
    const std::string text = random_threads(random);
    SCOPED_TRACE(text);
    const Program p = test::program(text);
    const Claims c = claims_of(p, *query);
    bool uniform = true, threads = false, groups = false, complete = true;
    std::string why;
    for (std::int64_t n = 1; n < 5; ++n) {
      const auto found = find_thread_races(p, {{"n", n}});
      if (!found) {
        complete = false;
        continue;
      }
      runs_agree(p, {{"n", n}}, *found);
      uniform &= found->uniform;
      threads |= found->thread_race.has_value();
      groups |= found->group_race.has_value();
      if (found->thread_race) why += fmt::format("\nn={} {}", n, *found->thread_race);
      if (found->group_race) why += fmt::format("\nn={} {}", n, *found->group_race);
    }
    if (c.undecided) ++undecided;
    if (!complete) continue;
    ++judged;
    RULE_TRUE("PLL-10", !(c.uniform && !uniform)) << "barriers diverge";
    RULE_TRUE("PLL-10", !(c.uniform_broken && uniform)) << "barriers are uniform";
    RULE_TRUE("PLL-10", !(c.groups && groups)) << why;
    RULE_TRUE("PLL-10", !(c.groups_broken && !groups)) << "no groups meet";
    if (uniform) {  // intervals are defined
      RULE_TRUE("PLL-10", !(c.threads && threads)) << why;
      RULE_TRUE("PLL-10", !(c.threads_broken && !threads)) << "no threads meet";
    }
    if (text.find("@tile") != std::string::npos) {
      ++tiled;
      ++(!uniform ? tiled_divergent : threads ? tiled_racy : tiled_clean);
      // The answers above, on programs with tile products.
      RULE_TRUE("TILE-24",
                (uniform ? !c.uniform_broken : !c.uniform) && (!uniform || (threads ? !c.threads : !c.threads_broken)));
    }
    if (!uniform) ++divergent;
    if (uniform && (threads || groups)) ++racy;
    if (uniform && !threads && !groups) ++clean;
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("programs {}: judged {}, clean {}, racy {}, divergent {}; undecided {}\n", programs, judged, clean, racy,
             divergent, undecided);
  fmt::print("with tile products {}: clean {}, racy {}, divergent {}\n", tiled, tiled_clean, tiled_racy,
             tiled_divergent);
  for (const int kind : {tiled_clean, tiled_racy, tiled_divergent})
    RULE_TRUE("TILE-24", kind * 100 >= programs) << kind;
  EXPECT_GE(judged * 100, programs * 95);
  EXPECT_GE(clean * 100, programs * 8);
  EXPECT_GE(racy * 100, programs * 10);
  EXPECT_GE(divergent * 100, programs * 3);
  RULE_TRUE("PLL-10", undecided * 100 <= programs) << undecided << " of " << programs << " undecided";
}

// What runs see: with every shared buffer in device memory, so that nothing is undefined, a run of one group that ends without a
// fault finds a race exactly where enumeration of all pairs does; both engines find the same one.
TEST(ThreadProperty, runs_see_the_races_of_tile_products) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const int programs = cases ? std::max(200, std::atoi(cases) / 2) : 600;
  interp::Random random(7);
  int compared = 0, racy = 0, divergent = 0;
  for (int k = 0; k < programs; ++k) {
    std::string text = random_threads(random);
    if (text.find("@tile") == std::string::npos || text.find("@grid") != std::string::npos) continue;
    for (std::size_t at = 0; (at = text.find("  shared ", at)) != std::string::npos;) text.replace(at, 9, "  inout ");
    SCOPED_TRACE(text);
    const Program p = test::program(text);
    for (std::int64_t n = 1; n < 5; ++n) {
      const auto found = find_thread_races(p, {{"n", n}});
      if (!found) continue;
      interp::Options options;
      options.parameters = {{"n", n}};
      options.detect_races = true;
      const TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 0);
      const interp::Outcome fast = interp::run(p, inputs, options);
      options.engine = interp::Engine::tree;
      const interp::Outcome slow = interp::run(p, inputs, options);
      RULE_EQ("EXEC-77", std::string(), interp::difference(slow, fast));
      const bool diverges = slow.status == interp::Status::fault && slow.fault->code == "RUN-8";
      if (slow.status == interp::Status::ok || diverges) {
        RULE_EQ("EXEC-76", found->uniform, !diverges);
        ++(diverges ? divergent : compared);
      }
      if (slow.status != interp::Status::ok || !found->uniform) continue;
      RULE_EQ("EXEC-77", found->thread_race.has_value(), slow.race.has_value());
      if (slow.race) ++racy;
    }
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("runs compared {}, racy {}, divergent {}\n", compared, racy, divergent);
  EXPECT_GE(compared - racy, programs / 20);
  EXPECT_GE(racy, programs / 20);
  EXPECT_GE(divergent, programs / 20);
}

// The two threads of a witness alone, and in a run of everything: the same answer, of the witness and of ones near it.
struct Alone {
  int confirmed = 0, contradicted = 0, open = 0;

  void compare(const Program& p, const Witness& w, bool race) {
    const auto q = oracle::question_of(p, w);
    if (!q) return;
    one(p, *q, race);
    for (std::size_t k = 0; k < 2; ++k) {
      oracle::ThreadQuestion near = *q;
      if (!near.focus.cell.empty()) near.focus.cell.front() += 1;
      one(p, near, race);
      near = *q;
      for (auto& [symbol, value] : near.focus.points[k].iteration) {
        const bool of_thread = symbol.rfind("t", 0) == 0 || symbol.rfind("g", 0) == 0;
        if (!of_thread) value += 1;
      }
      one(p, near, race);
    }
  }

 private:
  void one(const Program& p, const oracle::ThreadQuestion& q, bool race) {
    using Result = oracle::ThreadReplay::Result;
    oracle::Purse purse(20'000'000), other(20'000'000);
    const auto whole = race ? oracle::replay_race(p, q, purse) : oracle::replay_divergence(p, q, purse);
    const auto part = race ? oracle::replay_race_alone(p, q, other) : oracle::replay_divergence_alone(p, q, other);
    ++(part.result == Result::confirmed ? confirmed : part.result == Result::open ? open : contradicted);
    if (whole.result == Result::open || part.result == Result::open) return;
    RULE_TRUE("RPL-12", whole.result == part.result)
        << "whole: " << static_cast<int>(whole.result) << " " << whole.why
        << "; alone: " << static_cast<int>(part.result) << " " << part.why << " statements "
        << q.focus.points[0].statement << " " << q.focus.points[1].statement;
  }
};

// Every refutation is borne out by a run: of the two threads that it names, in both programs with races and with barriers that
// some thread does not reach. And where `lint` says something of a whole program, the turns of its threads included, no
// judge contradicts another.
TEST(ThreadProperty, refutations_are_replayed) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const int programs = cases ? std::max(60, std::atoi(cases) / 8) : 240;
  interp::Random random(23);
  const auto query = make_portfolio_query();
  Alone alone;
  int races = 0, divergences = 0, open = 0, counted = 0, clean = 0;
  for (int k = 0; k < programs; ++k) {
    const std::string text = random_threads(random);
    SCOPED_TRACE(text);
    const Program p = test::program(text);
    bool refuted = false;
    for (Obligation& o : lint_obligations(p, *query)) {
      oracle::ObligationReport report{"1", std::move(o), false, {}};
      if (!oracle::is_about_threads(report)) continue;
      refuted = true;
      const bool race = report.obligation.kind == "race-freedom";
      oracle::Purse purse(20'000'000);
      const oracle::ObligationReplay replay = oracle::replay_obligation(p, report, false, {"p.air", {}}, purse);
      RULE_TRUE("RPL-2", replay.result != oracle::ThreadReplay::Result::contradicted) << replay.why;
      if (replay.result != oracle::ThreadReplay::Result::confirmed)
        ++open;
      else
        ++(race ? races : divergences);
      for (const Witness& w : report.obligation.further) alone.compare(p, w, race);
      alone.compare(p, *report.obligation.witness, race);
      for (const oracle::Finding& f : replay.findings) {
        if (!race || !f.threads->affected) continue;
        ++counted;
        RULE_TRUE("EXEC-86", *f.threads->affected >= 1 && *f.threads->affected <= *f.threads->cells);
      }
    }
    if (refuted && k % 8 != 0) continue;  // the whole answer mostly where the turns of threads are run
    const oracle::Report r = oracle::lint(p, {"p.air", text}, {});
    RULE_TRUE("TURN-3", r.verdict != oracle::Verdict::contradiction) << r.claim;
    if (r.verdict == oracle::Verdict::clean) ++clean;
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("of {} programs {} races and {} divergences replayed, {} not; {} counted; {} clean\n", programs, races,
             divergences, open, counted, clean);
  fmt::print("alone: {} confirmed, {} contradicted, {} open\n", alone.confirmed, alone.contradicted, alone.open);
  RULE_TRUE("RPL-12", alone.confirmed * 10 >= programs && alone.contradicted * 5 >= programs);
  RULE_TRUE("RPL-12", alone.confirmed + alone.contradicted >= 3 * alone.open);
  RULE_TRUE("RPL-2", races * 10 >= programs && races >= 3 * open);
  RULE_TRUE("RPL-4", divergences * 50 >= programs);
  EXPECT_GE(clean, 1);
}

// The lines of a text, put together again without one of them or with one more before it.
std::string edited(const std::string& text, int number, const std::string& before, bool keep) {
  std::istringstream in(text);
  std::string out, line;
  for (int k = 1; std::getline(in, line); ++k) out += (k == number ? before + (keep ? line : "") : line) + "\n";
  return out;
}

bool ordered(const std::string& text) {
  const Program p = test::program(text);
  for (std::int64_t n = 1; n < 5; ++n) {
    const auto found = find_thread_races(p, {{"n", n}});
    if (found && (!found->uniform || found->thread_race)) return false;
  }
  return true;
}

// Hints about barriers, against enumeration: programs without races, and the same ones with a barrier lost.
TEST(ThreadProperty, hints_about_barriers_are_true) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const int programs = cases ? std::max(10, std::atoi(cases) / 20) : 30;
  interp::Random random(11);
  const auto query = make_portfolio_query();
  int needless = 0, lost = 0, named = 0;
  for (int k = 0; k < programs;) {
    const std::string text = random_threads(random);
    const Program p = test::program(text);
    if (text.find("barrier\n") == std::string::npos || !threads_are_ordered(p, *query)) continue;
    ++k;
    std::set<int> hinted;
    for (const Diagnostic& hint : oracle::needless_barriers(p, *query)) hinted.insert(hint.where.line);
    std::istringstream in(text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line != "barrier") continue;
      const std::string without = edited(text, number, "", false);
      SCOPED_TRACE(text + without);
      if (hinted.count(number) != 0) {
        ++needless;
        RULE_TRUE("BAR-10", ordered(without));
        continue;
      }
      const Program racy = test::program(without);
      ++lost;
      for (const Diagnostic& hint : oracle::missing_barrier(racy, *query)) {
        ++named;
        if (hint.message.find(" before ") == std::string::npos) continue;  // a place behind is no line of the text
        RULE_TRUE("BAR-11", ordered(edited(without, hint.where.line, "barrier ", true)));
      }
      break;  // one lost barrier is enough of each program
    }
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("needless barriers {}; of {} lost ones a place was named for {}\n", needless, lost, named);
  EXPECT_GE(needless, programs / 10);
  EXPECT_GE(lost, programs / 10);
  RULE_TRUE("BAR-11", named * 3 >= lost * 2) << named << " of " << lost;
}

// Barriers doubled at random are left out again, and no other one that orders anything.
TEST(ThreadProperty, what_elide_barriers_leaves_is_enough) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int wanted = cases ? std::max(20, std::atoi(cases) / 10) : 100;
  interp::Random random(seed ? std::strtoull(seed, nullptr, 10) : 20261201);
  const auto query = make_portfolio_query();
  int judged = 0, fewer = 0;
  for (int k = 0; judged < wanted && k < 40 * wanted; ++k) {
    Program p = test::program(k % 2 == 0 ? random_phases(random) : random_threads(random));
    p.body = rewrite(p.body, {}, [&](const Stmt& s) {
      return s->kind == StmtKind::barrier && random.below(2) == 0 ? Block{s, s} : Block{s};
    });
    p = number_statements(p);
    const auto elided = apply_line(p, test::line("elide_barriers"), *query);
    if (!elided || !check_well_formed(p).empty() || !is_right(p, *query)) continue;
    ++judged;
    SCOPED_TRACE(print(p) + print(elided->program));
    bool proved = true;
    for (const Obligation& o : validate(p, elided->program, *query).obligations) proved &= o.status == Status::proved;
    RULE_TRUE("PRF-107", proved);
    for (const ParameterMap& size : chosen_sizes(p)) {
      interp::Options options;
      options.parameters = size;
      options.detect_races = true;
      const TensorMap inputs = interp::generate_inputs(p, size, interp::InputKind::exact, 1);
      const interp::Outcome before = interp::run(p, inputs, options);
      for (const interp::Turns turns : {interp::Turns::canonical, interp::Turns::reversed, interp::Turns::random}) {
        options.turns = turns;
        const interp::Outcome after = interp::run(elided->program, inputs, options);
        RULE_TRUE("PRF-107", after.status == interp::Status::ok && !after.race && after.outputs == before.outputs);
      }
    }
    const auto barriers = [](const Program& q) {
      int n = 0;
      Visitor v;
      v.enter_stmt = [&](const Stmt& s) {
        n += s->kind == StmtKind::barrier ? 1 : 0;
        return true;
      };
      visit(q.body, v);
      return n;
    };
    fewer += barriers(elided->program) < barriers(p) ? 1 : 0;
  }
  fmt::print("judged {}, with fewer barriers {}\n", judged, fewer);
  EXPECT_GE(judged, wanted / 2);
}

}  // namespace
}  // namespace assay::fuzz
