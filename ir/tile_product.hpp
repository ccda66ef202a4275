// Tile products: the nest that a `@tile` loop holds, recognised and taken apart (WF-26, WF-27).
//
// One nest of three plain loops around one accumulated product
//   for i { for j { for k { D[…, i, …, j] = D[…, i, …, j] + A[…, i, …, k] · B[…, k, …, j] } } }
// in any order of the loops, each operand stored either way round, under conditions that read no data. Well-formedness,
// `tensorize` and whoever renders a tile product read it here.
#pragma once

#include <array>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/expr.hpp"

namespace assay {

struct TileProduct {
  std::array<Stmt, 3> nest{};     // the loops, outermost first
  Stmt row{}, column{}, sum{};    // the same loops by role: the rows and columns of D, and the loop that is summed over
  std::vector<Expr> guards{};     // the conditions between the loops, outermost first
  Stmt update{};                  // the store
  Expr left{}, right{};           // the element of A and of B: a load
  bool left_transposed = false;   // A is stored with the rows of D in its last dimension
  bool right_transposed = false;  // B is stored with the summed loop in its last dimension
};

/// The tile product that the one statement of `body` is, or why it is none: a diagnostic of WF-26 (the form of the nest)
/// or WF-27 (the places of the loop symbols in the three cells).
tl::expected<TileProduct, Diagnostic> tile_product(const Block& body, Location where);

}  // namespace assay
