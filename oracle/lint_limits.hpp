// The part of linting that knows a device: whether every launch keeps within its limits (LIM-15, LIM-16).
#pragma once

#include "ir/analysis/limits.hpp"
#include "oracle/lint.hpp"

namespace assay::oracle {

/// Adds the obligations about the limits to what linting `p` found, and what follows for the verdict.
void judge_limits(const Program& p, const DeviceLimits& limits, Query& query, const Places& places,
                  LintFindings& found);

}  // namespace assay::oracle
