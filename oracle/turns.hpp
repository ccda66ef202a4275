// Runs in which the threads of a group take turns in other ways than the canonical one (TURN-1 to TURN-3).
#pragma once

#include <optional>
#include <string>

#include "oracle/compare.hpp"

namespace assay::oracle {

class OtherTurns {
 public:
  /// For a program without threads there is nothing to run. Takes a sixteenth of the purse at most.
  OtherTurns(const Program& p, const Purse& purse);
  /// Runs a case again that ran canonically to its end without a fault and without a race. False when one of the runs shows
  /// something: a fault, a race, other bits.
  bool run(const ParameterMap& parameters, const InputChoice& choice, const TensorMap& inputs,
           const interp::Outcome& canonical);
  /// What was seen, with the order in which it was.
  const std::optional<Observation>& observation() const { return observation_; }
  std::uint64_t spent() const { return purse_.spent(); }
  int cases() const { return cases_; }
  /// What ran, as a line for people and as a record; nothing where nothing did.
  std::optional<std::string> line() const;
  std::optional<ExecutionReport> report() const;

 private:
  const Program& program_;
  bool threads_;
  Purse purse_;
  int cases_ = 0, left_out_ = 0;
  std::int64_t cells_ = 0;
  std::vector<ParameterMap> sizes_{};
  std::optional<Observation> observation_{};
};

}  // namespace assay::oracle
