// The start of a run that is too large to be made whole (LINT-5).
#pragma once

#include "oracle/compare.hpp"

namespace assay::oracle {

struct PartialRun {
  ParameterMap parameters{};
  InputChoice inputs{};
  std::uint64_t operations = 0;
  std::optional<Observation> observation{};  // a fault or race
};
/// Runs `p` at the given parameter values for a number of operations that depends on nothing. Nothing where its buffers are too
/// large for that.
std::optional<PartialRun> run_partially(const Program& p, const ParameterMap& parameters, Purse& purse);
/// What ran, as a line for people and as a record.
std::string text(const PartialRun& run);
ExecutionReport report_of(const PartialRun& run);

}  // namespace assay::oracle
