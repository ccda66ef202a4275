// The execution that stored a cell is guessed from the indices; that it did, before the read and as the last one, is part of
// the condition. A bad guess makes a right step unprovable, never a wrong one proved.
#include "proofs/validate/definition.hpp"

#include <algorithm>

#include "ir/analysis/iteration.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/order.hpp"

namespace assay::derive {
namespace {

// How many statements the scopes of its expressions hold.
int scope_statements(const Stmt& s) {
  int count = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt&) {
    ++count;
    return true;
  };
  for (const Expr& e : s->indices) visit(e, v);
  if (s->value) visit(s->value, v);
  return count;
}

}  // namespace

Definitions::Definitions(const View& view, const std::set<Symbol>& own) : view_(view) {
  for (const Symbol& storage : own) {
    Definition& d = definitions_[storage];
    const auto& stores = view.stores.all(storage);
    if (stores.size() != 1) continue;
    const std::size_t at = stores.front();
    const Node& n = view.extraction.nodes[at];
    const auto& cell = n.store()->indices;
    if (!n.stmt->value || !std::all_of(cell.begin(), cell.end(), [](const Expr& e) { return e->op == Op::index; }))
      continue;
    d.writer = &n;
    const int last = n.statement + scope_statements(n.stmt);
    for (std::size_t k = at + 1; k < view.extraction.nodes.size() && view.extraction.nodes[k].statement <= last; ++k)
      d.scopes.push_back(&view.extraction.nodes[k]);
  }
}

// The loop symbols of the writer's execution: from the indices, and for loops around both statements those of the read.
std::optional<Instance> Definitions::source_of(const Side& read, const Node& writer) const {
  std::map<Symbol, Index> known;
  std::vector<Equation> equations = guard_equations(writer);
  if (read.e->op == Op::load) {
    for (std::size_t d = 0; d < read.e->args.size(); ++d) {
      if (read.e->args[d]->op != Op::index) return std::nullopt;
      equations.push_back({writer.store()->indices[d]->index, read.at->apply(read.e->args[d]->index)});
    }
  }
  solve_iteration(equations, writer.loops, known);
  const std::vector<Stmt>& around = read.at->node->loops;
  for (std::size_t k = 0; k < std::min(writer.loops.size(), around.size()) && around[k] == writer.loops[k]; ++k)
    known.emplace(around[k]->name, read.at->symbols.at(around[k]->name));
  solve_iteration(equations, writer.loops, known);  // what the loops around both tell may tell further ones
  Instance source{&view_, &writer, {}, {}};
  for (const Stmt& loop : writer.loops) {
    const auto at = known.find(loop->name);
    if (at == known.end()) return std::nullopt;
    source.symbols.emplace(loop->name, at->second);
  }
  return source;
}

// The writer does not run at `source`, not before the read, or not as the last one; or it stores to another cell.
Formula Definitions::not_this(const Side& read, const Instance& source) {
  const Instance other = instantiate(view_, *source.node, "other" + std::to_string(fresh_++));
  std::vector<Formula> elsewhere, overwritten;
  const Access& store = *source.node->store();
  if (store.variable) {
    const Variable& v = view_.extraction.variables.at(store.storage);
    for (int i = 0; i < v.loops; ++i) {
      const auto k = static_cast<std::size_t>(i);
      elsewhere.push_back(Formula::ne(source.symbol(k), read.at->symbols.at(v.around[k]->name)));
      overwritten.push_back(Formula::eq(source.symbol(k), other.symbol(k)));
    }
  } else {
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
      const Index cell = read.at->apply(read.e->args[d]->index);
      elsewhere.push_back(Formula::ne(source.apply(store.indices[d]->index), cell));
      overwritten.push_back(Formula::eq(other.apply(store.indices[d]->index), cell));
    }
  }
  const Copies of = copies_of(view_.program, store);
  overwritten.insert(overwritten.end(),
                     {domain(other), decided_guards(other), ordered_before(source, true, other, true, of),
                      ordered_before(other, true, *read.at, false, of)});
  return Formula::any({!domain(source), Formula::any(std::move(elsewhere)),
                       !ordered_before(source, true, *read.at, false, of), Formula::all(std::move(overwritten))});
}

// The accesses of the expression that read what other statements may store.
std::vector<std::pair<const Node*, const Access*>> Definitions::inputs(const Definition& d) const {
  std::vector<std::pair<const Node*, const Access*>> out;
  std::vector<const Node*> nodes = d.scopes;
  nodes.push_back(d.writer);
  const int last = d.scopes.empty() ? d.writer->statement : d.scopes.back()->statement;
  for (const Node* n : nodes) {
    for (const Access& a : n->accesses) {
      if (a.writes || definitions_.count(a.storage) != 0) continue;
      if (a.variable) {
        // Variables of the expression's own scopes.
        const int declared = view_.extraction.variables.at(a.storage).statement;
        if (declared >= d.writer->statement && declared <= last) continue;
      } else if (!is_writable(view_.program.find_buffer(a.storage)->kind)) {
        continue;
      }
      out.emplace_back(n, &a);
    }
  }
  return out;
}

// The read happens in a copy of the storage that the writer does not reach, or the use in one of what the expression reads.
Formula Definitions::other_copy(const Definition& d, const Instance& source, const Instance& read,
                                const Instance& reader) const {
  std::vector<Formula> out;
  const auto differ = [&](const Access& a, const Instance& at) {
    const Copies of = copies_of(view_.program, a);
    if (of != Copies::device) out.push_back(out_of_reach(source, at, of));
  };
  differ(*d.writer->store(), read);
  for (const auto& [node, access] : inputs(d)) differ(*access, reader);
  return Formula::any(std::move(out));
}

// The two stand in different arms of one execution of an `if`.
static Formula in_other_arm(const Instance& a, const Instance& b) {
  std::vector<Formula> out;
  for (const Guard& g : a.node->guards) {
    for (const Guard& h : b.node->guards) {
      if (g.statement < 0 || g.statement != h.statement || g.positive == h.positive || !(g.condition == h.condition))
        continue;
      std::vector<Formula> one;
      for (int k = 0; k < g.loops; ++k) {
        const auto at = static_cast<std::size_t>(k);
        one.push_back(Formula::eq(a.symbol(at), b.symbol(at)));
      }
      out.push_back(Formula::all(std::move(one)));
    }
  }
  return Formula::any(std::move(out));
}

// Something that the expression reads is stored to between its evaluation and its use.
Formula Definitions::stale(const Definition& d, const Instance& source, const Instance& reader) {
  std::vector<Formula> out;
  for (const auto& [node, access] : inputs(d)) {
    const Access& a = *access;
    Instance x = source;
    x.node = node;
    for (const Stmt& loop : node->loops)
      x.symbols.emplace(loop->name, Index::symbol(loop->name + "'in" + std::to_string(fresh_)));
    ++fresh_;
    const Copies of = copies_of(view_.program, a);
    for (const std::size_t at : view_.stores.all(a.storage)) {
      const Node& w = view_.extraction.nodes[at];
      const std::string tag = "since" + std::to_string(fresh_++);
      const Instance b = instantiate(view_, w, tag);
      const Formula f =
          Formula::all({domain(x), decided_guards(x), access_condition(x, a), domain(b), decided_guards(b),
                        same_cell(x, a, b, *w.store(), tag), ordered_before(x, false, b, true, of),
                        ordered_before(b, true, reader, false, of), !in_other_arm(b, reader)});
      if (f.is_false()) continue;
      if (!is_pure(b, *w.store()) || !is_pure(x, a)) approximate_ = true;
      out.push_back(f);
    }
  }
  return Formula::any(std::move(out));
}

// A condition on data around the writer: the read stands under it too, and under the same evaluation. Nothing when it does
// not stand under it; otherwise when the evaluation may be another one.
std::optional<Formula> Definitions::unshared_guards(const Instance& source, const Instance& at) {
  std::vector<Formula> other;
  for (const Guard& g : source.node->guards) {
    if (affine_condition(g.condition)) continue;
    if (const auto skipped = decided_condition(source, g.condition, !g.positive)) {  // loop symbols decide (PRF-33)
      other.push_back(*skipped);
      continue;
    }
    const auto& mine = at.node->guards;
    const bool shared =
        g.statement >= 0 && std::any_of(mine.begin(), mine.end(), [&](const Guard& h) { return same_outcome(h, g); });
    if (!shared) return std::nullopt;
    for (int i = 0; i < g.loops; ++i) {
      const Symbol& loop = source.node->loops[static_cast<std::size_t>(i)]->name;
      other.push_back(Formula::ne(source.symbols.at(loop), at.symbols.at(loop)));
    }
    approximate_ = true;
  }
  return Formula::any(std::move(other));
}

std::optional<SameValue::Stored> Definitions::expand(const Side& read, const Instance& reader) {
  if (read.e->op != Op::load && read.e->op != Op::variable) return std::nullopt;
  const auto at = definitions_.find(read.e->name);
  if (at == definitions_.end() || !at->second.writer) return std::nullopt;
  const Node& writer = *at->second.writer;
  if (writer.store()->variable != (read.e->op == Op::variable)) return std::nullopt;  // a scope's variable of that name
  const auto source = source_of(read, writer);
  if (!source) return std::nullopt;
  const auto shared = unshared_guards(*source, *read.at);
  if (!shared) return std::nullopt;
  const Formula wrong =
      Formula::any({*shared, not_this(read, *source), other_copy(at->second, *source, *read.at, reader),
                    stale(at->second, *source, reader)});
  return SameValue::Stored{{source->node->stmt->value, std::make_shared<const Instance>(*source)}, wrong};
}

}  // namespace assay::derive
