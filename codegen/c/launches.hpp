// A program as its launches, and the extents of their slots: what every form of generated code begins with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/c/emitter.hpp"
#include "ir/program.hpp"

namespace assay::codegen {

/// The program once per launch, each with the statements and the local and shared buffers that the launch has. A variable that
/// an earlier launch declares is declared again; reading it is a fault there, so its value does not matter.
std::vector<Program> launches_of(const Program& p);

/// Raises the extent of every slot to the trip counts of its loops, over all values of the symbols around them (EXEC-13).
/// `extent_of` names, for each loop that has a slot, the variable that holds the slot's extent.
void measure(Emitter& emit, const Block& b, const std::map<const StmtNode*, std::string>& extent_of);

/// Whether a buffer is an argument of the entry.
bool is_argument(const Buffer& b);
/// "f32[n, 4]", for a comment.
std::string shape_text(const Buffer& b);
/// Names of parameters and buffers, their places among the arguments, as lines of a comment.
std::string arguments_text(const Program& p);

}  // namespace assay::codegen
