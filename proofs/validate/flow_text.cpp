// A recursive comparison that stops at plain reads.
#include "proofs/validate/flow_text.hpp"

#include <algorithm>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"
#include "ir/widening.hpp"
#include "proofs/obligation/operators.hpp"

namespace assay::derive {

bool is_plain_read(const Expr& e) {
  return e->op == Op::variable || (e->op == Op::load && std::all_of(e->args.begin(), e->args.end(),
                                                                    [](const Expr& i) { return i->op == Op::index; }));
}

bool FlowText::differ(std::string what) {
  if (mismatch_.empty()) mismatch_ = std::move(what);
  return false;
}

bool FlowText::same_list(const std::vector<Expr>& before, const std::vector<Expr>& after) {
  if (before.size() != after.size()) return differ("operand counts differ");
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!same(before[i], after[i])) return false;
  }
  return true;
}

bool FlowText::same(const Expr& before, const Expr& after) {
  if (before->type != after->type) return differ("types differ");
  if (is_plain_read(before)) {
    const bool narrowed =
        after->op == Op::convert && is_plain_read(after->args[0]) && widens_exactly(before->type, after->args[0]->type);
    return is_plain_read(after) || narrowed || differ("a read became another expression");
  }
  // PRF-102: the wider storage holds what the conversion gives.
  if (before->op == Op::convert && is_plain_read(before->args[0]) && is_plain_read(after))
    return widens_exactly(before->args[0]->type, after->type) || differ("a conversion that may round is left out");
  if (before->op != after->op) return differ("operations differ");
  switch (before->op) {
    case Op::literal: return before->literal == after->literal || differ("literals differ");
    case Op::index: {
      const Index a = source_.apply(before->index);
      const Index b = now_.apply(after->index);
      if (!(a == b)) index_violations_.push_back(Formula::ne(a, b));
      return true;
    }
    case Op::load:  // at a dynamic index: it reads "all of the buffer", and must say the same about which element
      if (before->name != after->name) return differ("loads at dynamic indices of different buffers");
      return same_list(before->args, after->args);
    case Op::scope: return true;  // its variable is a plain read, its statements are nodes of their own
    default: return same_list(before->args, after->args);
  }
}

bool FlowText::same_target() {
  const StmtNode& a = *source_.node->stmt;
  const StmtNode& b = *now_.node->stmt;
  const auto type = [](const Instance& x) {
    const StmtNode& s = *x.node->stmt;
    return s.kind == StmtKind::store ? x.view->program.find_buffer(s.name)->type
                                     : x.view->extraction.variables.at(s.name).type;
  };
  const auto dynamic = [](const StmtNode& s) {
    return std::any_of(s.indices.begin(), s.indices.end(), [](const Expr& e) { return e->op != Op::index; });
  };
  if (dynamic(a) || dynamic(b)) {
    if (a.name != b.name || !same_list(a.indices, b.indices)) return differ("stores at different dynamic indices");
  }
  const Type was = type(source_);
  const Type is = type(now_);
  if (was == is) return same(a.value, b.value);
  if (widens_exactly(was, is) && is_float(was) && b.value->op != Op::convert) {
    const auto op = accumulation(source_.node->stmt);
    rounds_ = op && !reorders_exactly(*op, was);
    return op ? widened(a.value, b.value, is) : differ("a wider type computes what is no accumulation");
  }
  if (!widens_exactly(was, is) || b.value->op != Op::convert || b.value->type != is)
    return differ("the target has another type, and not every value of the old one");
  return same(a.value, b.value->args[0]);
}

// Between the root and the target the operations are the wider type's, and what they join is converted.
bool FlowText::widened(const Expr& before, const Expr& after, Type wide) {
  const StmtNode& s = *source_.node->stmt;
  if (after->type != wide) return differ("types differ");
  if (is_plain_read(before)) return is_plain_read(after) || differ("a read became another expression");
  if (before->op != after->op || before->args.size() != after->args.size()) return differ("operations differ");
  for (std::size_t i = 0; i < before->args.size(); ++i) {
    const Expr& a = before->args[i];
    const Expr& b = after->args[i];
    if (reads(a, s.name) ? !widened(a, b, wide) : !widened_term(a, b, wide))
      return differ("a term of the wider accumulation is not the converted one");
  }
  return true;
}

bool FlowText::widened_term(const Expr& before, const Expr& after, Type wide) {
  if (after->type != wide) return false;
  if (after->op == Op::convert) return same(before, after->args[0]);
  // A product of the wider type, of converted factors: what EXEC-30 marks among the terms.
  if (before->op != Op::mul || after->op != Op::mul || bit_width(before->type) > 16) return false;
  rounds_ = true;
  return widened_term(before->args[0], after->args[0], wide) && widened_term(before->args[1], after->args[1], wide);
}

bool FlowText::same_statement() {
  const StmtNode& a = *source_.node->stmt;
  const StmtNode& b = *now_.node->stmt;
  const auto computes = [](const StmtNode& s) {
    return s.kind == StmtKind::store || s.kind == StmtKind::assign || (s.kind == StmtKind::declare && s.value);
  };
  bool equal = false;
  if (computes(a) && computes(b)) {
    equal = same_target();
  } else if (a.kind != b.kind || computes(a) != computes(b)) {
    return differ("it is another kind of statement");
  } else if (a.kind == StmtKind::branch) {
    equal = same(a.value, b.value);
  } else if (a.kind == StmtKind::declare) {
    equal = a.type == b.type || differ("it declares another type");
  } else {
    equal = a.name == b.name || differ("it has another target");  // zero, barrier, launch
  }
  if (!equal) return false;
  // Reads and the store, in order of evaluation.
  const auto& x = source_.node->accesses;
  const auto& y = now_.node->accesses;
  const bool paired = std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Access& p, const Access& q) {
    return p.writes == q.writes && p.whole == q.whole;
  });
  return paired || differ("its accesses do not correspond");
}

}  // namespace assay::derive
