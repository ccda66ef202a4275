// Schedule lines worth trying on a program, made from what the operations declare about themselves (spec/menu.md).
#pragma once

#include <vector>

#include "transforms/operation.hpp"

namespace assay {

/// Lines of one operation: every fitting loop and buffer, every choice, and a few numbers of the kind that the parameter
/// counts. In a fixed order, at most `most`. The program's form may still not fit them.
std::vector<ScheduleLine> candidate_lines(const Declaration& d, const Program& p, std::size_t most = 4096);

}  // namespace assay
