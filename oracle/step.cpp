// One step of a schedule.
//
// The numbers of statements need care: obligations speak of the program before, the operation's result and the folded
// result, each with its own preorder numbers. Provenance leads from each to the one before; `origins` composes it.
#include "oracle/step.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "ir/analysis/access.hpp"
#include "ir/traverse.hpp"
#include "oracle/barrier_hints.hpp"
#include "oracle/cross_check.hpp"
#include "oracle/point_replay.hpp"
#include "oracle/thread_findings.hpp"
#include "proofs/obligation/operators.hpp"

namespace assay::oracle {
namespace {

using Status = Obligation::Status;

/// The source statement of every statement, in preorder.
std::vector<int> origins_of(const Program& p) {
  std::vector<int> out;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    out.push_back(s->provenance ? s->provenance->statement : -1);
    return true;
  };
  visit(p.body, v);
  return out;
}

int follow(const std::vector<int>& map, int at) {
  return at >= 0 && static_cast<std::size_t>(at) < map.size() ? map[static_cast<std::size_t>(at)] : -1;
}

/// The statements that come from one of `sources`.
std::set<int> images(const std::vector<int>& origins, const std::set<int>& sources) {
  std::set<int> out;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (sources.count(origins[i]) != 0) out.insert(static_cast<int>(i));
  }
  return out;
}

StepReport describe(const StepRequest& request) {
  StepReport r;
  r.number = request.number;
  r.line = request.line.where.line;
  r.op = request.line.op;
  for (const ScheduleWord& w : request.line.operands) r.operands.push_back(w.text);
  r.text = request.line.text;
  return r;
}

void refuse(StepOutcome& out, const Refusal& refusal, const StepRequest& request) {
  Finding f;
  f.diagnostic = refusal.diagnostic;
  f.diagnostic.file = request.places.schedule_file;
  if (!f.diagnostic.where.known()) f.diagnostic.where = request.line.where;
  if (refusal.program_note.known()) f.labels.push_back({request.places.program_file, refusal.program_note, "here"});
  out.claim = refusal.diagnostic.message;
  out.report.status = refusal.kind == Refusal::Kind::error ? Verdict::error : Verdict::inapplicable;
  out.findings.push_back(std::move(f));
}

/// A result that is not well formed fits no program of the language: the step is not applied.
bool refuse_ill_formed(StepOutcome& out, const Program& result, const StepRequest& request) {
  std::vector<Diagnostic> faults = check_well_formed(result);
  if (faults.empty()) return false;
  Refusal r;
  r.diagnostic = {
      faults.front().code,
      fmt::format("the result of `{}` would not be well formed: {}", request.line.text, faults.front().message),
      request.line.where,
      faults.front().help,
      {}};
  refuse(out, r, request);
  return true;
}

struct Pieces {
  std::optional<Program> applied{};
  std::optional<Program> folded{};
};

/// Applies the line and folds guards; nothing in the pieces when the step was refused.
Pieces transform(StepOutcome& out, const StepRequest& request, Query& query, const Judges& judges) {
  StepResult applied = judges.apply(request.before, request.line, query);
  if (!applied) {
    refuse(out, applied.error(), request);
    return {};
  }
  if (refuse_ill_formed(out, applied->program, request)) return {};
  Rewrite folded = judges.fold(applied->program, query);
  if (refuse_ill_formed(out, folded.program, request)) return {};
  return {std::move(applied->program), std::move(folded.program)};
}

/// What the two validations together say, in the numbers of the programs at the ends.
struct Judgement {
  Licence licence = Licence::exact;
  std::size_t of_operation =
      0;  // the first obligations are about the operation, the others about the folding behind it
  std::set<int> reordered_before{}, reordered_after{};
};

void add_obligations(StepOutcome& out, std::vector<Obligation> list) {
  for (Obligation& o : list) {
    if (!o.engine.empty()) out.engines.insert(o.engine);
    const std::string id = fmt::format("{}.{}", out.report.number, out.report.obligations.size() + 1);
    out.report.obligations.push_back({id, std::move(o), false});
  }
}

Judgement discharge(StepOutcome& out, const StepRequest& request, const Pieces& pieces, Query& query,
                    const Judges& judges) {
  Judgement j;
  const std::vector<int> applied_origins = origins_of(*pieces.applied);
  Validation first = judges.validate(request.before, *pieces.applied, query);
  j.licence = first.licence;
  j.reordered_before = first.reordered_before;
  add_obligations(out, std::move(first.obligations));
  j.of_operation = out.report.obligations.size();
  if (*pieces.folded == *pieces.applied) {
    j.reordered_after = std::move(first.reordered_after);
    out.origins = applied_origins;
    return j;
  }
  const std::vector<int> folded_origins = origins_of(*pieces.folded);
  Validation second = judges.validate(*pieces.applied, *pieces.folded, query);
  j.licence = std::max(j.licence, second.licence);
  for (int s : second.reordered_before) j.reordered_before.insert(follow(applied_origins, s));
  j.reordered_before.erase(-1);
  j.reordered_after = images(folded_origins, first.reordered_after);
  j.reordered_after.insert(second.reordered_after.begin(), second.reordered_after.end());
  add_obligations(out, std::move(second.obligations));
  for (int s : folded_origins) out.origins.push_back(follow(applied_origins, s));
  return j;
}

int count_status(const StepReport& r, Status s) {
  return static_cast<int>(std::count_if(r.obligations.begin(), r.obligations.end(),
                                        [s](const ObligationReport& o) { return o.obligation.status == s; }));
}

/// How well an obligation that does not hold accounts for what was seen; the best one leads the answer.
int fit(const Obligation& o, const std::optional<Observation>& seen) {
  int score = o.status == Status::violated ? 4 : 0;
  if (!seen) return score;
  const bool race = seen->kind == Observation::Kind::race;
  const bool lanes = seen->kind == Observation::Kind::fault && seen->fault->code == "RUN-7";
  if (race && (o.kind == "race-freedom" || o.kind == "launch-coverage")) score += 2;
  if (lanes && o.kind == "iteration-independence") score += 2;
  if (seen->kind == Observation::Kind::difference && o.kind == "dependence-order") score += 2;
  const Symbol& buffer = race                                     ? seen->race->buffer
                         : seen->kind == Observation::Kind::fault ? seen->fault->buffer
                                                                  : seen->buffer;
  if (o.witness && o.witness->buffer == buffer) score += 1;
  return score;
}

StepPlace step_place(const StepRequest& request) {
  return {request.number, request.line.op, request.line.where, {}, {}};
}

/// What the replays of witnesses came to, by obligation.
struct Replays {
  std::map<const ObligationReport*, ObligationReplay> threads{};
  std::map<const ObligationReport*, std::string> remarks{};  // of witnesses in programs that nobody sees
  std::optional<Observation> observation{};
};

/// Some instance that a witness names may be none of the programs: then no run can bear it out.
bool keeps_instances(const StepReport& r) {
  return std::all_of(r.obligations.begin(), r.obligations.end(), [](const ObligationReport& o) {
    const std::string& kind = o.obligation.kind;
    return o.obligation.status == Status::proved ||
           (kind != "domain-bijection" && kind != "guard-fold" && kind != "claim" && kind != "in-bounds");
  });
}

void contradict(StepOutcome& out, const StepRequest& request, const char* code, const std::string& why) {
  out.report.status = Verdict::contradiction;
  out.claim = fmt::format("step {} ({}): {}", request.number, request.line.op, why);
  Finding f;
  f.diagnostic = {code, why, request.line.where, {}, request.places.schedule_file};
  out.findings.push_back(std::move(f));
}

/// Runs what the witnesses of violated obligations name. Nothing where a run contradicts one (RPL-2, RPL-9, RPL-10).
std::optional<Replays> replay_witnesses(StepOutcome& out, const StepRequest& request, const Pieces& pieces,
                                        const Judgement& j, Purse& purse) {
  Replays all;
  Purse part(purse.left() / 4, 0);
  const bool instances = keeps_instances(out.report);
  for (std::size_t k = 0; k < out.report.obligations.size(); ++k) {
    ObligationReport& o = out.report.obligations[k];
    const bool of_operation = k < j.of_operation;
    if (is_about_threads(o)) {
      const auto& direct = o.obligation.witness->judged;
      const Program& judged = direct ? *direct : of_operation ? *pieces.applied : *pieces.folded;
      ObligationReplay replay = replay_obligation(judged, o, true, request.places, part);
      if (replay.result == ThreadReplay::Result::contradicted) {
        contradict(out, request, direct ? "RPL-10" : "RPL-2", replay.why);
        return std::nullopt;
      }
      const bool confirmed = replay.result == ThreadReplay::Result::confirmed;
      if (direct) {
        if (confirmed)
          all.remarks.emplace(
              &o, "the run of the new program with every term stored straight into its target bears it out");
        continue;
      }
      o.replayed = confirmed;
      if (!all.observation) all.observation = replay.observation;
      all.threads.emplace(&o, std::move(replay));
    } else if (instances && o.obligation.status == Status::violated && o.obligation.witness) {
      const Witness& w = *o.obligation.witness;
      const Program& before = of_operation ? request.before : *pieces.applied;
      const Program& after = of_operation ? *pieces.applied : *pieces.folded;
      const PointReplay replay = replay_points(w.of_new_program ? after : before, o.obligation, part);
      if (replay.result != PointReplay::Result::contradicted) continue;
      contradict(out, request, "RPL-9",
                 fmt::format("claim {} ({}) was refuted by a witness that the run does not bear out: {}", o.id,
                             o.obligation.kind, replay.why));
      return std::nullopt;
    }
  }
  purse.spend(part.spent());
  return all;
}

/// The message about an obligation gets the table of the first pair of statements; those of others are messages of their own.
void add_tables(Finding& f, const std::string& op, ObligationReplay&& replay, std::vector<Finding>& others) {
  for (Finding& table : replay.findings) {
    if (&table != &replay.findings.front()) {
      others.push_back(std::move(table));
      continue;
    }
    f.kind = FindingKind::error;
    f.diagnostic.message = fmt::format("{}: {}", op, table.diagnostic.message);
    f.labels.clear();
    f.threads = std::move(table.threads);
    f.remarks.insert(f.remarks.end(), std::make_move_iterator(table.remarks.begin() + 1),
                     std::make_move_iterator(table.remarks.end()));
  }
}

/// Where one more barrier in the new program is enough for a race that was seen (RPL-7).
void suggest_barrier(StepOutcome& out, const StepRequest& request, const Program& after, Query& query) {
  const bool race = std::any_of(out.findings.begin(), out.findings.end(),
                                [](const Finding& f) { return f.threads && f.diagnostic.code == "RACE-2"; });
  if (!race) return;
  for (Diagnostic& hint : missing_barrier(after, query)) {
    hint.file = request.places.program_file;
    hint.message += " (in the program after the step)";
    out.findings.push_back({FindingKind::note, std::move(hint), {}, {}, {}});
  }
}

/// A tree of one operator over cells and variables: what combines partial results.
bool is_sum(const Expr& e, Op op) {
  if (e->op == Op::load || e->op == Op::variable) return true;
  return e->op == op && std::all_of(e->args.begin(), e->args.end(), [op](const Expr& a) { return is_sum(a, op); });
}

/// The statements of `p` whose bits depend on the order of an accumulation; `is_new` tells those that have no source.
std::set<int> roundings(const Program& p, const std::function<bool(int)>& is_new) {
  std::set<int> out;
  int number = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const int at = number++;
    const bool stores = s->kind == StmtKind::store || s->kind == StmtKind::assign || s->kind == StmtKind::declare;
    if (!stores || !s->value) return true;
    const auto op = accumulation(s);
    const bool combines = is_new(at) && is_sum(s->value, s->value->op);
    if ((op || combines) && !reorders_exactly(op ? *op : s->value->op, s->value->type)) out.insert(at);
    return true;
  };
  visit(p.body, v);
  return out;
}

/// Of a step that is not proved nobody knows which accumulations it reorders, so any of them may round otherwise (CHK-3): a
/// term that is lost or doubled shows on inputs on which sums are exact.
void add_roundings(RefuteRequest& what, const Program& before, const Program& after, const std::vector<int>& origins) {
  const std::set<int> old = roundings(before, [](int) { return false; });
  const std::set<int> now = roundings(after, [&](int at) { return follow(origins, at) < 0; });
  what.reordered_before.insert(old.begin(), old.end());
  what.reordered_after.insert(now.begin(), now.end());
}

/// An obligation does not hold or is open: run both programs, and decide by what that shows.
void replay(StepOutcome& out, const StepRequest& request, const Pieces& pieces, const Judgement& j, Query& query,
            Purse& purse) {
  auto replays = replay_witnesses(out, request, pieces, j, purse);
  if (!replays) return;
  const Program& after = *pieces.folded;
  RefuteRequest what;
  what.first = witness_sizes(request.before, out.report.obligations);
  what.targets = request.targets;
  what.known = request.known;
  const int violated = count_status(out.report, Status::violated), open = count_status(out.report, Status::undecided);
  what.reordered_before = j.reordered_before;
  what.reordered_after = j.reordered_after;
  add_roundings(what, request.before, after, out.origins);
  Comparison found = refute(request.before, after, what, purse);
  const StepPlace place = step_place(request);
  if (!found.reference && !found.observation) found.observation = replays->observation;
  if (found.reference) {
    out.report.status = Verdict::contradiction;
    out.report.observation = found.reference;
    out.findings.push_back(observation_finding(*found.reference, nullptr, request.places));
    out.claim = fmt::format("the program before step {} goes wrong, although it was proved right", request.number);
    return;
  }
  out.report.observation = found.observation;
  out.report.status = found.observation ? Verdict::illegal : Verdict::undecided;
  // The decisive obligation first: a violated one if there is any, and the one that accounts best for what was seen.
  std::vector<ObligationReport*> failing;
  for (ObligationReport& o : out.report.obligations) {
    if (o.obligation.status != Status::proved) failing.push_back(&o);
  }
  std::stable_sort(failing.begin(), failing.end(), [&](const auto* a, const auto* b) {
    return fit(a->obligation, found.observation) > fit(b->obligation, found.observation);
  });
  const std::string decisive =
      failing.empty() ? std::string() : fmt::format("{} {}", failing.front()->obligation.kind, failing.front()->id);
  const std::string engine = failing.empty() ? std::string() : failing.front()->obligation.engine;
  for (ObligationReport* o : failing) {
    const bool main = o == failing.front();
    o->replayed = o->replayed || (main && found.observation.has_value());
    std::vector<Finding> others;
    const auto shown = replays->threads.find(o);
    const bool table = shown != replays->threads.end() && !shown->second.findings.empty();
    // A table says itself what was seen of the race.
    const bool said = table && found.observation &&
                      (found.observation->kind == Observation::Kind::race ||
                       (found.observation->fault && found.observation->fault->code == "RUN-8"));
    Finding f = obligation_finding(*o, main && !said ? found.observation : std::nullopt, &place, request.places);
    if (table) {
      add_tables(f, request.line.op, std::move(shown->second), others);
    } else if (main && found.observation) {
      add_threads(f, after, *found.observation, true, purse);
    }
    if (const auto remark = replays->remarks.find(o); remark != replays->remarks.end())
      f.remarks.push_back(remark->second);
    if (found.observation && !main && o->obligation.status == Status::violated) f.kind = FindingKind::error;
    if (!found.observation)
      f.remarks.push_back(
          fmt::format("searched for a counterexample: {}; none found. This is not a proof.", cases_text(found)));
    if (main && found.observation && !request.reproduce.empty()) f.remarks.push_back("reproduce: " + request.reproduce);
    out.findings.push_back(std::move(f));
    for (Finding& other : others) out.findings.push_back(std::move(other));
  }
  suggest_barrier(out, request, after, query);
  if (found.observation && violated > 0) {
    out.claim = fmt::format("step {} ({}) refuted by {} ({}confirmed by execution)", request.number, request.line.op,
                            decisive, engine.empty() ? std::string() : engine + "; ");
  } else if (found.observation) {
    out.claim = fmt::format("step {} ({}) refuted by execution; {} could not be decided", request.number,
                            request.line.op, decisive);
  } else {
    out.claim = fmt::format(
        "step {} ({}): {} of {} obligations open, {} violated but not observed; nothing was found wrong by running it "
        "and nothing is promised",
        request.number, request.line.op, open, out.report.obligations.size(), violated);
  }
}

/// LIC-1: all bits are compared, so that the message can show what the missing licence would permit.
void refuse_licence(StepOutcome& out, const StepRequest& request, const Program& after, const Judgement& j,
                    Purse& purse) {
  RefuteRequest what;
  what.targets = request.targets;
  what.known = request.known;
  const Comparison found = refute(request.before, after, what, purse);
  Finding f;
  f.diagnostic = {"LIC-1",
                  fmt::format("{} needs the licence `{}`, and `{}` was asked for", request.line.op, name(j.licence),
                              name(request.asked)),
                  request.line.where, fmt::format("allow it with --licence {}", name(j.licence)),
                  request.places.schedule_file};
  if (found.observation) f.remarks.push_back("for example, " + observation_text(*found.observation));
  if (!found.observation && found.cases > 0)
    f.remarks.push_back(fmt::format("on {} the bits happen to be equal", cases_text(found)));
  out.report.observation = found.observation;
  out.report.status = Verdict::illegal;
  out.findings.push_back(std::move(f));
  out.claim = fmt::format("step {} ({}) needs the licence {}, above {} (LIC-1)", request.number, request.line.op,
                          name(j.licence), name(request.asked));
}

void warn_if_vacuous(StepOutcome& out, const StepRequest& request) {
  const auto& list = out.report.obligations;
  if (list.empty() ||
      !std::all_of(list.begin(), list.end(), [](const ObligationReport& o) { return o.obligation.vacuous; }))
    return;
  Finding f;
  f.kind = FindingKind::warning;
  f.diagnostic = {
      "CHK-16",
      fmt::format("every obligation of step {} is vacuous: nothing that it speaks of ever executes", request.number),
      request.line.where,
      {},
      request.places.schedule_file};
  out.findings.push_back(std::move(f));
}

}  // namespace

StepOutcome apply_step(const StepRequest& request, Query& query, const Judges& judges) {
  StepOutcome out;
  out.report = describe(request);
  out.report.judged = false;
  Pieces pieces = transform(out, request, query, judges);
  if (!pieces.folded) return out;
  const std::vector<int> applied = origins_of(*pieces.applied), folded = origins_of(*pieces.folded);
  out.origins = applied;
  if (!(*pieces.folded == *pieces.applied)) {
    out.origins.clear();
    for (int s : folded) out.origins.push_back(follow(applied, s));
  }
  out.program = std::move(pieces.folded);
  return out;
}

StepOutcome judge_step(const StepRequest& request, Query& query, const Judges& judges, Purse& purse) {
  StepOutcome out;
  out.report = describe(request);
  Pieces pieces = transform(out, request, query, judges);
  if (!pieces.folded) return out;
  const Judgement j = discharge(out, request, pieces, query, judges);
  out.report.licence = j.licence;
  out.reordered = j.reordered_before;
  out.reordered_after = j.reordered_after;
  if (auto objection = inspect(out.report.obligations, judges, query, request.places)) {
    out.report.status = objection->verdict;
    out.claim = fmt::format("step {} ({}): {}", request.number, request.line.op, objection->finding.diagnostic.message);
    out.findings.push_back(std::move(objection->finding));
    out.program = std::move(pieces.folded);
    return out;
  }
  const bool holds = count_status(out.report, Status::proved) == static_cast<int>(out.report.obligations.size());
  if (!holds) replay(out, request, pieces, j, query, purse);
  if ((holds || out.report.status == Verdict::undecided) && j.licence > request.asked)
    refuse_licence(out, request, *pieces.folded, j, purse);
  if (holds && out.report.status == Verdict::legal) warn_if_vacuous(out, request);
  out.program = std::move(pieces.folded);
  return out;
}

}  // namespace assay::oracle
