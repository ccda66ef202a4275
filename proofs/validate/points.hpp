// Points of an execution between its statements, and the cells of storage as coordinates: what a flow of values is about.
//
// A moment is the place in the text just before or after a statement, or the end of the program. It is a Node without
// accesses, so that instances, domains and the order of execution apply to it as to any other; nothing happens there.
#pragma once

#include <deque>
#include <map>

#include "proofs/validate/instance.hpp"

namespace assay::derive {

class Moments {
 public:
  explicit Moments(const View& view);
  /// Just before (after) statement number `statement` of the program; null for a loop that holds nothing.
  const Node* before(int statement) { return at(statement, false); }
  const Node* after(int statement) { return at(statement, true); }
  const Node* end();
  /// The number of a loop; −1 when the program has no such loop.
  int loop_number(const Symbol& loop) const;

 private:
  const Node* at(int statement, bool after);
  const View& view_;
  std::map<int, Stmt> loops_;  // by number
  std::map<std::pair<int, bool>, const Node*> made_;
  std::deque<Node> nodes_;
};

/// One cell of a buffer (its indices), or one instance of a variable (the loops around its declaration).
struct Spot {
  Symbol storage{};
  bool variable = false;
  std::vector<Index> at{};
};
/// The cell that an access of an instance touches; nothing for `zero` and for dynamic indices.
std::optional<Spot> cell_of(const Instance& x, const Access& a);
/// The same coordinates (whatever the storages).
Formula same_place(const Spot& a, const Spot& b);
/// Fresh symbols `PREFIX'0`, … for any cell of the buffer, and that they are inside it.
std::pair<Spot, Formula> any_cell(const Buffer& b, const std::string& prefix);

/// `exists variables: f`, with variables that an equation of the conjunction fixes substituted away: far cheaper than
/// projecting them out.
Formula exists_solved(std::vector<Symbol> variables, Formula f);

}  // namespace assay::derive
