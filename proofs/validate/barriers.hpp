// Barriers: whether all threads of a group reach the same instances, and which executions an instance keeps apart
// (PLL-4 to PLL-7).
#pragma once

#include "proofs/validate/cases.hpp"
#include "proofs/validate/order.hpp"
#include "proofs/validate/points.hpp"

namespace assay::derive {

/// The barriers of a program that order accesses: those without, or under uniform, conditions on data.
class Barriers {
 public:
  explicit Barriers(const View& view);
  /// All threads of a group reach the same instances of every barrier, and all that contribute to one cell the same
  /// instances of the @reduce loop.
  Obligation uniformity(Query& query) const;
  /// An instance that the group of both reaches lies between x and y, in this order. Both have been given places, and are
  /// in one group.
  Formula separate(const Instance& x, bool x_writes, const Instance& y, bool y_writes) const;
  bool none() const { return barriers_.empty(); }
  bool collectives() const { return !collectives_.empty(); }

 private:
  /// What one thread of a group does: the values of a node's hardware symbols come from coordinates, by slot.
  Instance in_thread(const Node& n, const std::vector<Index>& coordinates, const std::string& suffix) const;

  const View& view_;
  Moments moments_;
  std::vector<const Node*> barriers_;
  std::vector<const Node*> collectives_;  // just before each collective @reduce loop
  std::set<const Node*> unknown_;         // under a condition that threads may see differently
};

}  // namespace assay::derive
