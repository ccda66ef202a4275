// `assay lint`: whether a program can go wrong by itself (LINT-…).
#pragma once

#include "ir/analysis/limits.hpp"
#include "oracle/compare.hpp"
#include "oracle/findings.hpp"
#include "oracle/judges.hpp"
#include "oracle/partial_run.hpp"

namespace assay::oracle {

struct LintOptions {
  Budgets budgets{};
  Judges judges{};
  std::optional<DeviceLimits> limits{};  // that every launch must keep within
};

/// What linting a program found; the common part of `lint` and of the first act of `check`.
struct LintFindings {
  Verdict verdict = Verdict::undecided;  // clean, faulty, undecided, contradiction, error
  std::string claim{};                   // the sentence of the last line
  std::vector<ObligationReport> obligations{};
  std::vector<Finding> findings{};
  std::optional<Observation> observation{};
  std::optional<Comparison> ran{};      // what was interpreted, if anything
  std::optional<PartialRun> started{};  // where no case fits (LINT-5)
  std::optional<std::string> turns{};   // what ran with the threads in other turns
  std::optional<ExecutionReport> turns_report{};
  std::vector<std::string> omissions{};
  std::set<std::string> engines{};
};

/// Judges `p`. `always_run`: interpret sample cases even when every obligation is proved.
LintFindings lint_program(const Program& p, const Places& places, Query& query, const Judges& judges, Purse& purse,
                          bool always_run);

/// The whole command.
Report lint(const Program& p, const SourceText& source, const LintOptions& options);

/// Admissible parameter values, found by search or by the engine; an error diagnostic (CLI-7) when there are none.
Result<ParameterMap> some_parameters(const Program& p, Query& query);

}  // namespace assay::oracle
