// Cells for a value that scopes compute: which, how many, and the nest that stores them (spec/materialize.md).
#pragma once

#include <tl/expected.hpp>

#include "ir/analysis/access.hpp"
#include "transforms/define.hpp"
#include "transforms/names.hpp"

namespace assay {

using Places = std::map<Symbol, Index>;

/// One of the scopes, and where it is evaluated.
struct ValueUse {
  Expr e{};
  const Node* node = nullptr;   // of the extraction
  std::vector<Guard> guards{};  // beyond the node's
  Places at{};                  // the values of the base's loop symbols here
};

/// A buffer for the value of scopes that are one expression at different values of its loop symbols.
struct ValueCells {
  std::vector<ValueUse> uses{};      // the base, then the others in the order of the text
  std::vector<Stmt> over{};          // loops around the base that have an axis, from the outside in
  Stmt anchor{};                     // the loop at the start of whose body the stores stand; none: the program
  std::vector<Index> low{}, high{};  // of the cells in each of `over`, high exclusive
  std::vector<Index> dims{};
};

/// Misfits are MAT-3 to MAT-6. `names`: variables of scopes, at least one, the first of which is the *base*, with which the others are compared. `loops`: what the line says of the loops that get an axis.
tl::expected<ValueCells, Misfit> value_cells(const Program& p, const Extraction& x, const std::vector<Symbol>& names,
                                             const std::optional<std::vector<Symbol>>& loops);
/// The cell at these values of the loop symbols.
std::vector<Index> cell_of(const ValueCells& cells, const Places& at);
/// The nest that stores every cell (MAT-8, MAT-9).
Block value_stores(const ValueCells& cells, const Symbol& buffer, NameSupply& names);

/// A program in which each place that computes `e`, the same up to the names that scopes bind (CSE-3) or at other values of
/// the loop symbols `open`, is a scope that assigns it; and their variables: of the first place that is as written, where
/// there is one, then of the others in the order of the text.
struct NamedPlaces {
  Program program;
  std::vector<Symbol> names{};
};
NamedPlaces name_places(const Program& p, const Expr& e, const std::set<Symbol>& open);

}  // namespace assay
