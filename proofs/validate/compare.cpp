// A recursive comparison with backtracking at choices that may have been folded.
#include "proofs/validate/compare.hpp"

namespace assay::derive {

bool Comparison::differ(std::string what) {
  if (mismatch_.empty()) mismatch_ = std::move(what);
  return false;
}

bool Comparison::same_variable(const Symbol& before, const Symbol& after) {
  const auto it = variables_.find(after);
  if (it != variables_.end())
    return it->second == before || differ("variable `" + after + "` stands for `" + before + "`");
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
      case Op::variable:
      case Op::scope:
        equal = same_variable(before->name, after->name);
        break;  // a scope's statements are nodes of their own
      case Op::load:
        equal = (before->name == after->name || differ("loads of different buffers")) &&
                same_list(before->args, after->args, context);
        break;
      case Op::choice: {
        if (!same(before->args[0], after->args[0], context)) break;
        const auto c = affine_condition(before->args[0]);
        const Formula yes = c ? source_.apply(*c) : Formula::truth();
        const Formula no = c ? !yes : Formula::truth();
        equal =
            same(before->args[1], after->args[1], context & yes) && same(before->args[2], after->args[2], context & no);
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

// `before` has a part whose condition is constant here, and `after` is what remains of it. Several readings may fit (arms can
// be alike); the fold is wrong only where all of them are.
bool Comparison::folded(const Expr& before, const Expr& after, const Formula& context) {
  std::vector<Formula> readings;
  const std::size_t indices = index_violations_.size();
  const std::size_t folds = fold_violations_.size();
  // `after` is `kept`, which is right where `wrong` does not hold.
  const auto read_as = [&](const Formula& wrong, const Expr& kept, const Formula& kept_context) {
    if (same(kept, after, context & kept_context)) {
      std::vector<Formula> violations(index_violations_.begin() + static_cast<std::ptrdiff_t>(indices),
                                      index_violations_.end());
      violations.insert(violations.end(), fold_violations_.begin() + static_cast<std::ptrdiff_t>(folds),
                        fold_violations_.end());
      violations.push_back(context & wrong);
      readings.push_back(Formula::any(std::move(violations)));
    }
    index_violations_.resize(indices, Formula::truth());
    fold_violations_.resize(folds, Formula::truth());
  };
  const bool constant = after->op == Op::literal && after->type == Type::boolean;
  if (constant) {
    if (const auto c = affine_condition(before)) {
      const Formula value = source_.apply(*c);
      readings.push_back(context & (after->literal.bits != 0 ? !value : value));
    }
  }
  if (before->op == Op::choice || before->op == Op::land || before->op == Op::lor) {
    const auto first = affine_condition(before->args[0]);
    const Formula c = first ? source_.apply(*first) : Formula::truth();
    if (before->op == Op::choice) {
      folds_data_ = folds_data_ || !first;
      read_as(first ? !c : Formula::truth(), before->args[1], first ? c : Formula::truth());
      read_as(first ? c : Formula::truth(), before->args[2], first ? !c : Formula::truth());
    } else {
      // a && b is b where a holds, and a where b holds; dually for ||. Where a decides, the whole is a constant.
      const bool conjunction = before->op == Op::land;
      const auto undecided = [&](const Formula& f) { return conjunction ? f : !f; };
      if (first) {
        read_as(!undecided(c), before->args[1], undecided(c));
        if (constant && (after->literal.bits != 0) != conjunction) readings.push_back(context & undecided(c));
      }
      if (const auto second = affine_condition(before->args[1])) {
        read_as(!undecided(source_.apply(*second)), before->args[0], Formula::truth());
      }
    }
  }
  if (readings.empty()) return false;
  Formula violation = Formula::all(std::move(readings));
  if (!violation.is_false()) fold_violations_.push_back(std::move(violation));
  return true;
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
    if (before[i]->positive != after[i]->positive ||
        !same(before[i]->condition, after[i]->condition, Formula::truth())) {
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
