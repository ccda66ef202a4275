// Schedule lines worth trying on a program, made from what the operations declare about themselves (spec/menu.md).
#pragma once

#include <vector>

#include "transforms/operation.hpp"

namespace assay {

/// Lines of one operation: every fitting loop and buffer, every choice, and a few numbers of the kind that the parameter
/// counts. In a fixed order, at most `most`. The program's form may still not fit them.
std::vector<ScheduleLine> candidate_lines(const Declaration& d, const Program& p, std::size_t most = 4096);

/// The operations of a program that read a buffer or a variable and hold no scope, of at most so many nodes, in the order of
/// the text, each as often as it stands there.
std::vector<Expr> reading_expressions(const Program& p, int largest);

}  // namespace assay
