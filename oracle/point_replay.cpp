// One canonical run with a focus on the accesses (EXEC-84), blind, so that an undefined cell that the witness is about does not
// end it. The focus tells accesses of hardware threads apart by their coordinates, which follow from the witness's iteration.
#include "oracle/point_replay.hpp"

#include <fmt/format.h>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay::oracle {
namespace {

PointReplay open(std::string why) { return {PointReplay::Result::open, std::move(why)}; }

/// The loops around a statement, outermost first.
std::vector<Stmt> loops_around(const Program& p, int statement) {
  std::vector<Stmt> around, out;
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (next++ == statement) out = around;
    if (s->kind == StmtKind::loop) around.push_back(s);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
  };
  visit(p.body, v);
  return out;
}

/// The point as one of the run. Nothing where several threads make the access together.
std::optional<interp::Focus::Point> point_of(const Program& p, const Witness& w, const Witness::Point& at) {
  interp::Focus::Point out{at.statement, at.writes, at.iteration, {}, {}};
  const auto value = [&](const Symbol& s) -> std::optional<std::int64_t> {
    for (const auto& [name, v] : at.iteration) {
      if (name == s) return v;
    }
    const auto parameter = w.parameters.find(s);
    return parameter == w.parameters.end() ? std::nullopt : std::optional(parameter->second);
  };
  const std::map<const StmtNode*, int> slots = hardware_slots(p);
  for (const Stmt& loop : loops_around(p, at.statement)) {
    const auto slot = slots.find(&*loop);
    if (slot == slots.end()) continue;
    if (!is_hardware(loop->axis)) return std::nullopt;
    const auto symbol = value(loop->name), lower = loop->lo.evaluate(value);
    if (!symbol || !lower) return std::nullopt;
    std::vector<std::int64_t>& coordinates = loop->axis == Axis::grid ? out.group : out.thread;
    const auto k = static_cast<std::size_t>(slot->second);
    if (coordinates.size() <= k) coordinates.resize(k + 1, 0);
    coordinates[k] = (*symbol - *lower) / loop->step;
  }
  return out;
}

/// The cell lies inside the buffer: whether it does is another obligation.
bool inside(const Buffer& b, const Witness& w) {
  for (std::size_t d = 0; d < b.dims.size(); ++d) {
    const auto extent = b.dims[d].evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto at = w.parameters.find(s);
      return at == w.parameters.end() ? std::nullopt : std::optional(at->second);
    });
    if (!extent || w.cell[d] < 0 || w.cell[d] >= *extent) return false;
  }
  return true;
}

}  // namespace

PointReplay replay_points(const Program& p, const Obligation& o, Purse& purse) {
  const bool ordered = o.kind == "dependence-order";
  if (!ordered && o.kind != "private-flow" && o.kind != "same-contributions") return open("another kind of claim");
  if (!o.witness || o.witness->first.statement < 0) return open("no access is named");
  const Witness& w = *o.witness;
  const Buffer* b = p.find_buffer(w.buffer);
  const bool watched = b != nullptr && b->kind != BufferKind::local && (is_writable(b->kind) || is_observed(b->kind));
  if (!watched || w.cell.size() != b->dims.size() || !inside(*b, w)) return open("the cell is none that is watched");
  const bool pair = w.second.statement >= 0;
  const auto first = point_of(p, w, w.first), second = point_of(p, w, pair ? w.second : w.first);
  if (!first || !second) return open("several threads make the access together");
  const auto bytes = footprint(p, w.parameters);
  if (!bytes || *bytes > largest_footprint || !interp::admissible(p, w.parameters)) return open("too large to be run");
  const std::uint64_t set_up = static_cast<std::uint64_t>(*bytes) / bytes_per_operation;
  if (set_up > purse.left()) return open("too large to be run");
  purse.spend(set_up);

  interp::Options options;
  options.parameters = w.parameters;
  options.budget = purse.left() / 4;
  options.detect_races = true;
  options.focus = interp::Focus{{*first, *second}, w.buffer, w.cell, std::nullopt, true};
  const interp::Outcome run = interp::run(p, make_inputs(p, w.parameters, {}), options);
  purse.spend(run.operations);
  if (run.status == interp::Status::budget || !run.seen) return open("too large to be run");
  const bool ended = run.status == interp::Status::ok || (run.fault && run.fault->code == "RUN-6");
  if (!ended) return open("the run ends in a fault");
  if (run.race) return open("the program races: the order of its accesses is not its own");
  const auto& seen = run.seen->points;
  for (std::size_t k = 0; k < 2; ++k) {
    if (!seen[k])
      return {PointReplay::Result::contradicted,
              fmt::format("access ({}) of the witness does not happen{}", k + 1,
                          w.parameters.empty() ? std::string() : " at " + text(w.parameters))};
  }
  if (ordered && pair && seen[0]->ordinal >= seen[1]->ordinal)
    return {PointReplay::Result::contradicted, "access (1) of the witness does not come before (2)"};
  return {PointReplay::Result::confirmed, {}};
}

}  // namespace assay::oracle
