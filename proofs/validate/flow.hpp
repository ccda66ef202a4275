// Schema F, flow: a step that moves values through new storage (staging, privatization) leaves every read and every observed
// cell with the value that it had.
#pragma once

#include <set>

#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// The obligations of a step whose new program has statements that come from no old one (PRF-40 to PRF-46).
Validation validate_flow(const Program& before, const Program& after, Query& query);

/// What such a new program must keep besides the flow: bounds, threads and lanes, index width, and that the given storages
/// are defined before they are read.
std::vector<Obligation> lint_after_flow(const Program& p, const std::set<Symbol>& defined, Query& query);

}  // namespace assay::derive
