// Where @grid loops may simply run in place, and where the groups must be enumerated instead.
//
// A group executes the whole launch, with one copy of every `local` buffer. Running each @grid loop where it stands, in
// order, gives the same memory for every correct launch as long as no local buffer carries a value from one part of the
// launch to another: that is, when all accesses to it stand under one innermost @grid loop and no iterating loop stands
// around any @grid loop on that path. Otherwise generated code runs the launch once per group, and a @grid loop binds its
// symbol to the group's coordinate, as hardware does.
#pragma once

#include <map>

#include "ir/program.hpp"

namespace assay::codegen {

/// Whether some local buffer needs one copy per group.
bool needs_groups(const Program& p);
/// The slot of every @grid loop: how many @grid loops are nested in it, along the deepest path.
std::map<const StmtNode*, int> grid_slots(const Program& p);

}  // namespace assay::codegen
