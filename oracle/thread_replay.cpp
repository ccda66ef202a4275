// Replays of what is said about two threads.
//
// The first run only looks whether both accesses happen and where: undefined cells read as zero there, so that a race which
// shows as an undefined read is not hidden by it. The two further runs let either thread go first, as any run may.
#include "oracle/thread_replay.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/literal.hpp"
#include "oracle/thread_alone.hpp"
#include "oracle/thread_runs.hpp"
#include "oracle/thread_table.hpp"

namespace assay::oracle {
namespace {

using interp::Outcome;
using Result = ThreadReplay::Result;

interp::Focus::Point point_of(const Witness::Point& w) {
  return {w.statement, w.writes, w.iteration, w.group, w.thread};
}

std::vector<std::int64_t> reversed(const std::vector<std::int64_t>& v) { return {v.rbegin(), v.rend()}; }

interp::Focus::Point point_of(const interp::Instance& at, bool writes) {
  return {at.statement, writes, at.iteration, reversed(at.group), reversed(at.thread)};
}

/// What the replay of one order came to: what the load of the two found, else how the run ended.
std::string order_text(const Outcome& o, const interp::Focus& focus) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (focus.points[k].writes || !o.seen->points[k]) continue;
    const auto& value = o.seen->points[k]->value;
    return fmt::format("{} reads {} {}", thread_letters[k], cell_text(focus.storage, focus.cell),
                       value ? "= " + to_text(*value) : "undefined");
  }
  if (o.status == interp::Status::fault && o.fault->code != "RUN-6") {
    const interp::Instance& at = o.fault->at;
    std::string who;
    for (std::size_t k = 0; k < 2; ++k) {
      const interp::Focus::Point& p = focus.points[k];
      if (at.statement == p.statement && same_coordinates(reversed(at.thread), p.thread) &&
          same_coordinates(reversed(at.group), p.group) && at.iteration == p.iteration)
        who = fmt::format(" in thread {}", thread_letters[k]);
    }
    const std::string cell =
        o.fault->cell.empty() ? std::string() : fmt::format(" ({})", cell_text(o.fault->buffer, o.fault->cell));
    return fmt::format("{}{}{}", o.fault->message, cell, who);
  }
  const auto& seen = o.seen->points;
  if (!seen[0] || !seen[1]) return "ends without both accesses";
  return fmt::format("{} writes last", thread_letters[seen[0]->ordinal < seen[1]->ordinal ? 1 : 0]);
}

/// What the load of the two found, where one of them is a load that happened.
std::optional<std::optional<Scalar>> loaded(const Outcome& o, const interp::Focus& focus) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (!focus.points[k].writes && o.seen->points[k]) return o.seen->points[k]->value;
  }
  return std::nullopt;
}

/// The order in which both accesses really came; nothing where one did not happen.
std::optional<bool> first_came_first(const Outcome& o) {
  const auto& seen = o.seen->points;
  if (!seen[0] || !seen[1]) return std::nullopt;
  return seen[0]->ordinal < seen[1]->ordinal;
}

struct Orders {
  std::array<std::optional<Outcome>, 2> runs{};
  std::optional<CellComparison> cells{};  // where both ended
  bool tell_apart(const interp::Focus& focus) const {
    return runs[0]->status != runs[1]->status || (cells && cells->differing > 0) ||
           loaded(*runs[0], focus) != loaded(*runs[1], focus);
  }
};

Orders run_orders(const Program& p, const ThreadQuestion& q, const TensorMap& inputs, Purse& purse) {
  Orders out;
  for (std::size_t k = 0; k < 2; ++k) {
    interp::Focus focus = q.focus;
    focus.ahead = k;
    out.runs[k] = run_focused(p, q, focus, inputs, purse);
    if (!out.runs[k]) return out;
  }
  if (out.runs[0]->status == interp::Status::ok && out.runs[1]->status == interp::Status::ok)
    out.cells = compare_cells(out.runs[0]->outputs, out.runs[1]->outputs);
  return out;
}

/// Says what both orders did, on the input that shows most.
void describe_orders(ThreadReplay& out, const Program& p, const ThreadQuestion& q, Purse& purse) {
  std::optional<Orders> shown;
  InputChoice on;
  for (const InputChoice& choice :
       {q.inputs, InputChoice{InputChoice::Kind::exact, 0}, InputChoice{InputChoice::Kind::adversarial, 0}}) {
    const auto inputs = inputs_of(p, q, choice, purse);
    if (!inputs) continue;
    Orders orders = run_orders(p, q, *inputs, purse);
    if (!orders.runs[0] || !orders.runs[1]) continue;
    const bool enough = orders.tell_apart(q.focus);
    if (!shown || enough) {
      shown = std::move(orders);
      on = choice;
    }
    if (enough) break;
  }
  if (!shown) {
    out.remarks.emplace_back("both orders: not run, too large for the budget");
    return;
  }
  std::array<std::string, 2> said;
  for (std::size_t k = 0; k < 2; ++k) {
    said[k] = order_text(*shown->runs[k], q.focus);
    const auto order = first_came_first(*shown->runs[k]);
    if (order && *order != (k == 0)) {
      out.remarks.push_back(
          fmt::format("the order {},{} is none that the interpreter makes: of what several threads do together it runs "
                      "each part once, in one of them",
                      thread_letters[k], thread_letters[1 - k]));
      return;
    }
  }
  if (shown->cells && shown->cells->first) {
    const auto& cell = *shown->cells->first;
    const std::string name = cell_text(cell.buffer, cell.cell);
    out.remarks.push_back(
        fmt::format("replayed on {}: order A,B leaves {} = {}; order B,A leaves {} = {}; {} of {} cells "
                    "differ",
                    case_text(q, on), name, to_text(cell.before), name, to_text(cell.after), shown->cells->differing,
                    shown->cells->compared));
    return;
  }
  out.remarks.push_back(fmt::format("replayed on {}: order A,B: {}; order B,A: {}{}", case_text(q, on), said[0],
                                    said[1], shown->cells ? "; all cells end the same here" : ""));
}

/// A race that a run showed and that is too large to be run again.
ThreadReplay only_seen(const Program& p, const ThreadQuestion& q) {
  ThreadReplay out;
  out.result = Result::confirmed;
  out.threads = table_of(p, q);
  out.remarks.emplace_back("cells affected, barrier interval, both orders: not looked at, too large for the budget");
  return out;
}

}  // namespace

std::optional<ThreadQuestion> question_of(const Program& p, const Witness& w) {
  if (!w.threads) return std::nullopt;
  ThreadQuestion q;
  for (std::size_t k = 0; k < 2; ++k) q.focus.points[k] = point_of((*w.threads)[k]);
  q.focus.storage = w.buffer;
  q.focus.cell = w.cell;
  const Buffer* buffer = p.find_buffer(w.buffer);
  const auto stores_all = [&](const Witness::Point& point) {
    const Stmt s = find_statement(p, point.statement);
    return s && s->kind == StmtKind::zero;
  };
  if (buffer != nullptr && w.cell.empty() && stores_all(w.threads->front()) && stores_all(w.threads->back()))
    q.focus.cell.assign(buffer->dims.size(), 0);
  q.parameters = w.parameters;
  return q;
}

ThreadQuestion question_of(const Observation& seen) {
  ThreadQuestion q;
  q.focus.points = {point_of(seen.race->first, seen.race->first_writes),
                    point_of(seen.race->second, seen.race->second_writes)};
  q.focus.storage = seen.race->buffer;
  q.focus.cell = seen.race->cell;
  q.parameters = seen.parameters;
  q.inputs = seen.inputs;
  q.exact = false;
  return q;
}

ThreadReplay replay_race(const Program& p, const ThreadQuestion& question, Purse& purse) {
  const interp::Focus& asked = question.focus;
  const bool same_group = same_coordinates(asked.points[0].group, asked.points[1].group);
  const Buffer* buffer = p.find_buffer(asked.storage);
  if (buffer == nullptr && same_group) return open("variables are of one thread each");
  if (buffer != nullptr && question.focus.cell.size() != buffer->dims.size()) return open("the cell is not known");
  const auto inputs = inputs_of(p, question, question.inputs, purse);
  interp::Focus focus = asked;
  focus.blind = true;
  const auto run = inputs ? run_focused(p, question, focus, *inputs, purse) : std::nullopt;
  if (!run && !question.exact) return only_seen(p, question);
  if (!run) return replay_race_alone(p, question, purse);
  const interp::Seen& seen = *run->seen;
  const std::string at = fmt::format("at {}", case_text(question, question.inputs));
  for (std::size_t k = 0; k < 2; ++k) {
    if (seen.points[k]) continue;
    if (!ended(*run)) return open("the run ends before: " + (run->fault ? run->fault->message : std::string()));
    return not_shown(question.exact, is_not_done(p, question, k, at));
  }
  if (same_group && seen.points[0]->interval != seen.points[1]->interval) {
    return not_shown(question.exact, fmt::format("a barrier lies between the two accesses of the witness {}", at));
  }
  if (ended(*run) && !run->race)
    return contradicted(fmt::format("both accesses of a race were run {}, and the detector found no race", at));
  ThreadReplay out;
  out.result = Result::confirmed;
  out.race = run->race;
  ThreadPair pair = table_of(p, question);
  pair.a.interval = seen.points[0]->interval;
  pair.b.interval = seen.points[1]->interval;
  add_interval_row(pair, seen, same_group);
  std::string counted = "not counted";
  if (buffer != nullptr && seen.cells > 0 && ended(*run)) {
    pair.affected = seen.affected;
    pair.cells = seen.cells;
    counted = fmt::format("{} of {} cells of {} are affected{}", seen.affected, seen.cells, asked.storage,
                          same_group && !asked.points[0].group.empty() ? " in this group" : "");
  } else if (buffer != nullptr) {
    counted = fmt::format("cells of {} affected: not counted ({})", asked.storage,
                          ended(*run) ? "too many" : "the run ends early");
  }
  if (buffer != nullptr)
    out.remarks.push_back("one report per pair of statements, not per pair of threads: " + counted);
  describe_orders(out, p, question, purse);
  out.threads = std::move(pair);
  return out;
}

ThreadReplay replay_divergence(const Program& p, const ThreadQuestion& question, Purse& purse) {
  const auto inputs = inputs_of(p, question, question.inputs, purse);
  interp::Focus focus = question.focus;
  focus.blind = true;
  const auto run = inputs ? run_focused(p, question, focus, *inputs, purse) : std::nullopt;
  if (!run) return replay_divergence_alone(p, question, purse);
  const std::string at = fmt::format("at {}", case_text(question, question.inputs));
  if (ended(*run))
    return not_shown(question.exact, fmt::format("the threads of every group reach the same barriers {}", at));
  if (!run->seen->diverged) return open("the run ends before: " + (run->fault ? run->fault->message : std::string()));
  ThreadReplay out;
  out.result = Result::confirmed;
  out.fault = run->fault;
  ThreadPair pair = divergence_table(p, question);
  const auto where = [&](std::size_t k) {
    return run->seen->waits[k] ? "waits at " + text(*run->seen->waits[k]) : std::string("has ended");
  };
  if (run->seen->waits[0] || run->seen->waits[1]) pair.rows.push_back({"when none goes on", where(0), where(1), {}});
  out.remarks.push_back(fmt::format("replayed on {}: {}", case_text(question, question.inputs), run->fault->message));
  out.threads = std::move(pair);
  return out;
}

}  // namespace assay::oracle
