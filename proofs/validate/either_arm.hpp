// Barriers that stand in both arms of one `if`: whatever its condition, one of them runs (PLL-19).
#pragma once

#include <memory>
#include <set>

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// A barrier that stands for one in either arm, to executions outside the `if`.
struct EitherArm {
  Node node{};                    // at the first arm's place, under the conditions around the `if`
  std::vector<PathStep> place{};  // of the `if`
  std::set<const Node*> parts{};  // the barriers of the program that it is made of
  bool holds(const Node& n) const;
};
using EitherArms = std::vector<std::shared_ptr<const EitherArm>>;

/// Of these barriers, inner ones first. `branches`: the `if` statements that may be looked at.
EitherArms either_arms(const View& view, const std::vector<const Node*>& barriers, const std::set<int>& branches);
/// The one that a node is of; null for others.
const EitherArm* either_arm_of(const EitherArms& all, const Node* barrier);

}  // namespace assay::derive
