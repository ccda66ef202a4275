// Keeping a case on which two judges disagree: a text file that shows it again (CHK-11).
#pragma once

#include <optional>
#include <string>

#include "oracle/report.hpp"

namespace assay::oracle {

struct KeptCase {
  const Program& before;
  const Program& after;
  const Schedule& schedule;
  const std::optional<Observation>& observation;
  std::string claim;
};

/// Writes `assay-contradiction-HASH.air` into the folder (the hash is that of the contents) and returns its path; empty when
/// the file cannot be written, or when no folder is named.
std::string keep_case(const KeptCase& c, const std::string& folder);

}  // namespace assay::oracle
