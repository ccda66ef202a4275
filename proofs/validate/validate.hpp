// From claims to obligations: what must hold for a rewritten program to mean the same, and for a program to be right at all.
//
// A transform is trusted for nothing. It hands over the new program, whose statements carry the claim "I come from that
// statement, at that iteration" (ir/expr.hpp, Provenance). This module reads both programs, extracts the accesses itself
// and derives the obligations that make the claim true; an engine discharges them (spec/proofs.md).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"
#include "proofs/obligation/licence.hpp"
#include "proofs/obligation/query.hpp"

namespace assay {

/// A point of a violation set: the parameters, one or two statement executions, and the cell where they meet. Statements and
/// iterations are those of the program *before* the step (lint: of the program itself), or where it says so of the program
/// after it.
struct Witness {
  struct Point {
    int statement = -1;  // preorder number; -1: no such point
    Location where{};
    std::vector<std::pair<Symbol, std::int64_t>> iteration{};  // outermost loop first
    bool writes = false;
    /// Coordinates of the thread by slot, slot 0 first: of `threads` alone.
    std::vector<std::int64_t> group{}, thread{};
  };
  ParameterMap parameters{};
  Symbol buffer{};                   // or variable; empty when no storage is involved
  std::vector<std::int64_t> cell{};  // empty for variables, or when a dynamic index leaves it open
  Point first{}, second{};
  bool of_new_program = false;  // first and second are of the program after the step
  /// Races and barriers: the two executions as threads of the program that is judged (of a step: the one after it).
  std::optional<std::array<Point, 2>> threads{};
  /// The program that `threads` are of, where it is neither: of an accumulation, the one after the step with every term stored
  /// straight into its target.
  std::shared_ptr<const Program> judged{};
};

struct Obligation {
  enum class Status { proved, violated, undecided };
  std::string kind;   // "dependence-order", …: the table of spec/proofs.md
  std::string claim;  // one sentence that says what has to hold
  Status status = Status::undecided;
  std::string engine;                         // which engine decided: "isl", "structure", "table", "intervals"
  std::string code;                           // diagnostic code of a failure: "DEP-2"
  std::string reason;                         // why undecided
  std::optional<Witness> witness{};           // violated
  bool vacuous = false;                       // proved because nothing ever executes
  std::string hint;                           // a way out, when one is known
  std::vector<Formula> questions{};           // what the engines were asked: it holds when none has a solution
  std::map<Symbol, std::int64_t> solution{};  // violated: of the last question (PRF-18)
  std::vector<Witness> further{};             // races: of other pairs of statements
};

struct Validation {
  std::vector<Obligation> obligations{};
  Licence licence = Licence::exact;  // the least that the obligations need
  /// Accumulations whose order changed (preorder numbers, before and after the step).
  std::set<int> reordered_before{}, reordered_after{};
};

/// Obligations of one step. Every statement of `after` has provenance to `before`.
Validation validate(const Program& before, const Program& after, Query& query);

/// Obligations of a program by itself: in-bounds, defined-before-read, output coverage, division, race-freedom,
/// launch-coverage, index-width.
std::vector<Obligation> lint_obligations(const Program& p, Query& query);

/// Whether those among them are proved that barriers are about: barrier-uniformity, and race-freedom between the threads of
/// a group. It ends with the first that is not.
bool threads_are_ordered(const Program& p, Query& query);
/// Of a program of which they are: the preorder numbers of the barriers without which, one at a time, they still are. Barriers
/// beyond a number of questions are left out.
std::vector<int> unneeded_barriers(const Program& p, Query& query);

}  // namespace assay
