// Barriers: whether all threads of a group reach the same instances, and which executions an instance keeps apart
// (PLL-4 to PLL-7).
#pragma once

#include "proofs/validate/cases.hpp"
#include "proofs/validate/either_arm.hpp"
#include "proofs/validate/order.hpp"
#include "proofs/validate/phases.hpp"
#include "proofs/validate/points.hpp"

namespace assay::derive {

/// The barriers of a program that order accesses: those without, or under uniform, conditions on data.
class Barriers {
 public:
  /// `by_text`: places in the text decide what they can (PLL-13 to PLL-16); without, everything is a formula.
  explicit Barriers(const View& view, bool by_text = true);
  /// All threads of a group reach the same instances of every barrier, and all that contribute to one cell the same
  /// instances of the @reduce loop.
  Obligation uniformity(Query& query) const;
  /// No two executions of the two nodes are without a barrier instance between them, as their places in the text tell.
  bool ordered_by_text(const Node& p, const Node& q) const;
  /// No barrier instance that the group of both reaches lies between x and y. Both have been given places, and are in one
  /// group. `without`: as if this barrier were not there.
  Formula unordered(const Instance& x, bool x_writes, const Instance& y, bool y_writes,
                    const Node* without = nullptr) const;
  /// A barrier instance may lie between x and y: conditions on data are taken to hold. False where no barrier of their launch
  /// is under such a condition.
  Formula may_separate(const Instance& x, bool x_writes, const Instance& y, bool y_writes) const;
  /// The barriers without any one of which `unordered` would be another formula.
  std::set<const Node*> needed(const Node& p, const Node& q) const;
  const View& view() const { return view_; }
  /// All barriers, those that order nothing included.
  const std::vector<const Node*>& all() const { return barriers_; }
  bool none() const { return barriers_.empty(); }
  bool collectives() const { return !collectives_.empty(); }

 private:
  /// What one thread of a group does: the values of a node's hardware symbols come from coordinates, by slot.
  Instance in_thread(const Node& n, const std::vector<Index>& coordinates, const std::string& suffix) const;

  enum class Data { must_hold, taken_to_hold };
  /// An instance of one of `barriers` lies between x and y, in this order.
  Formula separate(const std::vector<const Node*>& barriers, const Instance& x, bool x_writes, const Instance& y,
                   bool y_writes, Data conditions = Data::must_hold) const;
  bool open(const Node& p, const Node& q, const Iterations& way, const Node* without) const;
  /// It is, or is made of, the barrier that is taken to be absent.
  bool is_gone(const Node* barrier, const Node* without) const;

  const View& view_;
  Moments moments_;
  std::vector<const Node*> barriers_;
  std::vector<const Node*> collectives_;  // just before each collective @reduce loop
  std::set<const Node*> unknown_;         // under a condition that threads may see differently
  EitherArms either_;                     // made of barriers in both arms under uniform conditions on data
  std::vector<const Node*> ordering_;     // the other barriers, and those made of them, in the order of the text
  std::vector<const Node*> open_;         // under conditions on data, uniform or not
  std::optional<Phases> phases_{};        // where places in the text decide
};

}  // namespace assay::derive
