// What each launch of a program asks of a device: how many groups and threads in every slot, how much shared memory, and
// how many private cells for each thread
// (spec/analysis.md).
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay {

/// Whether a loop of one of these axes is inside, or is the statement itself; scopes included.
bool has_loop(const Stmt& s, std::initializer_list<Axis> axes);
bool has_loop(const Block& b, std::initializer_list<Axis> axes);
/// Whether a program needs the parallel meaning of threads and barriers (@workgroup, barrier, shared).
bool needs_parallel_meaning(const Program& p);

/// The `@tile` loops whose lanes are threads: those of launches with a `@workgroup` loop (EXEC-75).
std::set<const StmtNode*> tiles_among_threads(const Program& p);

/// The slot of every loop that has one (EXEC-12, EXEC-33, EXEC-75): how many loops of its kind are nested in it, along the
/// deepest path. Loops of kind workgroup and reduce, and tile loops among threads, share their slots.
std::map<const StmtNode*, int> hardware_slots(const Program& p);
/// Whether a loop has a slot, and of which kind: Axis::grid, or Axis::workgroup for both workgroup and reduce loops. A tile
/// loop has one only among threads.
std::optional<Axis> slot_kind(Axis axis);

/// Whether the threads of a `@reduce` loop that has a slot contribute to one cell together (EXEC-19); otherwise each thread
/// runs all of the loop by itself (EXEC-33).
bool is_collective(const Program& p, const Stmt& reduce);

/// Every name that statements mention: symbols, buffers, variables.
std::set<Symbol> used_names(const Block& b);
/// Whether a bound of a loop in `b` mentions the symbol.
bool bounds_mention(const Block& b, const Symbol& symbol);

/// One launch at given parameter values.
struct LaunchShape {
  std::vector<std::int64_t> grid, workgroup;  // the extent of each slot (EXEC-13), slot 0 first
  std::int64_t shared_bytes = 0;              // of the shared buffers that the launch uses
  std::vector<Symbol> guarded;                // hardware loops that run fewer iterations, at times, than their slot has
  std::int64_t registers = 0;                 // of 32 bits, that the private cells of a thread take (LIM-17)
};
/// The launches in order, exact: every value of the enclosing symbols is tried. Nothing when that takes more than
/// `budget` steps or leaves int64.
std::optional<std::vector<LaunchShape>> launch_shapes(const Program& p, const ParameterMap& parameters,
                                                      std::int64_t budget);

/// Extents in the three dimensions of hardware, 1 where nothing is asked for: grid slots from 2 up share z. Nothing when
/// a product leaves int64.
std::optional<std::array<std::int64_t, 3>> in_three_dimensions(const std::vector<std::int64_t>& slots);
/// The coordinates in the slots from 2 up, slot 2 first, of the coordinate z that they share: of slot q,
/// floormod(floordiv(z, extents of the slots from 2 to q − 1), its extent), the last one without the remainder.
std::vector<Index> unfold(const Index& z, const std::vector<std::int64_t>& slots);

}  // namespace assay
