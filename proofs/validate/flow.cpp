// Schema F. By induction over the new program's execution, every statement that comes from an old one reads what that one
// read, so computes what it computed, and every copy moves the value that the old cell has at the copy's moment:
//   text          each such statement is its source's text, storages aside                               (PRF-40)
//   inclusion     it executes only where its source does, under the same data-dependent conditions       (PRF-41)
//   flow-equal    each read, and each observed cell at the end, sees the write that it saw               (PRF-42)
//   window-cover  new storage is read only where it was written                                          (PRF-43)
// A copy needs no search through chains of copies: its moment in the old program is checked where it reads, and relied on
// where its result is read.
#include "proofs/validate/flow.hpp"

#include <algorithm>

#include "proofs/validate/flow_sources.hpp"
#include "proofs/validate/flow_text.hpp"
#include "proofs/validate/relation.hpp"

namespace assay::derive {
namespace {

using Status = Obligation::Status;

class FlowValidator {
 public:
  FlowValidator(const Program& before, const Program& after, Query& query)
      : before_(before),
        after_(after),
        query_(query),
        moments_before_(before_),
        moments_after_(after_),
        claim_(derive_roles(before_, after_, moments_before_, moments_after_)) {}

  Validation run() {
    if (const auto difference = interface_difference(before_.program, after_.program, true, true)) {
      refuse_claim(*difference, {});
    } else if (!claim_.refusal.empty()) {
      refuse_claim(claim_.refusal, claim_.refused);
    } else if (compare_texts()) {
      flow();
      for (Obligation& o : lint_after_flow(after_.program, copied_from(), query_))
        out_.obligations.push_back(std::move(o));
      const bool idle = nothing_copied();
      for (Obligation& o : out_.obligations) o.vacuous = idle && o.status == Status::proved;
    }
    return std::move(out_);
  }

 private:
  void refuse_claim(const std::string& why, const Stmt& where) {
    out_.obligations.push_back(
        refused_claim("every statement of the new program is one of the old program, or a copy", why, where));
  }
  void discharge_here(const ObligationText& text, const std::vector<Case>& cases) {
    out_.obligations.push_back(discharge(text, before_.parameters, before_.program, cases, query_));
  }

  bool compare_texts() {
    std::vector<Case> forms, outside;
    for (const Role& r : claim_.roles) {
      if (r.kind != Role::Kind::body && r.kind != Role::Kind::copy) continue;
      const Instance now = instantiate(after_, *r.now, "r");
      const Instance was = r.old_place().at(before_, now);
      const auto add = [&](std::vector<Case>& into, const Formula& f) {
        into.push_back({domain(now) & f, was, {}, nullptr, nullptr, false, {}});
      };
      for (const Role::DataGuard& g : r.guards) {
        const Instance condition = g.before_source.at(before_, now);
        for (const Stmt& loop : g.before_source.node->loops)
          add(outside, Formula::ne(condition.symbols.at(loop->name), was.symbols.at(loop->name)));
      }
      if (r.kind == Role::Kind::copy) continue;
      FlowText text(was, now);
      if (!text.same_statement()) {
        refuse_claim("the text of a statement is not that of its claimed source: " + text.mismatch(), r.now->stmt);
        return false;
      }
      for (const Formula& f : text.index_violations()) add(forms, f);
      if (text.rounds()) {
        out_.licence = Licence::rounds;
        out_.reordered_before.insert(r.source.node->statement);
        out_.reordered_after.insert(r.now->statement);
      }
      if (!unmoved(*r.now, *r.source.node, r.source.symbols) || !same_guards(*r.now, *r.source.node))
        add(outside, !domain(was));
    }
    discharge_here(
        {"text", "every statement that is not new is its source's text under the iteration map", "CLAIM-1", "CLAIM-1"},
        forms);
    discharge_here(
        {"flow-equal", "every execution that is not new is one of the old program, under the same conditions", "DOM-3",
         "DOM-3"},
        outside);
    return true;
  }

  // ---- readers ---------------------------------------------------------------------------------------------------

  // A buffer's cell, or any cell where the index is dynamic.
  std::pair<Spot, Formula> cell_or_any(const Instance& x, const Access& a) const {
    if (const auto cell = cell_of(x, a)) return {*cell, Formula::truth()};
    return any_cell(*x.view->program.find_buffer(a.storage), "cell");
  }

  std::vector<Reader> reads_of(const Role& r) const {
    std::vector<Reader> out;
    const Instance now = instantiate(after_, *r.now, "r");
    if (r.kind == Role::Kind::copy) {
      const Spot cell = *cell_of(now, *r.read);
      const Spot was = r.from_old ? cell : *cell_of(now, *r.now->store());
      out.push_back({now, cell, r.moment.at(before_, now), was, domain(now), nullptr});
    }
    if (r.kind != Role::Kind::body) return out;
    const Instance was = r.source.at(before_, now);
    for (std::size_t k = 0; k < r.now->accesses.size(); ++k) {
      const Access& a = r.source.node->accesses[k];
      const Access& b = r.now->accesses[k];
      if (b.writes || (same_flow(a.storage) && a.storage == b.storage)) continue;
      auto [cell_was, was_inside] = cell_or_any(was, a);
      auto [cell_now, inside] = cell_or_any(now, b);
      out.push_back(
          {now, cell_now, was, cell_was, Formula::all({domain(now), access_condition(now, b), inside}), &a, &b});
    }
    return out;
  }

  // What is left open by a writer under a data-dependent condition: when the condition does not hold, the cell keeps what
  // it held when the condition was evaluated.
  Reader kept(const Sources::Writer& w, const Role::DataGuard& guard) const {
    const Instance at = instantiate(after_, *w.node, "r");
    const Instance now{&after_, guard.before_now, at.symbols, {}};
    auto [cell_now, inside] = cell_or_any(at, *w.access);
    return {now, cell_now, guard.before_source.at(before_, at), old_cell(w, at), domain(at) & inside, nullptr};
  }
  // A store at a dynamic index leaves the cells that it does not hit.
  Reader missed(const Sources::Writer& w) const {
    const Instance at = instantiate(after_, *w.node, "r");
    auto [cell, inside] = cell_or_any(at, *w.access);
    return {at, cell, w.role->source.at(before_, at), cell, domain(at) & inside, nullptr};
  }
  Spot old_cell(const Sources::Writer& w, const Instance& at) const {
    const Role& r = *w.role;
    if (r.kind == Role::Kind::copy) return *cell_of(at, r.from_old ? *r.read : *w.access);
    if (r.kind == Role::Kind::init) return {};
    return cell_or_any(r.source.at(before_, at), *r.source.node->store()).first;
  }

  // Nothing about the storage changed: the same statements use the same cells of it in the same order, and no copy does.
  bool same_flow(const Symbol& storage) const {
    const auto [it, fresh] = same_flow_.emplace(storage, false);
    if (!fresh) return it->second;
    const auto uses = [&](const Node& n) {
      return std::any_of(n.accesses.begin(), n.accesses.end(), [&](const Access& a) { return a.storage == storage; });
    };
    const auto was = before_.extraction.variables.find(storage);
    const auto now = after_.extraction.variables.find(storage);
    if ((was == before_.extraction.variables.end()) != (now == after_.extraction.variables.end())) return false;
    if (was != before_.extraction.variables.end() &&
        !std::equal(was->second.around.begin(), was->second.around.end(), now->second.around.begin(),
                    now->second.around.end(), same_header))
      return false;
    std::vector<const Role*> users;
    for (const Role& r : claim_.roles) {
      const bool used = uses(*r.now) || (r.kind == Role::Kind::body && uses(*r.source.node));
      if (!used) continue;
      if (r.kind != Role::Kind::body || !unmoved(*r.now, *r.source.node, r.source.symbols) ||
          !same_guards(*r.now, *r.source.node))
        return false;
      for (std::size_t k = 0; k < r.now->accesses.size(); ++k) {
        const Access& a = r.source.node->accesses[k];
        const Access& b = r.now->accesses[k];
        if ((a.storage == storage) != (b.storage == storage) || (a.storage == storage && !(a.indices == b.indices)))
          return false;
      }
      users.push_back(&r);
    }
    std::size_t before = 0;
    for (const Node& n : before_.extraction.nodes) before += uses(n) ? 1 : 0;
    if (before != users.size() || !same_hardware(before_.program, after_.program)) return false;
    for (const Role* p : users) {
      for (const Role* q : users) {
        if (p != q && p->source.node == q->source.node) return false;
        if (!(relation(after_, *p->now, *q->now) == relation(before_, *p->source.node, *q->source.node))) return false;
      }
    }
    return same_flow_[storage] = true;
  }

  // ---- obligations -----------------------------------------------------------------------------------------------

  void flow() {
    const Sources sources(before_, after_, claim_);
    for (const Role& r : claim_.roles) {
      for (const Reader& reader : reads_of(r)) follow(sources, reader, flow_);
    }
    for (const Buffer& b : before_.program.buffers) {
      if (!is_observed(b.kind) || same_flow(b.name)) continue;
      auto [cell, inside] = any_cell(b, "cell");
      const Reader last{{&after_, moments_after_.end(), {}, {}},
                        cell,
                        {&before_, moments_before_.end(), {}, {}},
                        cell,
                        inside,
                        nullptr};
      follow(sources, last, last_);
    }
    for (const auto& [storage, cases] : flow_) {
      discharge_here({"flow-equal", "every read of `" + storage + "` sees the write that it saw", "FLOW-1", "FLOW-2"},
                     cases);
    }
    for (const auto& [storage, cases] : last_) {
      discharge_here(
          {"flow-equal", "every cell of `" + storage + "` ends with the write that it ended with", "FLOW-3", "FLOW-2"},
          cases);
    }
    for (const auto& [storage, cases] : window_) {
      discharge_here(
          {"window-cover", "every cell of `" + storage + "` that is read was written before", "FLOW-4", "FLOW-2"},
          cases);
    }
  }

  void follow(const Sources& sources, const Reader& reader, std::map<Symbol, std::vector<Case>>& into) {
    Sources::Found found = sources.trace(reader);
    auto& list = into[reader.cell_was.storage];
    list.insert(list.end(), found.flow.begin(), found.flow.end());
    if (!found.window.empty()) {
      auto& open = window_[reader.cell_now.storage];
      open.insert(open.end(), found.window.begin(), found.window.end());
    }
    for (const auto& [w, when] : found.seen) {
      for (const Role::DataGuard& g : w->role->guards) {
        if (holds_for(reader, g, sources.writer_instance(*w), when) ||
            !kept_.insert({w->node, g.before_now->statement}).second)
          continue;
        if (w->role->kind != Role::Kind::init) follow(sources, kept(*w, g), flow_);
      }
      const bool dynamic = !w->access->whole && !cell_of(sources.writer_instance(*w), *w->access);
      if (dynamic && kept_.insert({w->node, -1}).second) follow(sources, missed(*w), flow_);
    }
  }

  // The reader stands under the same evaluation of the condition, so that the writer did execute.
  bool holds_for(const Reader& reader, const Role::DataGuard& g, const Instance& writer, const Formula& when) {
    const auto& mine = reader.now.node->guards;
    const auto is_shared = [&](const Guard& h) { return same_outcome(h, *g.guard); };
    // A read stands under conditions of its own, in the expression.
    const bool shared = std::any_of(mine.begin(), mine.end(), is_shared) ||
                        (reader.own && std::any_of(reader.own->guards.begin(), reader.own->guards.end(), is_shared));
    if (!shared) return false;
    std::vector<Formula> other;
    for (int i = 0; i < g.guard->loops; ++i) {
      const Symbol& loop = writer.node->loops[static_cast<std::size_t>(i)]->name;
      other.push_back(Formula::ne(writer.symbols.at(loop), reader.now.symbols.at(loop)));
    }
    return query_.solve(before_.parameters & when & Formula::any(std::move(other))).kind == Answer::Kind::empty;
  }

  // Storages of the old program that copies read, and that may be undefined.
  std::set<Symbol> copied_from() const {
    std::set<Symbol> out;
    for (const Role& r : claim_.roles) {
      if (r.kind != Role::Kind::copy || !r.from_old) continue;
      if (!is_defined_on_entry(before_.program.find_buffer(r.read->storage)->kind)) out.insert(r.read->storage);
    }
    return out;
  }

  // There are copies, and none of them ever executes.
  bool nothing_copied() {
    const auto is_copy = [](const Role& r) { return r.kind == Role::Kind::copy; };
    if (std::none_of(claim_.roles.begin(), claim_.roles.end(), is_copy)) return false;
    return std::none_of(claim_.roles.begin(), claim_.roles.end(), [&](const Role& r) {
      return r.kind == Role::Kind::copy &&
             query_.solve(before_.parameters & domain(instantiate(after_, *r.now, "r"))).kind != Answer::Kind::empty;
    });
  }

  View before_, after_;
  Query& query_;
  Moments moments_before_, moments_after_;
  Claim claim_;
  Validation out_;
  std::map<Symbol, std::vector<Case>> flow_, last_, window_;
  std::set<std::pair<const Node*, int>> kept_;  // writers, and which of their conditions, that were looked behind
  mutable std::map<Symbol, bool> same_flow_;
};

}  // namespace

Validation validate_flow(const Program& before, const Program& after, Query& query) {
  return FlowValidator(before, after, query).run();
}

}  // namespace assay::derive
