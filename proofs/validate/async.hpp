// Which stores may be asynchronous copies (spec/async.md).
#pragma once

#include <vector>

#include "ir/copy_pieces.hpp"
#include "proofs/validate/validate.hpp"

namespace assay {

/// A store of the form of ASYNC-1, and the obligation async-completion of it.
struct AsyncCopy {
  int statement = -1;  // preorder number
  Obligation completion{};
  int bytes = 0;     // of an element
  int elements = 1;  // of a piece (ASYNC-7), where the obligation is proved
};

/// All of them, in order; none where barriers and races are not proved (ASYNC-2).
std::vector<AsyncCopy> async_copies(const Program& p, Query& query);
/// The statements whose obligation is proved and whose pieces have a size that a device copies.
CopyPieces proved_copies(const Program& p, Query& query);

}  // namespace assay
