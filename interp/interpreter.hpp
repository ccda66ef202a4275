// The reference interpreter of canonical execution (spec/execution.md), every read checked: a tree walk that follows the
// page step by step, and a compiled one that gives the same outcome (EXEC-34).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/focus.hpp"
#include "ir/program.hpp"
#include "ir/tensor.hpp"
#include "ir/tile_instruction.hpp"

namespace assay::interp {

/// Where and when something happened: a statement, and the values of the loop symbols around it (outermost first).
struct Instance {
  Location where{};
  int statement = -1;  // preorder number (number_statements) of the innermost statement
  std::vector<std::pair<Symbol, std::int64_t>> iteration{};
  /// Coordinates in the launch, highest slot first; empty where the launch has one group, or its groups one thread.
  std::vector<std::int64_t> group{}, thread{};
};

struct Fault {
  /// RUN-1 out of bounds, RUN-2 undefined read, RUN-3 division by zero, RUN-4 index overflow, RUN-5 input range, RUN-6
  /// output left undefined, RUN-7 lanes store one cell, RUN-8 barrier divergence, RUN-9 cannot start.
  std::string code;
  std::string message;  // one sentence
  Instance at{};
  Location access{};  // the expression inside the statement that faulted, or the statement
  Symbol buffer{};    // or variable; empty when none is involved
  std::vector<std::int64_t> cell{};
};

/// Two unordered accesses of different grid groups to one cell, at least one a store (EXEC-28, EXEC-29).
struct Race {
  Symbol buffer{};  // or variable, with an empty cell
  std::vector<std::int64_t> cell{};
  Instance first{}, second{};
  bool first_writes = false, second_writes = false;
};

/// Which interpreter runs.
enum class Engine { tree, compiled };

/// How the threads of a group take turns between barriers (EXEC-80). A program without races leaves the same memory in all.
enum class Turns {
  canonical,    // one after the other, each to its next barrier
  reversed,     // the same, the last one first
  round_robin,  // one step each: the loads of a statement, or its store
  random        // one step of a thread that a seed draws
};

struct Options {
  ParameterMap parameters{};
  std::uint64_t budget = 20'000'000;  // operations; see Outcome::operations
  bool detect_races = false;
  /// Preorder numbers of the accumulations whose order changed: an inexact or overflowing operation of theirs taints the
  /// cells that its value reaches (EXEC-30).
  std::set<int> reordered{};
  Engine engine = Engine::compiled;
  Turns turns = Turns::canonical;  // others than the canonical one run in the tree walk
  std::uint64_t seed = 0;          // of random turns
  /// Tile products that fit are done as a matrix instruction does them (MMA-5), in a tree walk that does not look for races.
  TileUnit tiles = TileUnit::none;
  /// Only the start of the run is asked for: where the budget is passed it ends, in whatever order it got there (EXEC-88).
  bool partial = false;
  /// What to look at closely; with detect_races and canonical turns, in the tree walk.
  std::optional<Focus> focus{};
};

enum class Status { ok, fault, budget };

struct Outcome {
  Status status = Status::ok;
  std::optional<Fault> fault{};
  std::optional<Race> race{};  // only with detect_races; status is then still that of the canonical run
  TensorMap outputs{};         // inout and output buffers at the end (ok only)
  std::map<std::string, std::vector<bool>> tainted{};  // per observed buffer and cell; empty without `reordered`
  std::uint64_t operations = 0;                        // expression nodes and statements evaluated (EXEC-26)
  std::string limit{};                                 // status budget: which limit was reached, as a sentence
  std::optional<Seen> seen{};                          // with a focus
};

/// Runs `p`. `inputs` has a tensor of the right type and shape for every input and inout buffer (a caller's duty, checked:
/// a missing or ill-shaped tensor is fault RUN-5 with a message). Never throws, never runs past the budget.
Outcome run(const Program& p, const TensorMap& inputs, const Options& options);

/// The shape of a buffer at given parameter values; nothing when it overflows or is negative.
std::optional<std::vector<std::int64_t>> shape(const Buffer& b, const ParameterMap& parameters);
/// Whether the parameter values are in their ranges and meet every `require`.
bool admissible(const Program& p, const ParameterMap& parameters);
/// The lexicographically smallest admissible parameter values, searched to a bounded number of candidates.
std::optional<ParameterMap> smallest_parameters(const Program& p);

}  // namespace assay::interp
