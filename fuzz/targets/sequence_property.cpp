// Glue between generators and judges. Lines are drawn one after the other, each for the program that the steps before it
// left; a line that does not fit is drawn again, one that is not proved is mostly dropped. The whole schedule then goes
// through `check` like a user's, and what it answers is held against runs and lint of the last program.
#include "fuzz/targets/sequence_property.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/generators/fitting_program.hpp"
#include "fuzz/generators/random_program.hpp"
#include "fuzz/generators/random_schedule.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "ir/traverse.hpp"
#include "oracle/check.hpp"
#include "oracle/compare.hpp"

namespace assay::fuzz {
namespace {

constexpr int tries_per_step = 12;
/// Unrolled copies multiply; a larger program takes long and shows nothing that a small one does not.
constexpr int most_statements = 60;

int count_statements(const Program& p) {
  int count = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt&) {
    ++count;
    return true;
  };
  visit(p.body, v);
  return count;
}

bool proved(const std::vector<Obligation>& obligations) {
  return std::all_of(obligations.begin(), obligations.end(),
                     [](const Obligation& o) { return o.status == Obligation::Status::proved; });
}

class SequenceRun {
 public:
  explicit SequenceRun(const SequencePropertyOptions& options) : options_(options), query_(make_portfolio_query()) {}

  SequencePropertyResult run() {
    for (std::uint64_t k = 0; result_.sequences < options_.sequences; ++k) {
      interp::Random random(interp::seed_for("sequence-property", options_.seed * 1000003 + k));
      std::string operation = options_.operation;
      // By the number of sequences: an operation whose programs are often not right gets its share all the same.
      const auto number = static_cast<std::size_t>(result_.sequences);
      if (operation.empty() && number % 2 == 0)
        operation = operations()[number / 2 % operations().size()].declaration.name;
      const Program p = operation.empty() ? random_program(random) : fitting_program(random, operation);
      if (!check_well_formed(p).empty() || all_sizes(p).empty() || !is_right(number_statements(p), *query_)) continue;
      if (const Schedule s = draw(random, p, operation); !s.lines.empty()) judge(p, s);
    }
    return std::move(result_);
  }

 private:
  // The operation that the program was drawn for is tried more often than others until it was taken once.
  Schedule draw(interp::Random& random, const Program& source, std::string operation) {
    Schedule s;
    s.name = "drawn";
    Program current = source;
    const int wanted = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(options_.most_steps)));
    for (int tries = 0; static_cast<int>(s.lines.size()) < wanted && tries < wanted * tries_per_step; ++tries) {
      ScheduleLine line = !operation.empty() && random.below(2) == 0 ? fitting_line(random, current, operation)
                                                                     : random_step(random, current);
      line.where = {static_cast<int>(s.lines.size()) + 1, 1, 1};
      auto rewritten = apply_line(current, line, *query_);
      if (!rewritten || count_statements(rewritten->program) > most_statements) continue;
      const bool holds = proved(validate(number_statements(current), rewritten->program, *query_).obligations);
      // Now and then a schedule ends with a step that is not legal.
      if (!holds && random.below(16) != 0) continue;
      if (line.op == operation && holds) operation.clear();
      s.lines.push_back(std::move(line));
      if (!holds) break;
      current = number_statements(fold_guards(number_statements(rewritten->program), *query_).program);
    }
    return s;
  }

  void fail(const Program& p, const Schedule& s, const std::string& what) {
    std::string text = what + "\n";
    for (const ScheduleLine& line : s.lines) text += line.text + "\n";
    result_.failures.push_back(text + print(p));
  }

  oracle::CheckOptions check_options() const {
    oracle::CheckOptions o;
    o.backends = {"interp"};
    o.keep_folder = {};
    o.budgets.interpretation = 2'000'000;
    if (options_.fault) {
      // A liar for a prover: what the fault changed passes as proved, and the other judges are on their own.
      o.judges.apply = [this](const Program& before, const ScheduleLine& line, Query& query) -> StepResult {
        auto r = apply_line(before, line, query);
        if (r) {
          if (auto changed = options_.fault(number_statements(before), r->program, line)) r->program = *changed;
        }
        return r;
      };
      o.judges.validate = [](const Program&, const Program&, Query&) { return Validation{}; };
    }
    return o;
  }

  void judge(const Program& source, const Schedule& s) {
    ++result_.sequences;
    const oracle::CheckResult checked =
        oracle::check(source, {"drawn.air", {}}, s, {"drawn.sched", {}}, check_options());
    const oracle::Report& r = checked.report;
    ++result_.verdicts[std::string(oracle::word(r.verdict))];
    int legal = 0;
    for (const oracle::StepReport& step : r.steps) {
      if (step.status != oracle::Verdict::legal) continue;
      ++legal;
      ++result_.steps[step.op];
    }
    ++result_.lengths[legal];
    if (r.verdict == oracle::Verdict::contradiction) return fail(source, s, "contradiction: " + r.claim);
    if (r.verdict == oracle::Verdict::error) return fail(source, s, "error: " + r.claim);
    if (checked.program) judge_final(source, s, *checked.program, r.licence.value_or(Licence::exact));
  }

  void judge_final(const Program& source, const Schedule& s, const Program& last, Licence licence) {
    if (const auto problems = check_well_formed(last); !problems.empty())
      return fail(source, s, "the last program is not well formed: " + problems[0].message);
    for (const Obligation& o : lint_obligations(number_statements(last), *query_)) {
      if (o.status == Obligation::Status::proved) continue;
      return fail(source, s, fmt::format("legal, and lint of the last program finds {} ({})", o.kind, o.code));
    }
    if (licence != Licence::exact) {
      ++result_.reordered;
      return;  // `check` has compared the order-exact cells
    }
    ++result_.exact;
    run_both(source, last, {}, {}, [&](const interp::Outcome& a, const interp::Outcome& b, const std::string& at) {
      ++result_.compared;
      if (b.status == interp::Status::fault)
        return fail(source, s, "legal, and faults at " + at + ": " + b.fault->message);
      if (b.race) return fail(source, s, "legal, and races at " + at);
      if (const auto cells = oracle::compare_cells(a, b); cells.differing > 0)
        fail(source, s, fmt::format("legal (exact), and {} cells differ at {}", cells.differing, at));
    });
  }

  SequencePropertyOptions options_;
  std::unique_ptr<Query> query_;
  SequencePropertyResult result_;
};

}  // namespace

SequencePropertyResult check_sequences(const SequencePropertyOptions& options) { return SequenceRun(options).run(); }

}  // namespace assay::fuzz
