// `assay run`: one interpretation of a program (CLI-9).
#pragma once

#include <map>
#include <string>

#include "interp/inputs.hpp"
#include "oracle/judges.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

struct RunOptions {
  TensorMap given{};                           // inputs from files; the rest is generated
  std::map<std::string, std::string> files{};  // what messages call the file of a given input
  interp::InputKind kind = interp::InputKind::exact;
  std::uint64_t seed = 0;
  std::uint64_t operations = 1'000'000'000;  // one run may take more than the sum of the many of a check
  Judges judges{};
  Budgets budgets{};
};

struct RunResult {
  Report report{};
  TensorMap outputs{};  // inout and output buffers, when the verdict is ok
};

/// Interprets `p` at its smallest admissible parameter values.
RunResult run(const Program& p, const SourceText& source, const RunOptions& options);

}  // namespace assay::oracle
