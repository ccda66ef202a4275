// The property of schedule steps, over random programs and lines: what is proved runs equal, what is refuted is broken.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "transforms/operation.hpp"

namespace assay::fuzz {

struct StepPropertyOptions {
  std::uint64_t seed = 1;
  int pairs = 5000;
  std::string operation{};  // empty: all
  /// Changes the rewritten program before it is validated: a planted fault. Empty: none. Returns nothing where the fault
  /// has no place in this program; such pairs are not counted.
  std::function<std::optional<Program>(const Program& before, const Program& after, const ScheduleLine&)> fault{};
  bool stop_at_failure = false;
  /// Obligations are not derived: a fault is found only if some run of the faulty program differs from the program before
  /// where the honest result does not.
  bool executions_alone = false;
};

struct StepPropertyResult {
  int pairs = 0;  // (right program, line) pairs that were judged
  int proved = 0, violated = 0, undecided = 0, inapplicable = 0, errors = 0, parallel = 0;
  int violated_but_equal = 0;  // violated, and no input tried showed a difference
  int discarded = 0;           // programs that were not right to begin with
  int compared = 0;            // runs of proved pairs that were compared
  int incomparable = 0;        // of these, runs without an order-exact cell
  /// Undecided steps where enumeration finds no broken pair at any size and every run agrees; by obligation.
  std::map<std::string, int> needless{};
  /// Programs that lint leaves undecided, though they run without a fault at every size and input tried; by obligation.
  std::map<std::string, int> needless_lint{};
  int linted = 0;  // programs that lint was asked about
  /// By operation: how its lines were answered.
  struct Count {
    int proved = 0, violated = 0, undecided = 0, refused = 0;
  };
  std::map<std::string, Count> operations{};
  std::map<std::string, int> codes{};   // diagnostic codes seen
  std::map<std::string, int> axes{};    // loop kinds of the programs judged
  std::vector<std::string> failures{};  // program, line and what went wrong
};

StepPropertyResult check_steps(const StepPropertyOptions& options);

}  // namespace assay::fuzz
