// `simplify`: expressions in a shorter form of the same value, bit for bit (spec/simplify.md).
//
// Three sources of shorter forms, applied from the inside out at every place with what is known there: the exact laws of the
// table, index values whose quotients and remainders are decided, and conditions on integers that are decided by ranges.
// No statement moves or goes; what guard folding makes of decided conditions comes after, as after every step.
#include "ir/analysis/value_range.hpp"
#include "ir/traverse.hpp"
#include "transforms/define.hpp"
#include "transforms/fold.hpp"
#include "transforms/narrow.hpp"
#include "transforms/reduce.hpp"

namespace assay {
namespace {

class Simplifier final : public Folder {
 public:
  Simplifier(const Program& p, Query& query) : Folder(query), program_(p), ranges_(parameter_ranges(p)) {}

 protected:
  // Both arms stay, so that every statement keeps its place.
  Block branch(const Stmt& s, const Known& known) override {
    return {with(s, [&](StmtNode& n) {
      n.value = expression(n.value, known);
      const auto fact = affine_condition(s->value);
      n.body = block(n.body, fact ? known.with(*fact) : known);
      n.other = block(n.other, fact ? known.with(!*fact) : known);
    })};
  }

  Stmt loop(const Stmt& s, const Known& known) override {
    const Ranges outside = ranges_;
    const Stmt narrow = with(s, [&](StmtNode& n) {
      n.lo = index(n.lo, known);
      n.hi = index(n.hi, known);
    });
    add_loop(ranges_, narrow);
    Stmt out = Folder::loop(narrow, known);
    ranges_ = outside;
    return out;
  }

  Expr finished(const Expr& e, const Known& known) override {
    if (e->op == Op::index) return make_index(index(e->index, known), e->where);
    if (e->op == Op::scope && e->body.size() == 1 && e->body[0]->kind == StmtKind::assign &&
        e->body[0]->name == e->name)
      return e->body[0]->value;
    if (e->op == Op::convert && is_int(e->type) && e->args[0]->op == Op::index && e->args[0]->index.is_constant())
      return make_literal(wrap_int(e->type, e->args[0]->index.constant()), e->where);
    if (e->op == Op::select) {
      const Expr test = condition(e->args[0], known);
      if (const auto outcome = decided(test)) return e->args[*outcome ? 1 : 2];
    }
    if (const auto outcome = decided_by_ranges(e)) return make_literal(bool_scalar(*outcome), e->where);
    return reduced(e);
  }

 private:
  Index index(const Index& e, const Known& known) {
    return narrowed(e, ranges_, [&](const Formula& f) { return holds(known, f); });
  }

  std::optional<bool> decided_by_ranges(const Expr& e) const {
    if (!is_comparison(e->op) || !is_int(e->args[0]->type)) return std::nullopt;
    const Interval a = interval(e->args[0], program_, ranges_), b = interval(e->args[1], program_, ranges_);
    if (a.empty() || b.empty()) return std::nullopt;
    const bool below = a.hi<b.lo, above = a.lo> b.hi;
    const bool not_above = a.hi <= b.lo, not_below = a.lo >= b.hi;
    const bool equal = not_above && not_below;
    const auto either = [](bool yes, bool no) { return yes || no ? std::optional(yes) : std::nullopt; };
    switch (e->op) {
      case Op::lt: return either(below, not_below);
      case Op::le: return either(not_above, above);
      case Op::gt: return either(above, not_above);
      case Op::ge: return either(not_below, below);
      case Op::eq: return either(equal, below || above);
      default: return either(below || above, equal);
    }
  }

  const Program& program_;
  Ranges ranges_;
};

class Simplify final : public Operation {
 public:
  explicit Simplify(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "simplify";
    d.rule_prefix = "SIMP";
    d.summary = "writes expressions in shorter forms of the same value, bit for bit";
    d.refusals = {{"SIMP-1", "there is nothing to simplify"}};
    d.schema = "W (rewrite)";
    d.obligations = {"value-preservation", "text", "guard-fold", "index-width"};
    d.example_program =
        "program halves { input A: f32[9] output Y: f32[9]\n"
        "  for i in 0..9 { Y[2 * floordiv(i, 2) + floormod(i, 2)] = -(-A[i]) }\n"
        "}\n";
    d.example_schedule = "simplify\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Simplify>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    Program after = before;
    // Until nothing changes: a condition that is decided can make another expression reducible.
    for (int k = 0; k < 16; ++k) {
      const Block next = Simplifier(before, query).block(after.body, {parameter_domain(before), {}});
      if (equal(next, after.body)) break;
      after.body = next;
    }
    if (equal(after.body, before.body))
      return tl::unexpected(inapplicable(line_, "SIMP-1", "there is nothing to simplify"));
    return placed(line_, std::move(after));
  }

 private:
  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Simplify)
