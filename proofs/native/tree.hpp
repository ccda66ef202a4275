// A question as the prover sees it: a tree of rows joined by all and any, over the variables of a Context.
//
// Negations are pushed to the rows. An existential quantifier becomes fresh variables; under a negation it is eliminated
// exactly (eliminate.cpp). Minima and maxima are lifted to the top of a row, where they are all or any (floordiv is monotone).
#pragma once

#include <optional>
#include <unordered_map>

#include "proofs/native/context.hpp"
#include "proofs/obligation/formula.hpp"

namespace assay::native {

using NodeId = std::int32_t;

struct TreeNode {
  enum class Kind : std::uint8_t { truth, falsity, row, all, any };
  Kind kind = Kind::truth;
  Row row{};
  std::vector<NodeId> parts{};
};

class Tree {
 public:
  explicit Tree(Context& context)
      : context_(context), nodes_{{TreeNode::Kind::truth, {}, {}}, {TreeNode::Kind::falsity, {}, {}}} {}
  Context& context() const { return context_; }
  const TreeNode& node(NodeId n) const { return nodes_[static_cast<std::size_t>(n)]; }

  static constexpr NodeId truth = 0;
  static constexpr NodeId falsity = 1;
  NodeId row(Row r);
  NodeId all(const std::vector<NodeId>& parts) { return join(TreeNode::Kind::all, parts); }
  NodeId any(const std::vector<NodeId>& parts) { return join(TreeNode::Kind::any, parts); }
  NodeId negated(NodeId n);

 private:
  NodeId join(TreeNode::Kind kind, const std::vector<NodeId>& parts);
  NodeId add(TreeNode n);
  Context& context_;
  std::vector<TreeNode> nodes_;
};

/// Builds the tree of a formula. Free symbols keep one variable each; `symbols()` lists them.
class Translator {
 public:
  explicit Translator(Tree& tree) : tree_(tree) {}
  NodeId translate(const Formula& f, bool positive = true);
  const std::unordered_map<Symbol, Var>& symbols() const { return free_; }

 private:
  struct Lattice;
  Var variable(const Symbol& s);
  Lattice lattice(const Index& e);
  NodeId nonneg(const Lattice& e);
  NodeId zero(const Lattice& e);
  NodeId quantified(const Formula& f, bool positive);

  Tree& tree_;
  std::unordered_map<Symbol, Var> free_;
  std::vector<std::pair<Symbol, Var>> bound_;
  std::vector<Var>* eliminating_ =
      nullptr;  // inside a quantifier that will be eliminated: the variables that go with it
};

/// The tree of "some value of `variables` makes `body` true", without these variables; equivalent to it.
NodeId eliminated(Tree& tree, const std::vector<Var>& variables, NodeId body);

}  // namespace assay::native
