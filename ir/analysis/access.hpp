// The one access extraction: which accesses happen where, in which order, under which conditions.
//
// A program is flattened into *nodes*: one per leaf statement (declare, assign, store, zero, barrier, launch) and one per
// `if` (the evaluation of its condition), those inside scopes included. A node executes once for every point of its loops
// at which its guards hold; an execution is an *instance*. Within an instance all loads come before the store.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/program.hpp"

namespace assay {

/// A condition that must have come out `positive` for the guarded thing to happen. Conjunctions are split.
struct Guard {
  Expr condition{};
  bool positive = true;
  int statement = -1;  // number of the `if` it belongs to; -1 for a condition inside an expression
  int loops = 0;       // how many of the node's loops enclose the condition's evaluation
  int holder = -1;     // of a condition inside an expression: number of the statement that it stands in
};
/// At one iteration of the loops around them, the conditions are one condition with one outcome. (What the expression of a statement
/// reads does not change while that is evaluated, so that equal conditions in it are one.) An `if` alone does not tell: its
/// arms stand under different parts of it.
bool same_outcome(const Guard& a, const Guard& b);

struct Access {
  Symbol storage{};  // a buffer, or a variable when `variable`
  bool variable = false;
  bool writes = false;
  bool whole = false;  // `zero`: every cell of the buffer
  std::vector<Expr>
      indices{};  // cell (buffers; empty when `whole`); of type index (Op::index: affine) or storage integers
  std::vector<Guard> guards{};  // beyond the node's: arms of ?:, second operands of && and ||
  Location where{};
};

/// One step of a node's place in the text: a position among siblings, or the crossing of a loop.
struct PathStep {
  bool loop = false;
  int value = 0;  // position, or index into Node::loops
  bool operator==(const PathStep&) const = default;
};

/// An integer division of an expression: a fault when the divisor is zero.
struct Division {
  Expr divisor{};
  std::vector<Guard> guards{};  // beyond the node's
  Location where{};
};

struct Node {
  int statement = -1;  // preorder number in this program
  Stmt stmt{};
  std::vector<Stmt> loops{};  // around it, outermost first; for a node in a scope also those around the scope
  std::vector<PathStep> path{};
  std::vector<Guard> guards{};
  std::vector<Access> accesses{};
  std::vector<Division> divisions{};
  const Access* store() const;  // the access that writes, if any
};

/// Where a variable lives: one instance per execution of its declaration.
struct Variable {
  Type type = Type::f32;
  int loops = 0;       // how many loops enclose the declaration (a prefix of every user's loops)
  int statement = -1;  // the `var` statement, or the statement whose expression holds the scope
  bool scope = false;
  std::vector<Stmt> around{};  // those loops
};

struct Extraction {
  std::vector<Node> nodes{};  // preorder
  std::map<Symbol, Variable> variables{};
  const Node* find(int statement) const;
};

/// Extracts. Statement numbers are preorder positions in `p` (as number_statements would give), whatever provenance says.
Extraction extract(const Program& p);

/// An accumulation `X = X ⊕ e ⊕ …` with all e free of X: the operator class (add also for `-` and fma), or nothing.
/// Class is Op::add, Op::mul, Op::max, Op::min, Op::maxnum or Op::minnum.
std::optional<Op> accumulation(const Stmt& s);

}  // namespace assay
