// The two threads of a witness run by themselves: what they need to get to what the witness names, and the barriers between.
//
// The rest of the program does not run, so that what these runs show are accesses, not values.
#include "oracle/thread_alone.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "oracle/thread_part.hpp"
#include "oracle/thread_runs.hpp"
#include "oracle/thread_table.hpp"

namespace assay::oracle {
namespace {

/// What the two threads do when they run alone (RPL-11), and whether data decides that.
struct Alone {
  std::optional<interp::Outcome> run{};
  bool asks_data = false;
  std::string why{};  // no run
};

Alone run_alone(const Program& p, const ThreadQuestion& question, Purse& purse) {
  interp::Focus focus = question.focus;
  focus.blind = true;
  const auto part = part_of(p, focus);
  if (!part)
    return {{}, false, "the whole program is too large to be run, and its part cannot be run alone: " + part.error()};
  // Memory without a value costs what is used of it: only inputs count.
  Program read = part->program;
  const auto unread = [](const Buffer& b) { return b.kind != BufferKind::input; };
  read.buffers.erase(std::remove_if(read.buffers.begin(), read.buffers.end(), unread), read.buffers.end());
  const auto inputs = inputs_of(read, question, question.inputs, purse);
  auto run = inputs ? run_focused(part->program, question, part->focus, *inputs, purse) : std::nullopt;
  return {std::move(run), part->asks_data, "too large to be run"};
}

const char* const said_of_part =
    "the whole program is too large to be run: these two threads were run alone, and of their statements those "
    "that decide whether the two accesses happen in one barrier interval";

}  // namespace

std::optional<bool> meet_alone(const Program& p, const ThreadQuestion& question, Purse& purse) {
  const Alone alone = run_alone(p, question, purse);
  if (!alone.run || !ended(*alone.run)) return std::nullopt;
  const auto& points = alone.run->seen->points;
  if (!points[0] || !points[1]) return std::nullopt;
  return points[0]->interval == points[1]->interval;
}

ThreadReplay replay_race_alone(const Program& p, const ThreadQuestion& question, Purse& purse) {
  const auto& points = question.focus.points;
  const bool same_group = same_coordinates(points[0].group, points[1].group);
  if (p.find_buffer(question.focus.storage) == nullptr) return open("too large to be run");
  const Alone alone = run_alone(p, question, purse);
  if (!alone.run) return open(alone.why);
  const interp::Outcome& run = *alone.run;
  const interp::Seen& seen = *run.seen;
  const std::string at = fmt::format("at {}", case_text(question, question.inputs));
  if (!ended(run)) return open("the run ends before: " + (run.fault ? run.fault->message : std::string()));
  for (std::size_t k = 0; k < 2; ++k) {
    if (!seen.points[k]) return not_shown(!alone.asks_data, is_not_done(p, question, k, at));
  }
  if (same_group && seen.points[0]->interval != seen.points[1]->interval)
    return not_shown(!alone.asks_data, fmt::format("a barrier lies between the two accesses of the witness {}", at));
  if (!run.race)
    return contradicted(fmt::format("both accesses of a race were run {}, and the detector found no race", at));
  ThreadReplay out;
  out.result = ThreadReplay::Result::confirmed;
  out.alone = true;
  out.race = run.race;
  out.threads = table_of(p, question);
  add_interval_row_of_part(*out.threads, seen, same_group);
  out.remarks.emplace_back(said_of_part);
  out.remarks.push_back(
      fmt::format("cells of {} affected: not counted; what either order leaves: not run", question.focus.storage));
  return out;
}

ThreadReplay replay_divergence_alone(const Program& p, const ThreadQuestion& question, Purse& purse) {
  const Alone alone = run_alone(p, question, purse);
  if (!alone.run) return open(alone.why);
  const interp::Outcome& run = *alone.run;
  const std::string at = fmt::format("at {}", case_text(question, question.inputs));
  if (ended(run))
    return not_shown(!alone.asks_data, fmt::format("both threads reach the same instances of the barrier {}", at));
  if (!run.seen->diverged) return open("the run ends before: " + (run.fault ? run.fault->message : std::string()));
  ThreadReplay out;
  out.result = ThreadReplay::Result::confirmed;
  out.alone = true;
  out.fault = run.fault;
  out.threads = divergence_table(p, question);
  out.remarks.emplace_back(
      "the whole program is too large to be run: these two threads were run alone, of their statements those "
      "that lead to the barrier");
  return out;
}

}  // namespace assay::oracle
