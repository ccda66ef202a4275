// Deciding a tree: case splits over its disjunctions, the Omega test on the conjunctions.
#pragma once

#include "proofs/native/store.hpp"

namespace assay::native {

/// `found`: a point of the rows, and of all that was eliminated before. `unliftable`: the rows have a point, but none was found
/// that lifts to the variables eliminated before (after an inexact elimination). `none`: the rows have no point.
struct Point {
  enum class Kind : std::uint8_t { none, found, unliftable } kind = Kind::none;
  Model at{};
};

/// Decides the rows. Exact: equalities by unimodular changes of variables, inequalities by Fourier–Motzkin elimination with
/// dark shadow and splinters where it is inexact. Throws Exhausted or Overflow when it cannot tell.
Point integer_point(Store store);

/// A point that satisfies the rows of `store` and every tree of `pending`, or nothing when there is none. Splits on a
/// disjunction only when a point of the rows breaks it.
class Search {
 public:
  explicit Search(const Tree& tree) : tree_(tree) {}
  std::optional<Model> solve(Store store, const std::vector<NodeId>& pending);

  /// Adds a tree to the rows; its disjunctions go to `pending`.
  void assume(Store& store, NodeId n, std::vector<NodeId>& pending) const;

 private:
  bool simplify(Store& store, std::vector<NodeId>& pending) const;
  bool holds(NodeId n, const Model& at) const;

  const Tree& tree_;
  int leaves_ = 0;
};

}  // namespace assay::native
