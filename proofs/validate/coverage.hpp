// Certain stores: the formula that a cell was written, whatever the data-dependent conditions say.
#pragma once

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// The cell that `read` of `reader` reads was stored before, on every path, in the same copy (thread).
Formula written_before(const View& view, const Instance& reader, const Access& read);
/// The cell of the buffer was stored by the end of the program. `cell` are index values over fresh symbols.
Formula written_at_end(const View& view, const Buffer& buffer, const std::vector<Index>& cell);

}  // namespace assay::derive
