// Last writers without engines: "w is the last writer before r" says that w writes the cell, comes before r, and that no
// other writer of the cell comes between. Each kind of last writer has its own condition on the old program.
#include "proofs/validate/flow_sources.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "proofs/validate/order.hpp"

namespace assay::derive {
namespace {

bool dynamic(const Access& a) {
  return std::any_of(a.indices.begin(), a.indices.end(), [](const Expr& e) { return e->op != Op::index; });
}

bool has_lanes(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && s->axis == Axis::vectorized;
    return true;
  };
  visit(p.body, v);
  return found;
}

void collect_writers(const View& view, std::map<Symbol, std::vector<Sources::Writer>>& into,
                     std::set<Symbol>& inexact) {
  for (const Node& n : view.extraction.nodes) {
    const Access* a = n.store();
    if (!a) continue;
    into[a->storage].push_back({&n, a, nullptr});
    if (has_data_guard(n) || dynamic(*a)) inexact.insert(a->storage);
  }
}

}  // namespace

Sources::Sources(const View& before, const View& after, const Claim& claim)
    : before_(before), after_(after), claim_(claim) {
  partial_order_ = before.slots > 0 || after.slots > 0 || has_lanes(before.program) || has_lanes(after.program);
  collect_writers(before, was_, inexact_was_);
  collect_writers(after, now_, inexact_now_);
  for (auto& [storage, writers] : now_) {
    for (Writer& w : writers) {
      for (const Role& r : claim.roles) {
        if (r.now == w.node) w.role = &r;
      }
    }
  }
}

const std::vector<Sources::Writer>& Sources::writers_now(const Symbol& storage) const {
  static const std::vector<Writer> none;
  const auto it = now_.find(storage);
  return it == now_.end() ? none : it->second;
}

Formula Sources::hits(const Instance& x, const Access& a, const Spot& cell) const {
  const auto own = cell_of(x, a);
  return own ? same_place(*own, cell) : Formula::truth();
}

Formula Sources::not_before(const Instance& writer, const Instance& point, Copies of) const {
  return partial_order_ ? !ordered_before(writer, true, point, false, of)
                        : ordered_before(point, false, writer, true, of);
}

Formula Sources::last_before(const Instance& w, const Access& a, const Reader& r) const {
  const Copies of = copies_of(after_.program, r.cell_now.storage, r.cell_now.variable);
  std::vector<Formula> between;
  for (const Writer& other : now_.at(r.cell_now.storage)) {
    const Instance b = instantiate(after_, *other.node, "b");
    between.push_back(exists_solved(b.fresh, domain(b) & hits(b, *other.access, r.cell_now) &
                                                 ordered_before(w, true, b, true, of) &
                                                 ordered_before(b, true, r.now, false, of)));
  }
  return Formula::all({r.when, domain(w), hits(w, a, r.cell_now), ordered_before(w, true, r.now, false, of),
                       !Formula::any(std::move(between))});
}

bool Sources::inexact(const Reader& r) const {
  return inexact_now_.count(r.cell_now.storage) != 0 || inexact_was_.count(r.cell_was.storage) != 0 ||
         has_data_guard(*r.now.node) || (r.access && (has_data_guard(*r.access) || dynamic(*r.access)));
}

Case Sources::make(const Formula& f, const Reader& r, std::optional<Instance> writer, const Access* access) const {
  const bool at_end = !r.was.node->stmt;
  std::optional<Instance> reader;
  if (!at_end) reader = r.was;
  if (!writer) return {f, reader, {}, r.access, nullptr, inexact(r), {}};
  return {f, std::move(writer), reader, access, r.access, inexact(r), {}};
}

Sources::Found Sources::trace(const Reader& r) const {
  Found out;
  for (const Writer& w : writers_now(r.cell_now.storage)) {
    const Instance wi = writer_instance(w);
    const Formula last = last_before(wi, *w.access, r);
    if (last.is_false()) continue;
    out.seen.emplace_back(&w, last);
    out_of_thread(after_, wi, r.cell_now, r.now, last, r, out);
    switch (w.role->kind) {
      case Role::Kind::body: from_body(w, wi, last, r, out); break;
      case Role::Kind::copy: from_copy(w, wi, last, r, out); break;
      default: out.flow.push_back(make(last, r)); break;  // a constant that the old program does not have there
    }
  }
  from_entry(r, out);
  return out;
}

// Private storage and variables do not outlive a launch, and a statement outside of a grid loop runs in every group, on the
// group's own copy of private storage: only one of them meets what was written inside the loop. Nothing is claimed about
// a value that would have to pass from one copy to another.
void Sources::out_of_thread(const View& view, const Instance& writer, const Spot& cell, const Instance& reader,
                            const Formula& when, const Reader& r, Found& into) const {
  const Copies of = copies_of(view.program, cell.storage, cell.variable);
  if (of == Copies::device || (cell.variable && same_launch(writer, reader))) return;
  const Formula away = cell.variable ? Formula::truth() : out_of_reach(writer, reader, of);
  if (away.is_false()) return;
  Case c = make(when & away, r);
  c.approximate = true;
  into.flow.push_back(std::move(c));
}

// The value of the old execution that the last writer claims: it must be what the old reader sees.
void Sources::from_body(const Writer& w, const Instance& wi, const Formula& last, const Reader& r, Found& into) const {
  const Instance x = w.role->source.at(before_, wi);
  const Access* store = w.role->source.node->store();
  if (!store || store->storage != r.cell_was.storage) {
    into.flow.push_back(make(last, r));
    return;
  }
  const auto cell = cell_of(x, *store);
  Formula elsewhere = Formula::falsity();
  if (cell) {
    elsewhere = !same_place(*cell, r.cell_was);
  } else if (!store->whole) {
    elsewhere = !same_place(r.cell_now, r.cell_was);  // a dynamic index: the cells it may hit keep their identity
  }
  const Copies of = copies_of(before_.program, r.cell_was.storage, r.cell_was.variable);
  into.flow.push_back(make(last & (elsewhere | !ordered_before(x, true, r.was, false, of)), r, x, store));
  out_of_thread(before_, x, r.cell_was, r.was, last, r, into);
  for (const Writer& o : was_.at(r.cell_was.storage)) {
    const Instance p = instantiate(before_, *o.node, "p");
    into.flow.push_back(
        make(Formula::all({last, domain(p), hits(p, *o.access, r.cell_was), ordered_before(x, true, p, true, of),
                           ordered_before(p, true, r.was, false, of)}),
             r, p, o.access));
  }
}

// The value of the old cell at the copy's moment: no old writer may tell that moment from the old reader.
void Sources::from_copy(const Writer& w, const Instance& wi, const Formula& last, const Reader& r, Found& into) const {
  const Instance moment = w.role->moment.at(before_, wi);
  const Spot cell = *cell_of(wi, w.role->from_old ? *w.role->read : *w.access);
  if (cell.storage != r.cell_was.storage) {
    into.flow.push_back(make(last, r));
    return;
  }
  into.flow.push_back(make(last & !same_place(cell, r.cell_was), r));
  const auto writers = was_.find(cell.storage);
  if (writers == was_.end()) return;
  const Copies of = copies_of(before_.program, cell.storage, cell.variable);
  for (const Writer& o : writers->second) {
    const Instance p = instantiate(before_, *o.node, "p");
    const Formula told_apart = (ordered_before(p, true, r.was, false, of) & not_before(p, moment, of)) |
                               (ordered_before(p, true, moment, false, of) & not_before(p, r.was, of));
    const Formula meets = Formula::all({last, domain(p), hits(p, *o.access, r.cell_was)});
    into.flow.push_back(make(meets & told_apart, r, p, o.access));
    out_of_thread(before_, p, r.cell_was, r.was, meets, r, into);
    out_of_thread(before_, p, r.cell_was, moment, meets, r, into);
  }
}

// No writer before: what was there at the beginning.
void Sources::from_entry(const Reader& r, Found& into) const {
  const Copies of = copies_of(after_.program, r.cell_now.storage, r.cell_now.variable);
  std::vector<Formula> written;
  for (const Writer& w : writers_now(r.cell_now.storage)) {
    const Instance b = instantiate(after_, *w.node, "b");
    written.push_back(
        exists_solved(b.fresh, domain(b) & hits(b, *w.access, r.cell_now) & ordered_before(b, true, r.now, false, of)));
  }
  const Formula none = r.when & !Formula::any(std::move(written));
  if (none.is_false()) return;
  if (claim_.new_storage.count(r.cell_now.storage) != 0) {
    into.window.push_back(make(none, r));
    return;
  }
  if (r.cell_now.storage != r.cell_was.storage) {
    into.flow.push_back(make(none, r));
    return;
  }
  // Variables are undefined at the beginning, whichever instance it is.
  if (!r.cell_now.variable) into.flow.push_back(make(none & !same_place(r.cell_now, r.cell_was), r));
  const auto writers = was_.find(r.cell_was.storage);
  if (writers == was_.end()) return;
  const Copies were = copies_of(before_.program, r.cell_was.storage, r.cell_was.variable);
  for (const Writer& o : writers->second) {
    const Instance p = instantiate(before_, *o.node, "p");
    into.flow.push_back(make(
        Formula::all({none, domain(p), hits(p, *o.access, r.cell_was), ordered_before(p, true, r.was, false, were)}), r,
        p, o.access));
  }
}

}  // namespace assay::derive
