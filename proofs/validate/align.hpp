// Two programs side by side, for schema W (rewrite): statements that stay where they were, with other expressions, and
// statements of only one of the programs, which compute values into storage that the other program does not have.
//
// Statements pair up by the claims that they carry and by their places: the same blocks in the same order, under loops
// with the same symbols. Scopes belong to their expressions; statements inside them are not paired.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proofs/validate/instance.hpp"

namespace assay::derive {

struct Alignment {
  struct Pair {
    const Node* before = nullptr;
    const Node* after = nullptr;
  };
  std::vector<Pair> pairs{};  // leaves, and `if`s for their conditions; in the order of the text
  /// Loops whose bounds are written differently, and what is known where they stand.
  struct Bounds {
    Stmt before{}, after{};
    Formula known{};
  };
  std::vector<Bounds> bounds{};
  std::vector<const Node*> removed{}, added{};   // statements of one program alone
  std::set<Symbol> only_before{}, only_after{};  // storages of one program alone
};

/// How the programs align; nothing where they do not, because statements moved, are missing, or are new for another
/// purpose than to compute values into storage of their own.
std::optional<Alignment> align(const View& before, const View& after);

/// The program's own names for the loop symbols of a node, as an instance.
Instance in_own_names(const View& view, const Node& node);

}  // namespace assay::derive
