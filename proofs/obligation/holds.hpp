// Whether a formula holds at a point, worked out without the engine that gave the point (PRF-19).
#pragma once

#include <map>
#include <optional>

#include "proofs/obligation/query.hpp"

namespace assay {

/// The truth of `f` at `point`. Nothing where the numbers leave int64, or where the engine does not know about a part with
/// bound variables or without a value, which is put to it with everything else filled in.
std::optional<bool> holds_at(const Formula& f, const std::map<Symbol, std::int64_t>& point, Query& query);

}  // namespace assay
