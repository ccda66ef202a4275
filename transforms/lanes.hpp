// A reduction in lanes: independent partial results, one for each lane of each chain, combined in a fixed tree.
#pragma once

#include "transforms/define.hpp"

namespace assay {

/// Rewrites the line's loop for `lanes` lanes in `chains` chains (RET-10 to RET-15).
StepResult reduce_in_lanes(const Arguments& line, std::int64_t lanes, std::int64_t chains, const Program& before,
                           Query& query);

}  // namespace assay
