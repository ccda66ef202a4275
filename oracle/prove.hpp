// Refutation: searching for an input on which two programs differ; and the command `prove`, which adds little to it (PROVE-…).
#pragma once

#include "oracle/compare.hpp"
#include "oracle/findings.hpp"
#include "oracle/judges.hpp"
#include "oracle/sizes.hpp"

namespace assay::oracle {

struct RefuteRequest {
  std::vector<ParameterMap> first{};  // sizes to try before all others: those of witnesses
  SizeTargets targets{};
  ParameterMap known{};  // admissible values
  std::set<int> reordered_before{}, reordered_after{};
};

/// Tries the first sizes, then every input where there are few, then the sample sizes with many seeds. Stops at the first
/// observation. The cases of all rounds are counted together.
Comparison refute(const Program& before, const Program& after, const RefuteRequest& request, Purse& purse);

struct ProveOptions {
  Budgets budgets{};
  Judges judges{};
};
/// The whole command: `a` is the reference.
Report prove(const Program& a, const SourceText& a_text, const Program& b, const SourceText& b_text,
             const ProveOptions& options);

}  // namespace assay::oracle
