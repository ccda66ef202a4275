// A recursive comparison with backtracking at choices that may have been folded.
#include "proofs/validate/compare.hpp"

namespace assay::derive {

bool Comparison::differ(std::string what) {
  if (mismatch_.empty()) mismatch_ = std::move(what);
  return false;
}

bool Comparison::same_variable(const Symbol& before, const Symbol& after) {
  const auto it = variables_.find(after);
  if (it != variables_.end()) return it->second == before || differ("variable `" + after + "` stands for `" + before + "`");
  if (!collect_) return differ("variable `" + after + "` has no counterpart");
  variables_.emplace(after, before);
  return true;
}

bool Comparison::same_list(const std::vector<Expr>& before, const std::vector<Expr>& after, const Formula& context) {
  if (before.size() != after.size()) return differ("operand counts differ");
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!same(before[i], after[i], context)) return false;
  }
  return true;
}

bool Comparison::same(const Expr& before, const Expr& after, const Formula& context) {
  if (before->op == after->op && before->type == after->type) {
    const std::size_t indices = index_violations_.size();
    const std::size_t folds = fold_violations_.size();
    bool equal = false;
    switch (before->op) {
      case Op::literal: equal = before->literal == after->literal || differ("literals differ"); break;
      case Op::index: {
        const Index a = source_.apply(before->index);
        const Index b = now_.apply(after->index);
        if (!(a == b)) index_violations_.push_back(context & Formula::ne(a, b));
        return true;
      }
      case Op::variable: equal = same_variable(before->name, after->name); break;
      case Op::scope: equal = same_variable(before->name, after->name); break;  // its statements are nodes of their own
      case Op::load: equal = (before->name == after->name || differ("loads of different buffers")) && same_list(before->args, after->args, context); break;
      case Op::choice: {
        if (!same(before->args[0], after->args[0], context)) break;
        const auto c = affine_condition(before->args[0]);
        const Formula yes = c ? source_.apply(*c) : Formula::truth();
        const Formula no = c ? !yes : Formula::truth();
        equal = same(before->args[1], after->args[1], context & yes) && same(before->args[2], after->args[2], context & no);
        break;
      }
      case Op::land:
      case Op::lor: {
        if (!same(before->args[0], after->args[0], context)) break;
        const auto c = affine_condition(before->args[0]);
        Formula reached = c ? source_.apply(*c) : Formula::truth();
        if (c && before->op == Op::lor) reached = !reached;
        equal = same(before->args[1], after->args[1], context & reached);
        break;
      }
      default: equal = same_list(before->args, after->args, context); break;
    }
    if (equal) return true;
    index_violations_.resize(indices, Formula::truth());
    fold_violations_.resize(folds, Formula::truth());
  } else {
    differ("operations differ");
  }
  return folded(before, after, context);
}

// `before` has a part whose condition is constant here, and `after` is what remains of it.
bool Comparison::folded(const Expr& before, const Expr& after, const Formula& context) {
  const std::size_t indices = index_violations_.size();
  const std::size_t folds = fold_violations_.size();
  const auto attempt = [&](const Formula& violation, const Expr& kept, const Formula& kept_context) {
    fold_violations_.push_back(context & violation);
    if (same(kept, after, context & kept_context)) return true;
    index_violations_.resize(indices, Formula::truth());
    fold_violations_.resize(folds, Formula::truth());
    return false;
  };
  if (after->op == Op::literal && after->type == Type::boolean) {
    if (const auto c = affine_condition(before)) {
      const Formula value = source_.apply(*c);
      fold_violations_.push_back(context & (after->literal.bits != 0 ? !value : value));
      return true;
    }
  }
  if (before->op != Op::choice && before->op != Op::land && before->op != Op::lor) return false;
  const auto first = affine_condition(before->args[0]);
  const auto second = before->op == Op::choice ? std::nullopt : affine_condition(before->args[1]);
  if (first) {
    const Formula c = source_.apply(*first);
    if (before->op == Op::choice) {
      // Both arms may fit, up to the values of their indices: then the one whose indices are the same as they stand was kept.
      const bool then_fits = attempt(!c, before->args[1], c);
      if (then_fits && index_violations_.size() == indices) return true;
      const std::vector<Formula> then_indices = index_violations_, then_folds = fold_violations_;
      index_violations_.resize(indices, Formula::truth());
      fold_violations_.resize(folds, Formula::truth());
      const bool else_fits = attempt(c, before->args[2], !c);
      if (else_fits && (!then_fits || index_violations_.size() == indices)) return true;
      if (!then_fits) return false;
      index_violations_ = then_indices;
      fold_violations_ = then_folds;
      return true;
    }
    // a && b is b where a holds, a || b is b where a does not.
    if (attempt(before->op == Op::land ? !c : c, before->args[1], before->op == Op::land ? c : !c)) return true;
    // … and the constant that a decides otherwise.
    const bool decided = before->op == Op::lor;
    if (after->op == Op::literal && (after->literal.bits != 0) == decided) {
      fold_violations_.push_back(context & (decided ? !c : c));
      return true;
    }
  }
  if (second) {
    const Formula c = source_.apply(*second);
    return attempt(before->op == Op::land ? !c : c, before->args[0], Formula::truth());
  }
  return false;
}

bool Comparison::same_guards() {
  const auto data_guards = [](const Node& n) {
    std::vector<const Guard*> out;
    for (const Guard& g : n.guards) {
      if (!affine_condition(g.condition)) out.push_back(&g);
    }
    return out;
  };
  const auto before = data_guards(*source_.node);
  const auto after = data_guards(*now_.node);
  if (before.size() != after.size()) return differ("it stands under other data-dependent conditions");
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i]->positive != after[i]->positive || !same(before[i]->condition, after[i]->condition, Formula::truth())) {
      return differ("a data-dependent condition around it changed");
    }
  }
  return true;
}

bool Comparison::same_statement() {
  const StmtNode& a = *source_.node->stmt;
  const StmtNode& b = *now_.node->stmt;
  if (a.kind != b.kind || a.type != b.type) return differ("it is another kind of statement");
  const bool variable = a.kind == StmtKind::declare || a.kind == StmtKind::assign;
  if (variable ? !same_variable(a.name, b.name) : a.name != b.name) return differ("it has another target");
  if (!same_list(a.indices, b.indices, Formula::truth())) return false;
  if (static_cast<bool>(a.value) != static_cast<bool>(b.value)) return differ("one of the two has no value");
  if (a.value && !same(a.value, b.value, Formula::truth())) return false;
  return same_guards();
}

}  // namespace assay::derive
