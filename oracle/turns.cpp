// The canonical run is one interleaving; these are others. A program whose proofs hold leaves the same bits in each.
#include "oracle/turns.hpp"

#include <fmt/format.h>

#include "ir/analysis/launch.hpp"
#include "oracle/findings.hpp"

namespace assay::oracle {
namespace {

using interp::Turns;

struct Order {
  Turns turns;
  std::uint64_t seed;
  const char* name;
};
constexpr Order orders[] = {{Turns::reversed, 0, "reversed"},
                            {Turns::round_robin, 0, "round robin"},
                            {Turns::random, 1, "at random (seed 1)"},
                            {Turns::random, 2, "at random (seed 2)"}};
constexpr std::uint64_t share = 16;  // of the purse, one part

}  // namespace

OtherTurns::OtherTurns(const Program& p, const Purse& purse)
    : program_(p), threads_(has_loop(p.body, {Axis::workgroup, Axis::reduce})), purse_(purse.left() / share, 0) {}

bool OtherTurns::run(const ParameterMap& parameters, const InputChoice& choice, const TensorMap& inputs,
                     const interp::Outcome& canonical) {
  // One input of each size: what differs between the orders is where accesses go, not what they compute.
  if (!threads_ || observation_ || choice.kind != InputChoice::Kind::exact || choice.seed != 0) return true;
  if (canonical.operations > purse_.left() / (std::size(orders) + 1)) {
    ++left_out_;
    return true;
  }
  const auto show = [&](Observation seen, const Order& order) {
    seen.turns = order.name;
    seen.input_values = input_values(inputs);
    observation_ = std::move(seen);
    return false;
  };
  for (const Order& order : orders) {
    interp::Options options;
    options.parameters = parameters;
    options.budget = purse_.left();
    options.detect_races = true;
    options.turns = order.turns;
    options.seed = order.seed;
    const interp::Outcome other = interp::run(program_, inputs, options);
    purse_.spend(other.operations);
    if (other.status == interp::Status::budget) return true;  // a step of a thread counts like one of the canonical run
    if (auto seen = trouble(other, parameters, choice)) return show(*std::move(seen), order);
    const CellComparison cells = compare_cells(canonical.outputs, other.outputs);
    cells_ += cells.compared;
    if (cells.first) return show(difference(cells, parameters, choice, inputs), order);
  }
  ++cases_;
  sizes_.push_back(parameters);
  return true;
}

std::optional<std::string> OtherTurns::line() const {
  if (cases_ == 0) return std::nullopt;
  const std::string at = sizes_text(sizes_, 6);
  return fmt::format("threads also reversed, round robin and at random (2 seeds): {}{}: the same bits, no race",
                     count(cases_, "input"), at.empty() ? std::string() : " at " + at);
}

std::optional<ExecutionReport> OtherTurns::report() const {
  if (cases_ == 0) return std::nullopt;
  ExecutionReport e;
  e.backend = "interp";
  e.detail = "turns reversed, round robin, random";
  e.equal = true;
  e.cases = cases_;
  e.cells = cells_;
  e.sizes = sizes_;
  return e;
}

}  // namespace assay::oracle
