// Tile products among threads, for questions about barriers and races (TILE-20 to TILE-22, PRF-105).
//
// There a tile product is what its lanes do side by side: a @workgroup loop over them around the nest, and a barrier behind
// it. What makes it one product and not many is that two accesses of one instance never race.
#pragma once

#include "proofs/validate/instance.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::derive {

class Teams {
 public:
  explicit Teams(const Program& p);
  bool any() const { return !lanes_.empty(); }
  /// The program with every tile loop among threads spelled out.
  const Program& spelled_out() const { return spelled_; }
  /// Both executions, of the program spelled out and with places given, are of one instance of a tile product: in one team.
  Formula same_instance(const Instance& x, const Instance& y) const;
  /// The number in the given program of a statement of the one spelled out.
  int given_number(int statement) const { return any() ? origin_.at(static_cast<std::size_t>(statement)) : statement; }
  /// The same obligation, its witness in the numbers of the given program's statements. A barrier that was added has that of
  /// its tile loop.
  Obligation in_given_numbers(Obligation o) const;

 private:
  Program spelled_;
  std::set<Symbol> lanes_;
  std::vector<int> origin_;  // of each statement of the program spelled out, the given one's
};

}  // namespace assay::derive
