// `--cross-check` and `--dump`: every question of an obligation asked of every engine, and written down (CHK-30, CHK-31).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/findings.hpp"
#include "oracle/judges.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

/// What ends the work at once: two engines disagree (contradiction, ENG-1), one gave a point outside the set that it was
/// asked for (ENG-2), or a file cannot be written (error, CLI-8).
struct Objection {
  Verdict verdict = Verdict::contradiction;
  Finding finding{};
};

/// Does with the obligations what `judges.inspection` asks for; enters the opinions of all engines in them. Whatever it asks
/// for, the points of violated ones are looked at (ENG-2).
std::optional<Objection> inspect(std::vector<ObligationReport>& obligations, const Judges& judges, Query& query,
                                 const Places& places);

}  // namespace assay::oracle
