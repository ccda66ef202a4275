// Ranges of what buffers and variables can hold, from the statements that store to them.
#pragma once

#include "ir/analysis/access.hpp"
#include "ir/analysis/value_range.hpp"

namespace assay {

/// Of every integer buffer that is not defined on entry, and of every integer variable: a superset of all values that
/// statements of the program store there. A read that faults no earlier sees one of them.
StoredRanges stored_ranges(const Program& p, const Extraction& extraction);

/// Whether what the condition of `g`, a guard of the node or of one of its accesses, reads is the same when the node executes:
/// between the `if` and the node nothing stores there and no thread waits. `extraction` holds the node.
bool still_holds(const Program& p, const Extraction& extraction, const Node& n, const Guard& g);

}  // namespace assay
