// The property of steps that rewrite expressions: what is proved runs the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

struct RewritePropertyOptions {
  std::uint64_t seed = 1;
  int pairs = 500;
  std::string operation{};           // one of schema W; empty: all
  bool threads = false;              // over programs of threads and barriers
  const StepFault* fault = nullptr;  // planted into the result
};

struct RewritePropertyResult {
  int pairs = 0, refused = 0;
  int proved = 0, violated = 0, undecided = 0;
  int differing = 0;                          // not proved, and some run differs
  int needless = 0;                           // undecided, and every run left the same bits
  std::vector<std::string> needless_lines{};  // program, line, result, what stayed open
  std::map<std::string, int> codes{};
  std::map<std::string, int> proved_by{};  // operation
  std::vector<std::string> failures{};     // program, line, what went wrong
};

RewritePropertyResult check_rewriting_steps(const RewritePropertyOptions& options);

}  // namespace assay::fuzz
