// A check on proofs that costs the same whatever the number of threads: what a run does first.
#include "oracle/partial_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "oracle/findings.hpp"

namespace assay::oracle {
namespace {

constexpr std::uint64_t most_operations = std::uint64_t{1} << 18;
constexpr std::uint64_t most_generated = std::uint64_t{1} << 20;  // bytes of buffers for which values are generated

}  // namespace

std::optional<PartialRun> run_partially(const Program& p, const ParameterMap& parameters, Purse& purse) {
  const auto bytes = footprint(p, parameters);
  if (!bytes || static_cast<std::uint64_t>(*bytes) / bytes_per_operation > most_operations) return std::nullopt;
  PartialRun out;
  out.parameters = parameters;
  // Of large inputs few elements are read: zeros cost less.
  const bool generated = static_cast<std::uint64_t>(*bytes) <= most_generated;
  out.inputs = {generated ? InputChoice::Kind::exact : InputChoice::Kind::zero, 0};
  interp::Options options;
  options.parameters = parameters;
  options.budget = most_operations;
  options.detect_races = can_race(p);
  options.partial = true;
  const TensorMap inputs = make_inputs(p, parameters, out.inputs);
  const interp::Outcome run = interp::run(p, inputs, options);
  out.operations = std::min(run.operations, most_operations);
  purse.spend(out.operations);
  out.observation = trouble(run, parameters, out.inputs);
  if (out.observation) out.observation->input_values = input_values(inputs);
  return out;
}

std::string text(const PartialRun& run) {
  const std::string at = run.parameters.empty() ? std::string() : " at " + text(run.parameters);
  return fmt::format("the start of a run too large to be made whole: {} operations on {}{}: no fault and no race",
                     run.operations, text(run.inputs), at);
}

ExecutionReport report_of(const PartialRun& run) {
  ExecutionReport e;
  e.backend = "interp";
  e.detail = fmt::format("the first {} operations of a run", run.operations);
  e.sizes.push_back(run.parameters);
  return e;
}

}  // namespace assay::oracle
