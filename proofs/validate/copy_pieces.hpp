// How many neighbouring elements an asynchronous copy may move at once (ASYNC-7).
#pragma once

#include "proofs/obligation/query.hpp"
#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// The most elements, of 16 bytes at most, that are proved to be one piece; 1 where none are. `copy` has the form of ASYNC-1
/// and meets ASYNC-2.
int elements_of_piece(const View& view, const Node& copy, Query& query);

}  // namespace assay::derive
