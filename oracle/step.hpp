// Judging one schedule step: apply, derive and discharge obligations, fold guards, replay what does not hold (CHK-5 … CHK-10, LIC-1).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "oracle/findings.hpp"
#include "oracle/judges.hpp"
#include "oracle/prove.hpp"

namespace assay::oracle {

struct StepRequest {
  const Program& before;
  const ScheduleLine& line;
  int number = 1;  // of the step, from 1
  Licence asked = Licence::rounds;
  ParameterMap known{};   // admissible values
  SizeTargets targets{};  // of the schedule so far, this step included
  Places places{};
  std::string reproduce{};  // the command line that judges this step again, or empty
};

struct StepOutcome {
  StepReport report{};
  std::vector<Finding> findings{};
  std::optional<Program> program{};  // after the step and the folding; nothing when it could not be applied
  /// For each statement of `program` (preorder): the statement of `before` that it comes from, or −1.
  std::vector<int> origins{};
  std::set<int> reordered{};        // accumulations of `before` whose order changed
  std::set<int> reordered_after{};  // of `program`, with the new statements that combine partial results
  std::string claim{};              // why, when the step is not legal
  std::set<std::string> engines{};
};

/// Applies and judges. The status is legal, illegal, undecided, inapplicable, error or contradiction.
StepOutcome judge_step(const StepRequest& request, Query& query, const Judges& judges, Purse& purse);
/// Applies without judging: legal (and report.judged false), inapplicable or error.
StepOutcome apply_step(const StepRequest& request, Query& query, const Judges& judges);

}  // namespace assay::oracle
