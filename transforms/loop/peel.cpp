// `peel`: where a cell or a variable is set and updated right after, the update takes the place of the start (spec/peel.md).
//
//   Y[i] = 0.0   Y[i] = Y[i] + A[i, 0]   for k in 1..n { Y[i] = Y[i] + A[i, k] }      becomes
//   Y[i] = 0.0 + A[i, 0]                 for k in 1..n { Y[i] = Y[i] + A[i, k] }
//
// The start stays as an operand: whether it may be dropped is a law of the type (`simplify`), and 0.0 + x is not x.
#include <algorithm>

#include "transforms/define.hpp"

namespace assay {
namespace {

class Peel final : public Operation {
 public:
  explicit Peel(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "peel";
    d.rule_prefix = "PEEL";
    d.summary = "lets the first update of an accumulation take the place of its start";
    d.refusals = {{"PEEL-1", "no statement updates what the one before it sets"}};
    d.schema = "W (rewrite)";
    d.obligations = {"value-preservation", "index-width"};
    d.example_program =
        "program rows { input A: f32[4, 9] output Y: f32[4]\n"
        "  for i in 0..4 {\n"
        "    Y[i] = 0.0  Y[i] += A[i, 0]  for k in 1..9 { Y[i] += A[i, k] }\n"
        "  }\n"
        "}\n";
    d.example_schedule = "peel\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Peel>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    bool any = false;
    Program after = before;
    after.body = block(before.body, any);
    if (!any)
      return tl::unexpected(
          inapplicable(line_, "PEEL-1", "no statement updates the cell or variable that the one before it sets"));
    return placed(line_, std::move(after));
  }

 private:
  static bool is_plain(const Expr& e) {
    bool plain = true;
    Visitor v;
    v.enter_expr = [&](const Expr& x) {
      plain = plain && x->op != Op::scope;
      return plain;
    };
    visit(e, v);
    return plain;
  }

  // The value of `update` with that of `start` for every read of the cell, or nothing where it is another cell somewhere.
  static std::optional<Expr> joined(const Stmt& start, const Stmt& update) {
    const bool cell = start->kind == StmtKind::store && update->kind == StmtKind::store;
    const bool variable = (start->kind == StmtKind::declare || start->kind == StmtKind::assign) && start->value &&
                          update->kind == StmtKind::assign;
    if ((!cell && !variable) || start->name != update->name || !(start->indices == update->indices))
      return std::nullopt;
    for (const Expr& e : start->indices) {
      if (e->op != Op::index) return std::nullopt;
    }
    if (!is_plain(start->value)) return std::nullopt;
    bool reads_it = false, other = false;
    const Expr value = rewrite(update->value, [&](const Expr& e) {
      if ((e->op != Op::load && e->op != Op::variable) || e->name != start->name) return e;
      reads_it = true;
      other = other || !(e->args == start->indices);
      return start->value;
    });
    return reads_it && !other ? std::optional(value) : std::nullopt;
  }

  static Block block(const Block& b, bool& any) {
    Block out;
    for (const Stmt& s : b) {
      Stmt mine = s;
      if (s->kind == StmtKind::loop || s->kind == StmtKind::branch) {
        mine = with(s, [&](StmtNode& n) {
          n.body = block(s->body, any);
          n.other = block(s->other, any);
        });
      }
      const auto value = out.empty() ? std::nullopt : joined(out.back(), mine);
      if (!value) {
        out.push_back(std::move(mine));
        continue;
      }
      any = true;
      // A declaration stays one; otherwise the update does.
      const Stmt& kept = out.back()->kind == StmtKind::declare ? out.back() : mine;
      out.back() = with(kept, [&](StmtNode& n) { n.value = *value; });
    }
    return out;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Peel)
