// `assay check` and `assay apply`: a schedule judged step by step, then run (CHK-…, LIC-1).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "oracle/judges.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

struct CheckOptions {
  Licence licence = Licence::rounds;
  std::optional<int> upto{}, only{};
  std::set<std::string> backends{};  // that may run; empty: all that are there
  std::set<std::string> required{};  // that must have run and agreed
  bool execute = true;               // false (apply): witnesses are replayed and nothing else runs
  Budgets budgets{};
  Judges judges{};
  std::string keep_folder = ".";  // where a contradiction is kept
  /// Called with every program on the way: 0 is the source, K the result of step K.
  std::function<void(int step, const std::string& op, const Program&)> on_program{};
  std::string program_argument{}, schedule_argument{};  // as the user typed them
};

struct CheckResult {
  Report report{};
  std::optional<Program> program{};  // the final program, when the verdict is legal
};

CheckResult check(const Program& source, const SourceText& program_text, const Schedule& schedule,
                  const SourceText& schedule_text, const CheckOptions& options);

}  // namespace assay::oracle
