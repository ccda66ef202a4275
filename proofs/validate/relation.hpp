// How two statements relate in the text, and what makes a statement the same in two programs: cheap tests that tell where a
// step changed nothing.
#pragma once

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// The loops that two nodes share, which comes first below these, and whether they stand in one launch.
struct Relation {
  std::vector<Symbol> shared;
  int order = 0;
  bool one_launch = true;
  bool operator==(const Relation&) const = default;
};
Relation relation(const View& view, const Node& a, const Node& b);

bool same_header(const Stmt& a, const Stmt& b);
/// The same @grid and @workgroup loops in the same order, in the same launches, inside the same loops: then every slot has the extent it had.
bool same_hardware(const Program& a, const Program& b);
/// The same conditions around them, in the same words.
bool same_guards(const Node& a, const Node& b);
/// The loops around the statement and its claimed source are the same ones, and the iteration map is the identity.
bool unmoved(const Node& now, const Node& source, const std::map<Symbol, Index>& to_source);

}  // namespace assay::derive
