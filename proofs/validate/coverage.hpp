// Certain stores: the formula that a cell was written, whatever the data-dependent conditions say.
#pragma once

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// The cell that `read` of `reader` reads was stored before, on every path, in the same copy (thread).
Formula written_before(const View& view, const Instance& reader, const Access& read);
/// Some store that depends on data, by a condition or by its cell, may have stored that cell before.
Formula perhaps_written_before(const View& view, const Instance& reader, const Access& read);
/// The cell that `read` reads was stored after the store of `writer` and before the loads of `reader`, on every path, in the
/// reader's thread. `read` is an access of `owner`: the reader itself, or the execution of another program that it is claimed
/// to be. The terms of its dynamic indices are those of same_cell(…, owner, read, "").
Formula written_between(const View& view, const Instance& writer, const Instance& reader, const Instance& owner,
                        const Access& read);
/// The cell of the buffer was stored by the end of the program. `cell` are index values over fresh symbols.
Formula written_at_end(const View& view, const Buffer& buffer, const std::vector<Index>& cell);

}  // namespace assay::derive
