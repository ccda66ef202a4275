// `X[c] = v` and next to it `X[c] = f(X[c])` are `X[c] = f(v)`: v reads what it read, since nothing lies between, and the
// value in between is seen by f alone. The old program is written so, and compared with the new one as a rewriting.
#include "proofs/validate/absorption.hpp"

#include <algorithm>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/align.hpp"
#include "proofs/validate/renumber.hpp"
#include "proofs/validate/rewrite.hpp"

namespace assay::derive {
namespace {

bool sets(const Stmt& s) {
  return s->value && (s->kind == StmtKind::store || s->kind == StmtKind::assign || s->kind == StmtKind::declare) &&
         std::all_of(s->indices.begin(), s->indices.end(), [](const Expr& e) { return e->op == Op::index; });
}

// f(v), where the second statement updates what the first one sets.
std::optional<Expr> joined(const Stmt& first, const Stmt& second) {
  const bool variable = first->kind != StmtKind::store;
  if (!sets(first) || !sets(second) || second->kind != (variable ? StmtKind::assign : StmtKind::store) ||
      first->name != second->name || !(first->indices == second->indices))
    return std::nullopt;
  if (!reads(second->value, first->name)) return std::nullopt;
  // Binders inside v would be bound twice.
  bool fits = true;
  Visitor scopes;
  scopes.enter_expr = [&](const Expr& e) {
    fits = fits && e->op != Op::scope;
    return fits;
  };
  visit(first->value, scopes);
  const Expr out = rewrite(second->value, [&](const Expr& e) {
    if (e->name != first->name || (e->op != Op::load && e->op != Op::variable)) return e;
    fits = fits && e->args == first->indices;
    return first->value;
  });
  return fits ? std::optional(out) : std::nullopt;
}

class Absorption {
 public:
  explicit Absorption(const Program& after) {
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (s->provenance) claimed_.insert(s->provenance->statement);
      return true;
    };
    visit(after.body, v);
  }
  bool any = false;

  Block in(const Block& b) {
    Block out;
    for (const Stmt& s : b) {
      Stmt mine = s;
      if (!s->body.empty() || !s->other.empty()) {
        mine = with(s, [&](StmtNode& n) {
          n.body = in(s->body);
          n.other = in(s->other);
        });
      }
      const auto value = out.empty() ? std::nullopt : joined(out.back(), mine);
      const bool gone = value && (!is_claimed(out.back()) || !is_claimed(mine));
      if (!gone) {
        out.push_back(std::move(mine));
        continue;
      }
      any = true;
      const Stmt kept = is_claimed(mine) ? mine : out.back();
      out.back() = with(out.back(), [&](StmtNode& n) {
        n.value = *value;
        n.provenance = kept->provenance;
      });
    }
    return out;
  }

 private:
  bool is_claimed(const Stmt& s) const { return claimed_.count(s->provenance->statement) != 0; }
  std::set<int> claimed_;
};

}  // namespace

std::optional<Validation> validate_absorption(const Program& before, const Program& after, Query& query) {
  Absorption absorption(after);
  Program joined_program = number_statements(before);
  joined_program.body = absorption.in(joined_program.body);
  if (!absorption.any) return std::nullopt;
  const Renumbered r = renumbered(joined_program, after);
  if (!align(View(r.before), View(r.after))) return std::nullopt;
  return in_given_numbers(validate_rewrite(r.before, r.after, query), r.origin);
}

}  // namespace assay::derive
