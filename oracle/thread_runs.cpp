#include "oracle/thread_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "oracle/thread_table.hpp"

namespace assay::oracle {

bool same_coordinates(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
  const std::size_t n = std::max(a.size(), b.size());
  a.resize(n, 0);
  b.resize(n, 0);
  return a == b;
}

std::optional<interp::Outcome> run_focused(const Program& p, const ThreadQuestion& q, const interp::Focus& focus,
                                           const TensorMap& inputs, Purse& purse) {
  interp::Options options;
  options.parameters = q.parameters;
  options.budget = purse.left() / 4;
  options.detect_races = true;
  options.focus = focus;
  interp::Outcome out = interp::run(p, inputs, options);
  purse.spend(out.operations);
  if (out.status == interp::Status::budget || !out.seen) return std::nullopt;
  return out;
}

std::optional<TensorMap> inputs_of(const Program& p, const ThreadQuestion& q, const InputChoice& choice, Purse& purse) {
  const auto bytes = footprint(p, q.parameters);
  if (!bytes || *bytes > largest_footprint || !interp::admissible(p, q.parameters)) return std::nullopt;
  const std::uint64_t set_up = static_cast<std::uint64_t>(*bytes) / bytes_per_operation;
  if (set_up > purse.left()) return std::nullopt;
  purse.spend(set_up);
  return make_inputs(p, q.parameters, choice);
}

bool ended(const interp::Outcome& o) { return o.status == interp::Status::ok || (o.fault && o.fault->code == "RUN-6"); }

std::string case_text(const ThreadQuestion& q, const InputChoice& inputs) {
  std::string out = text(inputs);
  if (!q.parameters.empty()) out += " at " + text(q.parameters);
  return out;
}

std::string access_text(const interp::Focus& focus, std::size_t k) {
  return fmt::format("{} {}", focus.points[k].writes ? "writes" : "reads", cell_text(focus.storage, focus.cell));
}

ThreadPair table_of(const Program& p, const ThreadQuestion& q) {
  ThreadPair pair = thread_pair(p, q.focus);
  pair.of_new_program = q.of_new_program;
  pair.a.does = access_text(q.focus, 0);
  pair.b.does = access_text(q.focus, 1);
  add_statement_rows(pair, p);
  return pair;
}

ThreadPair divergence_table(const Program& p, const ThreadQuestion& q) {
  ThreadPair pair = thread_pair(p, q.focus);
  pair.of_new_program = q.of_new_program;
  pair.a.does = "reaches this barrier";
  pair.b.does = "does not reach it";
  add_statement_rows(pair, p);
  return pair;
}

ThreadReplay contradicted(std::string why) {
  ThreadReplay out;
  out.result = ThreadReplay::Result::contradicted;
  out.why = std::move(why);
  return out;
}

ThreadReplay open(std::string why) {
  ThreadReplay out;
  out.why = std::move(why);
  return out;
}

ThreadReplay not_shown(bool certain, std::string why) {
  return certain ? contradicted(std::move(why)) : open(std::move(why));
}

std::string is_not_done(const Program& p, const ThreadQuestion& q, std::size_t k, const std::string& at) {
  const Stmt statement = find_statement(p, q.focus.points[k].statement);
  return fmt::format("thread {} of the witness does not do what it names ({} in line {}) {}", thread_letters[k],
                     access_text(q.focus, k), statement ? statement->where.line : 0, at);
}

}  // namespace assay::oracle
