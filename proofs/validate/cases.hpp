// An obligation under construction: cases whose violation formulas must have no solution, and how the answers add up.
#pragma once

#include <string>
#include <vector>

#include "proofs/validate/instance.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::derive {

/// One way in which an obligation could fail. x and y (and their accesses) describe the point for people; optional.
struct Case {
  Formula violation;
  std::optional<Instance> x{}, y{};
  const Access* a = nullptr;
  const Access* b = nullptr;
  /// The formula over-approximates (data-dependent guards, dynamic indices): a solution is a candidate, not a violation.
  bool approximate = false;
  std::string code{};  // diagnostic code when this case is the one that fails
  /// x and y as threads of the program that is judged, for races and barriers; empty or two.
  std::vector<Instance> threads{};
};

/// What the failure of an obligation is called when no case says so.
struct ObligationText {
  std::string kind, claim, code, undecided_code, hint{};
  bool every_pair = false;  // violated: also look for points of other pairs of statements
};

/// Solves the cases in order under `assumptions`. Violated as soon as an exact case has a solution; undecided when none has
/// and one is unknown or only approximately violated; proved otherwise.
Obligation discharge(const ObligationText& text, const Formula& assumptions, const Program& program,
                     const std::vector<Case>& cases, Query& query);

/// The undecided obligation of a claim that cannot be read (CLAIM-1): what it should say, why it does not, and where.
Obligation refused_claim(std::string claim, std::string why, const Stmt& where);

/// A point for people, in the coordinates of the instances' own nodes.
Witness make_witness(const Program& program, const Case& c, const std::map<Symbol, std::int64_t>& solution);

/// Calls `f` for every point of the witness, and says whether it is of the program after the step.
template <typename F>
void for_each_point(Witness& w, F f) {
  f(w.first, w.of_new_program);
  f(w.second, w.of_new_program);
  if (!w.threads) return;
  for (Witness::Point& p : *w.threads) f(p, true);
}
/// The same obligations of a program by itself, as some of the step that made it.
std::vector<Obligation> of_new_program(std::vector<Obligation> list);

/// An access is described exactly by its formula: no data-dependent guard, no dynamic index that stands for an unknown.
bool is_exact(const Instance& x, const Access& a);
/// The same, and no index reads data: what a formula about *two* accesses needs, whose elements may be one and the same.
bool is_pure(const Instance& x, const Access& a);
/// Described by `domain` and index values alone.
bool is_affine(const Instance& x, const Access& a);

}  // namespace assay::derive
