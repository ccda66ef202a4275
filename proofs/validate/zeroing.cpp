// Rewrites both programs by the definition of `zero` (EXEC-8) and renumbers the claims. Nothing here comes from the
// operation: which cell a store claims is read off the store itself.
#include "proofs/validate/zeroing.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "ir/plain_constant.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/cases.hpp"

namespace assay::derive {
namespace {

// Statements by preorder number.
std::vector<Stmt> statements(const Program& p) {
  std::vector<Stmt> all;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    all.push_back(s);
    return true;
  };
  visit(p.body, v);
  return all;
}

int claimed(const Stmt& s) { return s->provenance ? s->provenance->statement : -1; }

// The coordinate of a cell, as a loop symbol that no program can bind.
Symbol coordinate(const Symbol& buffer, std::size_t dimension) { return buffer + "@" + std::to_string(dimension); }

Stmt nest_of(const Stmt& zero, const Buffer& buffer, const std::shared_ptr<const Provenance>& provenance) {
  std::vector<Expr> cell;
  for (std::size_t d = 0; d < buffer.dims.size(); ++d)
    cell.push_back(make_index(Index::symbol(coordinate(buffer.name, d))));
  Stmt out = with(make_store(buffer.name, std::move(cell), zero_value(buffer.type), zero->where),
                  [&](StmtNode& n) { n.provenance = provenance; });
  for (std::size_t d = buffer.dims.size(); d-- > 0;)
    out = make_loop(coordinate(buffer.name, d), 0, buffer.dims[d], 1, Axis::serial, {std::move(out)}, zero->where);
  return out;
}

// One program with some of its `zero`s spelled out. `number`: the new preorder number of each old statement, that of the
// store for a `zero` that went.
struct Expansion {
  Program program;
  std::vector<int> number, origin;
};

// `provenance(s)`: what the statement claims, in the result. Statements are met in preorder.
Expansion expand(const Program& p, const std::vector<Stmt>& all, const std::vector<bool>& chosen,
                 const std::function<std::shared_ptr<const Provenance>(const Stmt&)>& provenance) {
  Expansion out{p, {}, {}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t loops = chosen[k] ? p.find_buffer(all[k]->name)->dims.size() : 0;
    out.origin.insert(out.origin.end(), loops + 1, static_cast<int>(k));
    out.number.push_back(static_cast<int>(out.origin.size()) - 1);
  }
  // `rewrite` calls back in postorder; a `zero` is a leaf, so the k-th of them is the k-th in preorder too.
  std::vector<bool> zeros;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k]->kind == StmtKind::zero) zeros.push_back(chosen[k]);
  }
  std::size_t next = 0;
  out.program.body = rewrite(p.body, {}, [&](const Stmt& s) {
    const auto origin = provenance(s);
    if (s->kind == StmtKind::zero && zeros[next++]) return Block{nest_of(s, *p.find_buffer(s->name), origin)};
    return Block{with(s, [&](StmtNode& n) { n.provenance = origin; })};
  });
  return out;
}

}  // namespace

std::optional<SpelledOut> spell_out_zeroing(const Program& before, const Program& after) {
  const std::vector<Stmt> sources = statements(before);
  const std::vector<Stmt> results = statements(after);
  const auto is_zero = [&](int k) {
    return k >= 0 && static_cast<std::size_t>(k) < sources.size() &&
           sources[static_cast<std::size_t>(k)]->kind == StmtKind::zero;
  };
  std::vector<bool> spelled(sources.size(), false);
  for (const Stmt& s : results) {
    if (s->kind == StmtKind::store && is_zero(claimed(s))) spelled[static_cast<std::size_t>(claimed(s))] = true;
  }
  if (std::find(spelled.begin(), spelled.end(), true) == spelled.end()) return std::nullopt;
  const auto claims_spelled = [&](const Stmt& s) {
    return is_zero(claimed(s)) && spelled[static_cast<std::size_t>(claimed(s))];
  };
  std::vector<bool> expanded;
  for (const Stmt& s : results) expanded.push_back(s->kind == StmtKind::zero && claims_spelled(s));

  SpelledOut out;
  Expansion first = expand(before, sources, spelled, [](const Stmt& s) { return s->provenance; });
  Expansion second = expand(after, results, expanded, [&](const Stmt& s) -> std::shared_ptr<const Provenance> {
    if (!s->provenance) return nullptr;
    Provenance claim = *s->provenance;
    if (claim.statement < 0 || static_cast<std::size_t>(claim.statement) >= sources.size()) return s->provenance;
    if (claims_spelled(s)) {
      const Buffer& buffer = *before.find_buffer(sources[static_cast<std::size_t>(claim.statement)]->name);
      for (std::size_t d = 0; d < buffer.dims.size(); ++d) {
        const Symbol at = coordinate(buffer.name, d);
        if (s->kind == StmtKind::zero) {
          claim.to_source[at] = Index::symbol(at);
        } else if (d < s->indices.size() && s->indices[d]->op == Op::index) {
          claim.to_source[at] = s->indices[d]->index;
        }  // a dynamic cell claims no execution, and the claim is refused
      }
    }
    claim.statement = first.number[static_cast<std::size_t>(claim.statement)];
    return std::make_shared<const Provenance>(std::move(claim));
  });
  out.before = std::move(first.program);
  out.after = std::move(second.program);
  out.before_origin = std::move(first.origin);
  out.after_origin = std::move(second.origin);
  return out;
}

Validation in_given_numbers(Validation v, const SpelledOut& s) {
  const auto given = [](const std::vector<int>& origin, int k) {
    return k >= 0 && static_cast<std::size_t>(k) < origin.size() ? origin[static_cast<std::size_t>(k)] : -1;
  };
  for (Obligation& o : v.obligations) {
    const auto give = [&](Witness& w) {
      for_each_point(w, [&](Witness::Point& p, bool after) {
        p.statement = given(after ? s.after_origin : s.before_origin, p.statement);
      });
    };
    if (o.witness) give(*o.witness);
    for (Witness& w : o.further) give(w);
  }
  const auto all = [&](const std::vector<int>& origin, const std::set<int>& from) {
    std::set<int> to;
    for (int k : from) to.insert(given(origin, k));
    return to;
  };
  v.reordered_before = all(s.before_origin, v.reordered_before);
  v.reordered_after = all(s.after_origin, v.reordered_after);
  return v;
}

}  // namespace assay::derive
