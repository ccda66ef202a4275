// Whether every launch keeps within the limits of a device, for all parameter values (LIM-15).
#pragma once

#include <vector>

#include "ir/analysis/limits.hpp"
#include "proofs/validate/validate.hpp"

namespace assay {

/// One obligation for each launch and each resource that has a limit and that the launch uses.
std::vector<Obligation> limit_obligations(const Program& p, const DeviceLimits& limits, Query& query);

}  // namespace assay
