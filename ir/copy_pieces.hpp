// Which stores of a program are asynchronous copies, and of how many elements each (spec/async.md).
#pragma once

#include <map>

namespace assay {

/// By preorder number of the store: how many neighbouring elements of a row one copy moves (ASYNC-7). Above 1 the iteration
/// whose last index is a multiple of that number copies for the ones that follow it, which copy nothing.
using CopyPieces = std::map<int, int>;

}  // namespace assay
