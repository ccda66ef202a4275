// Whether the accesses that a violated obligation names happen when the program is run, and in the order that it says (RPL-9).
#pragma once

#include "oracle/compare.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

struct PointReplay {
  enum class Result : std::uint8_t { confirmed, contradicted, open } result = Result::open;
  std::string why{};  // contradicted, open: as a sentence
};
/// Of an obligation about accesses that happen in `p`, the program that its witness speaks of: dependence-order,
/// private-flow, same-contributions. Open where the witness names no cell of a device or `shared` buffer, where the run does
/// not fit or ends in a fault, and where several threads make an access together.
PointReplay replay_points(const Program& p, const Obligation& o, Purse& purse);

}  // namespace assay::oracle
