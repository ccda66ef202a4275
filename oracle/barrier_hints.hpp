// What `lint` says about barriers beside its verdict: those that nothing needs, and where a missing one would do (BAR-10 …).
#pragma once

#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/program.hpp"
#include "proofs/obligation/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::oracle {

// The notes are about changed programs, of which was proved that their barriers are uniform and their threads do not race.

/// In a program whose threads are ordered: each barrier without which they still are (BAR-10).
std::vector<Diagnostic> needless_barriers(const Program& p, Query& query);
/// In one whose threads race: a place where one barrier more is enough, if there is one (BAR-11). `races`: witnesses of that, in `p`.
std::vector<Diagnostic> missing_barrier(const Program& p, Query& query, const std::vector<Witness>& races = {});

}  // namespace assay::oracle
