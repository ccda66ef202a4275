// Linting: obligations first, then runs. Only a run makes a program faulty; only proofs make it clean.
#include "oracle/lint.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "oracle/barrier_hints.hpp"
#include "oracle/cross_check.hpp"
#include "oracle/lint_limits.hpp"
#include "oracle/sizes.hpp"
#include "oracle/thread_findings.hpp"
#include "oracle/turns.hpp"

namespace assay::oracle {
namespace {

using Status = Obligation::Status;

struct Counts {
  int proved = 0, violated = 0, undecided = 0;
  int all() const { return proved + violated + undecided; }
};

Counts count_statuses(const std::vector<ObligationReport>& list) {
  Counts c;
  for (const ObligationReport& o : list) {
    if (o.obligation.status == Status::proved) ++c.proved;
    if (o.obligation.status == Status::violated) ++c.violated;
    if (o.obligation.status == Status::undecided) ++c.undecided;
  }
  return c;
}

/// The obligation that foretold what was seen: the same statement, or failing that the same buffer.
ObligationReport* foretold(std::vector<ObligationReport>& list, const Observation& seen) {
  if (seen.kind == Observation::Kind::difference) return nullptr;
  const interp::Instance& at = seen.kind == Observation::Kind::race ? seen.race->first : seen.fault->at;
  const Symbol& buffer = seen.kind == Observation::Kind::race ? seen.race->buffer : seen.fault->buffer;
  ObligationReport* by_buffer = nullptr;
  for (ObligationReport& o : list) {
    if (o.obligation.status == Status::proved || !o.obligation.witness || o.obligation.witness->buffer != buffer)
      continue;
    const Witness& w = *o.obligation.witness;
    if (w.first.statement == at.statement || w.second.statement == at.statement) return &o;
    if (by_buffer == nullptr) by_buffer = &o;
  }
  return by_buffer;
}

/// Searches for a fault or race: at the witnesses' sizes first, then at the sample sizes. Where a replay has shown one (`shown`)
/// no case needs to run at any price, and where all is proved (not `open`) none does (LINT-5).
void search(const Program& p, const ParameterMap& known, const std::vector<ObligationReport>& obligations, bool open,
            bool samples, bool shown, Purse& purse, LintFindings& out) {
  Plan plan;
  plan.waves = standard_waves(open ? 32 : 1);
  out.ran = Comparison{};
  OtherTurns turns(p, purse);
  plan.on_case = [&](const ParameterMap& size, const InputChoice& choice, const TensorMap& inputs,
                     const interp::Outcome& outcome,
                     const interp::Outcome&) { return turns.run(size, choice, inputs, outcome); };
  const auto settle = [&] {
    purse.spend(turns.spent());
    if (!out.ran->reference) out.ran->reference = turns.observation();
    out.turns = turns.line();
    out.turns_report = turns.report();
  };
  plan.force_first = open && !shown;
  plan.sizes = witness_sizes(p, obligations);
  if (!plan.sizes.empty()) {
    add_comparison(*out.ran, survey(p, plan, purse));
    if (out.ran->reference || turns.observation() || !samples) return settle();
  }
  if (!samples) return;
  plan.sizes = sample_sizes(p, {}, known, open ? 40 : 6);
  plan.force_first = open && !shown && out.ran->cases == 0;
  add_comparison(*out.ran, survey(p, plan, purse));
  if (!open && out.ran->cases == 0 && !out.ran->reference && !plan.sizes.empty()) {
    out.started = run_partially(p, plan.sizes.front(), purse);
    if (out.started) out.ran->reference = out.started->observation;
  }
  settle();
}

/// What the replays of the violated obligations about threads came to, before anything else is searched for.
struct Replays {
  std::size_t tables = 0;
  std::size_t races = 0;
  std::optional<Observation> observation{};
  bool alone = false;  // of two threads alone
};

/// Nothing where a replay contradicts an obligation: the verdict is then there (RPL-2).
std::optional<Replays> replay_threads(const Program& p, const Places& places, Purse& purse, LintFindings& out) {
  Replays all;
  Purse part(purse.left() / 4, 0);
  for (ObligationReport& o : out.obligations) {
    if (!is_about_threads(o)) continue;
    ObligationReplay replay = replay_obligation(p, o, false, places, part);
    if (replay.result == ThreadReplay::Result::contradicted) {
      out.verdict = Verdict::contradiction;
      out.claim = replay.why;
      out.findings.push_back({FindingKind::error, {"RPL-2", replay.why, {}, {}, places.program_file}, {}, {}, {}});
      return std::nullopt;
    }
    o.replayed = replay.result == ThreadReplay::Result::confirmed;
    if (o.obligation.kind == "race-freedom") all.races += replay.findings.size();
    all.tables += replay.findings.size();
    if (!all.observation) {
      all.observation = std::move(replay.observation);
      all.alone = replay.alone;
    }
    for (Finding& f : replay.findings) out.findings.push_back(std::move(f));
  }
  purse.spend(part.spent());
  return all;
}

/// The race, or the barrier that some thread does not reach, has a table already.
bool is_shown(const Observation& seen, const LintFindings& out) {
  return std::any_of(out.findings.begin(), out.findings.end(), [&](const Finding& f) {
    if (!f.threads) return false;
    if (seen.kind == Observation::Kind::fault) return seen.fault->code == "RUN-8" && f.diagnostic.code == "BAR-1";
    return f.diagnostic.code.rfind("RACE-", 0) == 0;
  });
}

/// The first message with the table of an obligation.
Finding* table_of(const ObligationReport& o, LintFindings& out) {
  const auto found = std::find_if(out.findings.begin(), out.findings.end(),
                                  [&](const Finding& f) { return f.threads && f.threads->obligation == o.id; });
  return found == out.findings.end() ? nullptr : &*found;
}

void conclude_from_observation(const Program& p, LintFindings& out, const Counts& counts, const Replays& replays,
                               const Places& places, Purse& purse) {
  out.observation = out.ran && out.ran->reference ? out.ran->reference : replays.observation;
  ObligationReport* reason = foretold(out.obligations, *out.observation);
  if (reason != nullptr) reason->replayed = true;
  Finding* table = reason == nullptr ? nullptr : table_of(*reason, out);
  if (table != nullptr && out.observation->fault && out.observation->fault->code != "RUN-8") {
    table->remarks.push_back("observed on " + observation_text(*out.observation));
  } else if (!is_shown(*out.observation, out)) {
    Finding f = observation_finding(*out.observation, reason, places);
    add_threads(f, p, *out.observation, false, purse);
    out.findings.push_back(std::move(f));
  }
  if (out.observation->kind == Observation::Kind::difference) {
    out.verdict = Verdict::contradiction;
    out.claim = "no run shows a race, and yet the turns of the threads matter (TURN-3)";
    return;
  }
  const std::string seen = out.observation->kind == Observation::Kind::race ? "a race" : "a fault";
  const std::string what = replays.races > 0 && seen == "a fault"
                               ? fmt::format("a fault and {}", count(static_cast<std::int64_t>(replays.races), "race"))
                           : replays.races > 1 ? count(static_cast<std::int64_t>(replays.races), "race")
                                               : seen;
  const bool several = what != seen;
  if (counts.violated == 0 && counts.undecided == 0) {
    out.verdict = Verdict::contradiction;
    out.claim = fmt::format("every obligation is proved, and yet the interpreter observed {} (LINT-4)", seen);
    return;
  }
  out.verdict = Verdict::faulty;
  const bool alone = replays.alone && !(out.ran && out.ran->reference);
  out.claim = fmt::format("{} {} observed by running {}", what, several ? "were" : "was",
                          alone ? "two of its threads alone" : "the program");
  if (!out.observation->parameters.empty()) out.claim += " at " + text(out.observation->parameters);
  if (counts.violated > 1)
    out.claim += fmt::format("; {} of {} obligations are violated", counts.violated, counts.all());
}

void conclude_open(LintFindings& out, const Counts& counts, const Places& places) {
  out.verdict = Verdict::undecided;
  for (const ObligationReport& o : out.obligations) {
    if (o.obligation.status == Status::proved) continue;
    Finding f = obligation_finding(o, std::nullopt, nullptr, places);
    if (out.ran)
      f.remarks.push_back(
          fmt::format("searched for a counterexample: {}; none found. This is not a proof.", cases_text(*out.ran)));
    out.findings.push_back(std::move(f));
  }
  out.claim = fmt::format(
      "{} of {} obligations open, {} violated but not observed; nothing was found wrong by running it and nothing is "
      "promised",
      counts.undecided, counts.all(), counts.violated);
}

}  // namespace

Result<ParameterMap> some_parameters(const Program& p, Query& query) {
  if (auto found = interp::smallest_parameters(p)) return *found;
  std::vector<Symbol> names;
  for (const Parameter& q : p.parameters) names.push_back(q.name);
  const Answer a = query.solve(parameter_domain(p), names);
  if (a.kind == Answer::Kind::solution) {
    ParameterMap values;
    for (const Parameter& q : p.parameters) {
      const auto at = a.solution.find(q.name);
      values[q.name] = at == a.solution.end() ? q.lo : at->second;
    }
    if (interp::admissible(p, values)) return values;
  }
  return fail({"CLI-7", "no values of the parameters meet the ranges and requirements", p.where,
               "widen a range or drop a `require`"});
}

LintFindings lint_program(const Program& p, const Places& places, Query& query, const Judges& judges, Purse& purse,
                          bool always_run) {
  LintFindings out;
  const auto known = some_parameters(p, query);
  if (!known) {
    out.verdict = Verdict::error;
    for (Diagnostic d : known.error()) {
      d.file = places.program_file;
      out.claim = d.message;
      out.findings.push_back({FindingKind::error, std::move(d), {}, {}});
    }
    return out;
  }
  for (Obligation& o : judges.lint(p, query)) {
    if (!o.engine.empty()) out.engines.insert(o.engine);
    out.obligations.push_back({std::to_string(out.obligations.size() + 1), std::move(o), false});
  }
  if (auto objection = inspect(out.obligations, judges, query, places)) {
    out.verdict = objection->verdict;
    out.claim = objection->finding.diagnostic.message;
    out.findings.push_back(std::move(objection->finding));
    return out;
  }
  const Counts counts = count_statuses(out.obligations);
  const bool open = counts.violated + counts.undecided > 0;
  const auto replays = replay_threads(p, places, purse, out);
  if (!replays) return out;
  // A program whose obligations are all proved is only run as a check on the proofs: a small part of the purse is enough.
  Purse part(open ? purse.left() : purse.left() / 8, purse.forced());
  search(p, *known, out.obligations, open, open || always_run, replays->observation.has_value(), part, out);
  purse.spend(part.spent());
  if ((out.ran && out.ran->reference) || replays->observation) {
    conclude_from_observation(p, out, counts, *replays, places, purse);
  } else if (open) {
    conclude_open(out, counts, places);
  } else {
    out.verdict = Verdict::clean;
    out.claim =
        fmt::format("no fault and no race for {}; {} proved", domain_text(p), count(counts.proved, "obligation"));
  }
  if (out.ran && !out.ran->skipped.empty()) {
    out.omissions.push_back(
        fmt::format("interpreted, too large for the budget: {}",
                    sizes_text(out.ran->skipped, 4).empty() ? "the only size" : sizes_text(out.ran->skipped, 4)));
  }
  return out;
}

static std::vector<Diagnostic> barrier_hints(const Program& p, const LintFindings& found, Query& query) {
  if (found.verdict == Verdict::clean) return needless_barriers(p, query);
  std::vector<Witness> races;
  for (const auto& [id, o, replayed, checks] : found.obligations) {
    if (o.status != Status::violated || o.code != "RACE-2" || !o.witness) continue;
    races.push_back(*o.witness);
    races.insert(races.end(), o.further.begin(), o.further.end());
  }
  return found.verdict == Verdict::faulty && !races.empty() ? missing_barrier(p, query, races)
                                                            : std::vector<Diagnostic>();
}

Report lint(const Program& p, const SourceText& source, const LintOptions& options) {
  Report r;
  r.command = "lint";
  r.program = p.name;
  add_text(r, source);
  const Places places{source.file, {}};
  const std::unique_ptr<Query> query = options.judges.query(options.budgets.query);
  Purse purse(options.budgets.interpretation);
  LintFindings found = lint_program(p, places, *query, options.judges, purse, true);
  if (options.limits) judge_limits(p, *options.limits, *query, places, found);
  for (Diagnostic& hint : barrier_hints(p, found, *query)) {
    hint.file = places.program_file;
    found.findings.push_back({FindingKind::note, std::move(hint), {}, {}});
  }
  r.verdict = found.verdict;
  r.claim = std::move(found.claim);
  r.obligations = std::move(found.obligations);
  r.findings = std::move(found.findings);
  r.observation = std::move(found.observation);
  r.omissions = std::move(found.omissions);
  if (found.ran && found.ran->cases > 0) {
    r.ran.push_back(fmt::format("{}: {}", cases_text(*found.ran),
                                r.observation ? "stopped at the first fault or race" : "no fault"));
    ExecutionReport e;
    e.backend = "interp";
    e.cases = found.ran->cases;
    e.sizes = found.ran->sizes;
    r.executions.push_back(std::move(e));
    if (found.turns) r.ran.push_back(*found.turns);
    if (found.turns_report) r.executions.push_back(*found.turns_report);
  }
  if (found.started && !r.observation) {
    r.ran.push_back(text(*found.started));
    r.executions.push_back(report_of(*found.started));
  }
  r.assumptions.emplace_back("distinct buffers do not overlap");
  return r;
}

}  // namespace assay::oracle
