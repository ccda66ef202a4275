// What a run can be asked to look at closely: two accesses of two threads, or two threads at a barrier (EXEC-83 to EXEC-87).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/program.hpp"

namespace assay::interp {

struct Instance;

/// The question: where the two threads are, and what they do.
struct Focus {
  struct Point {
    int statement = -1;  // preorder number: of what accesses the storage, or of the barrier
    bool writes = false;
    std::vector<std::pair<Symbol, std::int64_t>> iteration{};  // values of the loop symbols around it
    /// Coordinates by slot, slot 0 first; missing ones are 0.
    std::vector<std::int64_t> group{}, thread{};
  };
  std::array<Point, 2> points{};
  Symbol storage{};                  // buffer or variable; empty at a barrier
  std::vector<std::int64_t> cell{};  // where the two meet; of a variable empty
  /// Whose thread goes ahead of the other's, both before all others (EXEC-83); none: canonical order.
  std::optional<std::size_t> ahead{};
  bool blind = false;  // an undefined cell or variable reads as zero (EXEC-85)
  /// The part of the program that the two threads run alone (EXEC-87).
  struct Part {
    std::set<int> statements{};  // preorder numbers, with those around and inside
    /// Of serial loops: the values of the symbol that run, as closed intervals in ascending order.
    std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> values{};
  };
  std::optional<Part> part{};
};

/// The value of a loop symbol around a point, if it is around it.
std::optional<std::int64_t> value_of(const Focus::Point& point, const Symbol& symbol);

/// What was seen of one point.
struct Sight {
  std::uint64_t ordinal = 0;      // its place in the sequence of accesses
  std::uint64_t interval = 0;     // barrier instances that its group has passed in the launch
  std::optional<Scalar> value{};  // that a load found; nothing where it is undefined
};
/// A barrier instance: its statement, and the values of the serial loops around it in the thread of a point.
struct BarrierPass {
  int statement = -1;
  Location where{};
  std::vector<std::pair<Symbol, std::int64_t>> iteration{};
};
/// The answer.
struct Seen {
  std::array<std::optional<Sight>, 2> points{};
  /// The last barrier instance before, and the first one after, what was seen of each point.
  std::array<std::optional<BarrierPass>, 2> before{}, after{};
  /// Where the threads of a group that cannot go on are: at a barrier, or at their end (nothing).
  bool diverged = false;
  std::array<std::optional<BarrierPass>, 2> waits{};
  /// Of how many cells, in one copy, the two statements make accesses that race; of how many in all.
  std::int64_t affected = 0, cells = 0;
};

}  // namespace assay::interp
