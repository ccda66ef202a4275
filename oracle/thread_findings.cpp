// From replays to messages. One message for each pair of statements, each with the two threads side by side.
#include "oracle/thread_findings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace assay::oracle {
namespace {

using Result = ThreadReplay::Result;

constexpr std::size_t most_replays = 6;  // pairs of statements of one obligation

interp::Instance instance_of(const ThreadPair::Side& s) {
  interp::Instance out{s.where, s.statement, s.iteration, {}, {}};
  out.group.assign(s.group.rbegin(), s.group.rend());
  out.thread.assign(s.thread.rbegin(), s.thread.rend());
  return out;
}

Observation observation_of(const ThreadQuestion& q, const ThreadReplay& replay) {
  Observation out;
  out.parameters = q.parameters;
  out.inputs = q.inputs;
  if (q.focus.storage.empty()) {
    out.kind = Observation::Kind::fault;
    out.fault = replay.fault;
    return out;
  }
  out.kind = Observation::Kind::race;
  out.race = interp::Race{q.focus.storage,
                          q.focus.cell,
                          instance_of(replay.threads->a),
                          instance_of(replay.threads->b),
                          q.focus.points[0].writes,
                          q.focus.points[1].writes};
  return out;
}

}  // namespace

std::string thread_headline(const ThreadQuestion& q) {
  if (q.focus.storage.empty()) return "not all threads of a group reach this barrier";
  const std::string cell = cell_text(q.focus.storage, q.focus.cell);
  return q.focus.points[0].group != q.focus.points[1].group
             ? fmt::format("two iterations that nothing orders use {}", cell)
             : fmt::format("two threads of a group use {} without a barrier between them", cell);
}

namespace {

Finding finding_of(const ObligationReport& o, const ThreadQuestion& q, ThreadReplay replay, const Places& places) {
  Finding f;
  f.kind = FindingKind::error;
  f.diagnostic.code = o.obligation.code;
  f.diagnostic.message = thread_headline(q);
  f.diagnostic.help = o.obligation.hint;
  f.diagnostic.file = places.program_file;
  f.diagnostic.where = replay.threads->a.where;
  f.remarks = std::move(replay.remarks);
  if (replay.threads->of_new_program)
    f.remarks.emplace_back(
        "threads, loops and statements are those of the program after the step; a line is the one that a "
        "statement comes from");
  f.threads = std::move(replay.threads);
  f.threads->obligation = o.id;
  return f;
}

}  // namespace

bool is_about_threads(const ObligationReport& o) {
  return o.obligation.status == Obligation::Status::violated && o.obligation.witness && o.obligation.witness->threads;
}

ObligationReplay replay_obligation(const Program& p, const ObligationReport& o, bool of_new_program,
                                   const Places& places, Purse& purse) {
  ObligationReplay out;
  const bool race = o.obligation.kind == "race-freedom";
  std::vector<const Witness*> witnesses{&*o.obligation.witness};
  for (const Witness& w : o.obligation.further) witnesses.push_back(&w);
  std::size_t left_out = 0;
  for (const Witness* w : witnesses) {
    auto q = question_of(p, *w);
    if (!q || (w != witnesses.front() && out.findings.size() == most_replays)) {
      ++left_out;
      continue;
    }
    q->of_new_program = of_new_program;
    ThreadReplay replay = race ? replay_race(p, *q, purse) : replay_divergence(p, *q, purse);
    if (replay.result == Result::contradicted) {
      out.result = Result::contradicted;
      out.why = fmt::format("claim {} ({}) was refuted by a witness that the run does not bear out: {}", o.id,
                            o.obligation.kind, replay.why);
      return out;
    }
    if (replay.result == Result::open) {
      ++left_out;
      continue;
    }
    if (out.findings.empty()) {
      out.observation = observation_of(*q, replay);
      out.alone = replay.alone;
    }
    out.result = Result::confirmed;
    out.findings.push_back(finding_of(o, *q, std::move(replay), places));
  }
  if (out.findings.empty()) return out;
  out.findings.front().remarks.insert(
      out.findings.front().remarks.begin(),
      fmt::format("claim {} ({}) does not hold: {}", o.id, o.obligation.kind, o.obligation.claim));
  if (left_out > 0)
    out.findings.back().remarks.push_back(
        fmt::format("{} more of statements were not replayed", count(static_cast<std::int64_t>(left_out), "pair")));
  return out;
}

void add_threads(Finding& f, const Program& p, const Observation& seen, bool of_new_program, Purse& purse) {
  if (seen.kind != Observation::Kind::race || seen.inputs.kind == InputChoice::Kind::given) return;
  ThreadQuestion q = question_of(seen);
  q.of_new_program = of_new_program;
  ThreadReplay replay = replay_race(p, q, purse);
  if (replay.result != Result::confirmed) return;
  f.labels.clear();
  for (std::string& remark : replay.remarks) f.remarks.push_back(std::move(remark));
  f.threads = std::move(replay.threads);
}

}  // namespace assay::oracle
