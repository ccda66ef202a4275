// Translation of formulas into trees of rows.
#include "proofs/native/tree.hpp"

#include <algorithm>

namespace assay::native {

namespace {
constexpr std::size_t largest_lattice = 256;  // leaves of one min/max expression
}

NodeId Tree::add(TreeNode n) {
  nodes_.push_back(std::move(n));
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Tree::row(Row r) {
  context_.spend(r.e.terms.size() + 1);
  switch (context_.normalise(r)) {
    case RowState::trivial: return truth;
    case RowState::contradiction: return falsity;
    case RowState::proper: break;
  }
  return add({TreeNode::Kind::row, std::move(r), {}});
}

NodeId Tree::join(TreeNode::Kind kind, const std::vector<NodeId>& parts) {
  const bool every = kind == TreeNode::Kind::all;
  std::vector<NodeId> kept;
  for (const NodeId p : parts) {
    if (p == (every ? falsity : truth)) return p;
    if (p == (every ? truth : falsity)) continue;
    if (node(p).kind == kind) {
      kept.insert(kept.end(), node(p).parts.begin(), node(p).parts.end());
    } else {
      kept.push_back(p);
    }
  }
  context_.spend(kept.size() + 1);
  if (kept.empty()) return every ? truth : falsity;
  if (kept.size() == 1) return kept[0];
  return add({kind, {}, std::move(kept)});
}

NodeId Tree::negated(NodeId n) {
  const TreeNode here = node(n);
  switch (here.kind) {
    case TreeNode::Kind::truth: return falsity;
    case TreeNode::Kind::falsity: return truth;
    case TreeNode::Kind::row: {
      const Row below{plus(context_.scaled(here.row.e, -1), -1), false};
      if (!here.row.equality) return row(below);
      const Row above{plus(here.row.e, -1), false};
      if (context_.planted(Fault::negated_equality_one_side)) return row(above);
      return any({row(above), row(below)});
    }
    case TreeNode::Kind::all:
    case TreeNode::Kind::any: break;
  }
  std::vector<NodeId> parts;
  parts.reserve(here.parts.size());
  for (const NodeId p : here.parts) parts.push_back(negated(p));
  return here.kind == TreeNode::Kind::all ? any(parts) : all(parts);
}

// The minimum or maximum of linear expressions, nested; a leaf is one linear expression.
struct Translator::Lattice {
  enum class Kind : std::uint8_t { leaf, min, max };
  Kind kind = Kind::leaf;
  Linear leaf{};
  std::vector<Lattice> parts{};

  std::size_t leaves() const {
    if (kind == Kind::leaf) return 1;
    std::size_t n = 0;
    for (const Lattice& p : parts) n += p.leaves();
    return n;
  }
  // Applies a monotone function to every leaf; `flip` when it is decreasing.
  template <typename F>
  Lattice mapped(F f, bool flip = false) const {
    if (kind == Kind::leaf) return {Kind::leaf, f(leaf), {}};
    Lattice out{flip ? (kind == Kind::min ? Kind::max : Kind::min) : kind, {}, {}};
    for (const Lattice& p : parts) out.parts.push_back(p.mapped(f, flip));
    return out;
  }
  Lattice times(std::int64_t k, Context& c) const {
    return mapped([&](const Linear& e) { return c.scaled(e, k); }, k < 0);
  }
  Lattice plus(const Lattice& o, Context& c) const {
    if (kind == Kind::leaf && o.kind == Kind::leaf) return {Kind::leaf, c.combine(leaf, 1, o.leaf, 1), {}};
    if (kind == Kind::leaf) return o.plus(*this, c);
    if (leaves() * o.leaves() > largest_lattice) throw Exhausted{"too many minima and maxima in one expression"};
    Lattice out{kind, {}, {}};
    for (const Lattice& p : parts) out.parts.push_back(p.plus(o, c));
    return out;
  }
};

Var Translator::variable(const Symbol& s) {
  for (auto it = bound_.rbegin(); it != bound_.rend(); ++it) {
    if (it->first == s) return it->second;
  }
  const auto [it, fresh] = free_.emplace(s, 0);
  if (fresh) it->second = tree_.context().fresh();
  return it->second;
}

Translator::Lattice Translator::lattice(const Index& e) {
  if (e.overflowed()) throw Overflow{};
  Context& context = tree_.context();
  context.spend(e.terms().size() + 1);
  std::vector<Term> terms;
  terms.reserve(e.terms().size());
  for (const auto& [atom, coefficient] : e.terms()) {
    if (coefficient == INT64_MIN) throw Overflow{};
    if (atom->kind == IndexAtom::Kind::symbol) terms.push_back({variable(atom->symbol), coefficient});
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.var < b.var; });
  Lattice sum{Lattice::Kind::leaf, context.make(terms, e.constant()), {}};
  if (terms.size() == e.terms().size()) return sum;
  for (const auto& [atom, coefficient] : e.terms()) {
    const auto quotient = [&, divisor = atom->divisor](const Linear& l) { return context.quotient(l, divisor); };
    switch (atom->kind) {
      case IndexAtom::Kind::symbol: break;
      case IndexAtom::Kind::floordiv:
        sum = sum.plus(lattice(atom->args[0]).mapped(quotient).times(coefficient, context), context);
        break;
      case IndexAtom::Kind::floormod: {
        const Lattice inner = lattice(atom->args[0]);
        sum = sum.plus(inner.times(coefficient, context), context)
                  .plus(inner.mapped(quotient).times(checked_mul(-atom->divisor, coefficient), context), context);
        break;
      }
      case IndexAtom::Kind::min:
      case IndexAtom::Kind::max: {
        Lattice extreme{atom->kind == IndexAtom::Kind::min ? Lattice::Kind::min : Lattice::Kind::max, {}, {}};
        for (const Index& a : atom->args) extreme.parts.push_back(lattice(a));
        sum = sum.plus(extreme.times(coefficient, context), context);
        break;
      }
    }
  }
  return sum;
}

NodeId Translator::nonneg(const Lattice& e) {
  if (e.kind == Lattice::Kind::leaf) return tree_.row({e.leaf, false});
  std::vector<NodeId> parts;
  for (const Lattice& p : e.parts) parts.push_back(nonneg(p));
  const bool every = (e.kind == Lattice::Kind::min) != tree_.context().planted(Fault::swapped_extremes);
  return every ? tree_.all(parts) : tree_.any(parts);
}

NodeId Translator::zero(const Lattice& e) {
  if (e.kind == Lattice::Kind::leaf) return tree_.row({e.leaf, true});
  return tree_.all({nonneg(e), nonneg(e.times(-1, tree_.context()))});
}

NodeId Translator::quantified(const Formula& f, bool positive) {
  const std::size_t outer = bound_.size();
  std::vector<Var> variables;
  for (const Symbol& s : f.variables()) {
    variables.push_back(tree_.context().fresh());
    bound_.emplace_back(s, variables.back());
  }
  std::vector<Var>* const enclosing = eliminating_;
  if (!positive) {
    eliminating_ = &variables;
  } else if (enclosing) {
    enclosing->insert(enclosing->end(), variables.begin(), variables.end());
  }
  const NodeId body = translate(f.parts()[0], true);
  eliminating_ = enclosing;
  bound_.resize(outer);
  return positive ? body : tree_.negated(eliminated(tree_, variables, body));
}

NodeId Translator::translate(const Formula& f, bool positive) {
  switch (f.kind()) {
    case Formula::Kind::truth: return positive ? Tree::truth : Tree::falsity;
    case Formula::Kind::falsity: return positive ? Tree::falsity : Tree::truth;
    case Formula::Kind::nonneg: {
      const NodeId n = nonneg(lattice(f.expression()));
      return positive ? n : tree_.negated(n);
    }
    case Formula::Kind::zero: {
      const NodeId n = zero(lattice(f.expression()));
      return positive ? n : tree_.negated(n);
    }
    case Formula::Kind::negation: return translate(f.parts()[0], !positive);
    case Formula::Kind::exists: return quantified(f, positive);
    case Formula::Kind::product: throw Exhausted{"not linear"};  // solve_linear has removed them
    case Formula::Kind::conjunction:
    case Formula::Kind::disjunction: break;
  }
  std::vector<NodeId> parts;
  parts.reserve(f.parts().size());
  for (const Formula& p : f.parts()) parts.push_back(translate(p, positive));
  return (f.kind() == Formula::Kind::conjunction) == positive ? tree_.all(parts) : tree_.any(parts);
}

}  // namespace assay::native
