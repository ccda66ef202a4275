// `@reduce` loops whose threads contribute to one cell together (EXEC-19): how these threads tell one another what they
// contribute (spec/codegen-cuda.md, CUDA-20 to CUDA-24).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "codegen/c.hpp"
#include "ir/program.hpp"

namespace assay::codegen {

class Emitter;

/// `warp`: lanes that follow one another in one warp, by shuffles. `group`: through memory of the group, by barriers.
/// A `@reduce` loop holds plain loops only (WF-12), so that its slot is the first, and its threads differ in x only.
struct Collective {
  enum class Way { warp, group } way = Way::warp;
  int width = 1;  // warp: how many there are; a power of two, or the whole group is one warp
};
/// Every collective `@reduce` loop of a launch; nothing for one of which neither way can be taken.
std::map<const StmtNode*, std::optional<Collective>> collectives_of(const Program& launch, Dialect dialect);

/// A barrier of a launch inside a loop that, by its text, may have more iterations in one thread of a group than in another;
/// null where there is none.
const StmtNode* barrier_in_uneven_loop(const Program& launch);

/// Bytes for each thread that ways through memory need beside the shared buffers: two values and a flag.
inline constexpr int bytes_per_contribution = 17;

/// Where the statements of a collective find what it needs.
struct CollectivePlace {
  Dialect dialect = Dialect::simt;
  std::string coordinate;  // of the thread in x
  std::string memory;      // group: the offset in the group's memory of what the threads tell one another
};
/// The statements of a `@reduce` loop of a launch.
void emit_collective(Emitter& emit, const Program& launch, const Stmt& loop, const Collective& collective,
                     const CollectivePlace& place);

}  // namespace assay::codegen
