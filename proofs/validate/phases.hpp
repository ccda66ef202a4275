// Which barriers keep two executions apart by their places in the text alone, whatever the iterations and the threads
// (PLL-13 to PLL-16). What is decided here needs no formula.
#pragma once

#include <array>
#include <unordered_map>

#include "proofs/validate/either_arm.hpp"
#include "proofs/validate/order.hpp"

namespace assay::derive {

/// How two executions, of nodes p and q, stand in the serial loops around both: at the same iterations of all of them, or
/// first apart in one of them.
struct Iterations {
  std::optional<std::size_t> apart{};  // the loop, by its number in either node; nothing: all the same
  bool p_first = true;  // the execution of p has the earlier iteration; all the same: it is first in the text
};

class Phases {
 public:
  /// `barriers`: those that order accesses, in the order of the text; `either` of them stand for one in either arm.
  Phases(const View& view, std::vector<const Node*> barriers, const EitherArms& either = {});

  /// Every way in which two executions of p and q may stand.
  static std::vector<Iterations> ways(const Node& p, const Node& q);
  /// Barriers that keep all pairs of executions apart that stand so: all of them, where there are none or one, else two.
  std::vector<const Node*> separators(const Node& p, const Node& q, const Iterations& way) const;
  /// Barriers an instance of which may lie between two executions that stand so. No other one ever does.
  std::vector<const Node*> between(const Node& p, const Node& q, const Iterations& way) const;

 private:
  /// The next two barriers in the text that serve a node, and the last two: nearest first, null where there are no more.
  struct Neighbours {
    std::array<const Node*, 2> behind{}, before{};
  };
  Neighbours neighbours(const Node& n, const EitherArms& either) const;

  std::vector<const Node*> barriers_;
  std::unordered_map<const Node*, Neighbours> near_;
};

}  // namespace assay::derive
