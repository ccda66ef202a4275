// A new statement gets its place in the old program from its nearest sibling that comes from an old statement: a copy from
// old storage happens just before what follows it, a copy to old storage just after what precedes it. A place chosen badly
// makes a right step unprovable, never a wrong one proved.
#include "proofs/validate/flow_claim.hpp"

#include <algorithm>
#include <functional>

#include "ir/plain_constant.hpp"
#include "ir/traverse.hpp"
#include "ir/widening.hpp"
#include "proofs/validate/flow_text.hpp"

namespace assay::derive {
namespace {

// The place of a condition among the truth values that the expressions of its statement compute, those of scopes left out: there
// the statement's text is compared with its source's. Of equal conditions the first one stands for all.
int condition_place(const Expr& condition, const Stmt& holder) {
  int place = 0;
  bool found = false;
  const std::function<void(const Expr&)> walk = [&](const Expr& e) {
    if (found) return;
    if (e->type == Type::boolean) {
      found = e == condition;
      if (!found) ++place;
    }
    if (e->op == Op::scope) return;
    for (const Expr& a : e->args) walk(a);
  };
  for (const Expr& e : holder->indices) walk(e);
  if (holder->value) walk(holder->value);
  return place;
}

bool comes_from_old(const Stmt& s) { return s->provenance && s->provenance->statement >= 0; }

// The first (last) old statement in or at `s`.
Stmt outermost_old(const Stmt& s, bool last) {
  if (comes_from_old(s)) return s;
  Stmt found;
  const auto search = [&](const Block& b) {
    if (last) {
      for (auto it = b.rbegin(); it != b.rend() && !found; ++it) found = outermost_old(*it, last);
    } else {
      for (auto it = b.begin(); it != b.end() && !found; ++it) found = outermost_old(*it, last);
    }
  };
  search(last ? s->other : s->body);
  if (!found) search(last ? s->body : s->other);
  return found;
}

struct Neighbours {
  Stmt next{}, previous{};
};

// The neighbours of every new statement, by preorder number.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Program& p) { block(p.body, nullptr); }
  std::map<int, Neighbours> of;

 private:
  void block(const Block& b, const Neighbours* outer) {
    std::vector<Stmt> first(b.size()), last(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      first[i] = outermost_old(b[i], false);
      last[i] = outermost_old(b[i], true);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      const int number = next_++;
      count_scopes(b[i]);
      if (first[i]) {
        block(b[i]->body, nullptr);
        block(b[i]->other, nullptr);
        continue;
      }
      Neighbours mine;
      for (std::size_t j = i + 1; j < b.size() && !mine.next; ++j) mine.next = first[j];
      for (std::size_t j = i; j-- > 0 && !mine.previous;) mine.previous = last[j];
      if (outer) mine = *outer;
      of[number] = mine;
      block(b[i]->body, &mine);
      block(b[i]->other, &mine);
    }
  }
  void count_scopes(const Stmt& s) {
    Visitor v;
    v.enter_stmt = [&](const Stmt&) {
      ++next_;
      return true;
    };
    for (const Expr& e : s->indices) visit(e, v);
    if (s->value) visit(s->value, v);
  }
  int next_ = 0;
};

class Deriver {
 public:
  Deriver(const View& before, const View& after, Moments& moments_before, Moments& moments_after)
      : before_(before),
        after_(after),
        moments_before_(moments_before),
        moments_after_(moments_after),
        neighbourhood_(after.program) {}

  Claim run() {
    for (const Buffer& b : after_.program.buffers) {
      if (!before_.program.find_buffer(b.name)) out_.new_storage.insert(b.name);
    }
    for (const auto& [name, v] : after_.extraction.variables) {
      if (before_.extraction.variables.count(name) == 0) out_.new_storage.insert(name);
    }
    for (const Node& n : after_.extraction.nodes) {
      Role r;
      r.now = &n;
      const bool fine = comes_from_old(n.stmt) ? body(r) : added(r);
      if (!fine || !data_guards(r)) return std::move(out_);
      out_.roles.push_back(std::move(r));
    }
    return std::move(out_);
  }

 private:
  bool refuse(std::string why, const Stmt& where) {
    out_.refusal = std::move(why);
    out_.refused = where;
    return false;
  }

  // The symbols of the old place as the claim of `s` gives them; `around` are the loops that it may speak of.
  bool place(OldPlace& into, const Node* source, const Provenance& p, const std::vector<Stmt>& around) const {
    if (!source) return false;
    into.node = source;
    for (const Stmt& loop : source->loops) {
      const auto it = p.to_source.find(loop->name);
      if (it == p.to_source.end()) return false;
      std::set<Symbol> used;
      it->second.collect_symbols(used);
      for (const Symbol& s : used) {
        const bool known = after_.program.find_parameter(s) ||
                           std::any_of(around.begin(), around.end(), [&](const Stmt& l) { return l->name == s; });
        if (!known) return false;
      }
      into.symbols.emplace(loop->name, it->second);
    }
    return true;
  }

  bool body(Role& r) {
    const Node& n = *r.now;
    const Node* source = before_.extraction.find(n.stmt->provenance->statement);
    if (n.stmt->kind == StmtKind::barrier) return true;  // it moves nothing
    if (n.stmt->kind == StmtKind::branch && affine_condition(n.stmt->value)) return true;
    if (!source) return refuse("it claims a statement that does not exist", n.stmt);
    r.kind = Role::Kind::body;
    if (!place(r.source, source, *n.stmt->provenance, n.loops))
      return refuse("its iteration map does not give every loop of its source", n.stmt);
    return true;
  }

  bool added(Role& r) {
    const StmtNode& s = *r.now->stmt;
    if (s.kind == StmtKind::barrier || s.kind == StmtKind::launch) return true;  // the new program's order has them
    if (s.kind == StmtKind::branch) {
      if (affine_condition(s.value)) return true;
      return refuse("a new condition reads data", r.now->stmt);
    }
    if (s.kind == StmtKind::declare && !s.value) {
      if (out_.new_storage.count(s.name) != 0) return true;
      return refuse("it declares an old variable and claims no source", r.now->stmt);
    }
    const Access* write = r.now->store();
    if (!write) return refuse("a new statement is no copy", r.now->stmt);
    const bool to_new = out_.new_storage.count(write->storage) != 0;
    if (s.kind == StmtKind::zero || (s.value && is_plain_constant(s.value))) {
      r.kind = Role::Kind::init;
      if (to_new) return true;
      return refuse("a new statement puts a constant into old storage", r.now->stmt);
    }
    return copy(r, *write, to_new);
  }

  bool copy(Role& r, const Access& write, bool to_new) {
    const Stmt& s = r.now->stmt;
    Expr value = s->value;
    const Type target = write.variable ? after_.extraction.variables.at(write.storage).type
                                       : after_.program.find_buffer(write.storage)->type;
    if (value->op == Op::convert) value = value->args[0];
    const bool unchanged =
        value->type == target || (to_new ? widens_exactly(value->type, target) : widens_exactly(target, value->type));
    if (!is_plain_read(value) || !unchanged || r.now->accesses.size() != 2)
      return refuse("a new statement is no copy of one cell", s);
    r.kind = Role::Kind::copy;
    r.read = &r.now->accesses[0];
    const bool from_new = out_.new_storage.count(r.read->storage) != 0;
    r.from_old = !from_new;
    if (from_new == to_new) return refuse("a copy does not lead between old and new storage", s);
    const Access& old_side = from_new ? write : *r.read;
    if (old_side.variable) return refuse("a new statement copies an old variable", s);
    if (from_new && !cell_of(instantiate(after_, *r.now, ""), write))
      return refuse("a copy stores at a dynamic index", s);
    return place_copy(r);
  }

  bool place_copy(Role& r) {
    const auto found = neighbourhood_.of.find(r.now->statement);
    if (found == neighbourhood_.of.end()) return refuse("a copy stands inside an expression", r.now->stmt);
    const Neighbours& near = found->second;
    for (const bool next : {r.from_old, !r.from_old}) {
      const Stmt& anchor = next ? near.next : near.previous;
      if (!anchor) continue;
      const int number = anchor->provenance->statement;
      const Node* moment = next ? moments_before_.before(number) : moments_before_.after(number);
      if (place(r.moment, moment, *anchor->provenance, r.now->loops)) return true;
    }
    return refuse("a copy has no place in the old program", r.now->stmt);
  }

  bool data_guards(Role& r) {
    if (r.kind == Role::Kind::none) return true;
    for (const Guard& g : r.now->guards) {
      if (affine_condition(g.condition)) continue;
      // A condition inside an expression is evaluated with the statement that it stands in.
      const int at = g.statement >= 0 ? g.statement : g.holder;
      const Node* branch = after_.extraction.find(at);
      if (!comes_from_old(branch->stmt)) return refuse("it stands under a new condition that reads data", r.now->stmt);
      Role::DataGuard d;
      d.guard = &g;
      d.before_now = moments_after_.before(at);
      const int source = branch->stmt->provenance->statement;
      if (!place(d.before_source, moments_before_.before(source), *branch->stmt->provenance, branch->loops))
        return refuse("the iteration map of a condition around it is incomplete", r.now->stmt);
      r.guards.push_back(std::move(d));
    }
    return r.kind == Role::Kind::init || same_data_guards(r);
  }

  // A body stands under the conditions that its source stands under, a copy under those around its moment.
  bool same_data_guards(const Role& r) {
    std::vector<const Guard*> old;
    for (const Guard& g : r.old_place().node->guards) {
      if (!affine_condition(g.condition)) old.push_back(&g);
    }
    bool same = old.size() == r.guards.size();
    for (std::size_t k = 0; same && k < old.size(); ++k) {
      const Guard& was = *old[k];
      const Guard& now = *r.guards[k].guard;
      const bool in_expression = was.holder >= 0;
      same = was.positive == now.positive && in_expression == (now.holder >= 0) &&
             (in_expression ? was.holder : was.statement) == r.guards[k].before_source.node->statement &&
             (!in_expression || condition_place(was.condition, before_.extraction.find(was.holder)->stmt) ==
                                    condition_place(now.condition, after_.extraction.find(now.holder)->stmt));
    }
    return same || refuse("it stands under other data-dependent conditions than in the old program", r.now->stmt);
  }

  const View& before_;
  const View& after_;
  Moments& moments_before_;
  Moments& moments_after_;
  Neighbourhood neighbourhood_;
  Claim out_;
};

}  // namespace

Instance OldPlace::at(const View& before, const Instance& now) const {
  Instance x{&before, node, {}, {}};
  for (const auto& [symbol, value] : symbols) x.symbols.emplace(symbol, now.apply(value));
  return x;
}

bool moves_values(const Program& before, const Program& after) {
  const auto missing = [](const Program& from, const Program& in) {
    return std::any_of(from.buffers.begin(), from.buffers.end(),
                       [&](const Buffer& b) { return in.find_buffer(b.name) == nullptr; });
  };
  bool found = missing(after, before) || missing(before, after);
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const bool acts = s->kind == StmtKind::store || s->kind == StmtKind::assign || s->kind == StmtKind::zero ||
                      (s->kind == StmtKind::declare && s->value);
    found |= acts && !comes_from_old(s);
    return true;
  };
  visit(after.body, v);
  return found;
}

Claim derive_roles(const View& before, const View& after, Moments& moments_before, Moments& moments_after) {
  return Deriver(before, after, moments_before, moments_after).run();
}

std::optional<std::string> interface_difference(const Program& a, const Program& b, bool additions, bool removals) {
  const auto internal = [](BufferKind k) {
    return k == BufferKind::temp || k == BufferKind::shared || k == BufferKind::local;
  };
  const auto same_parameter = [](const Parameter& p, const Parameter& q) {
    return p.name == q.name && p.lo == q.lo && p.hi == q.hi;
  };
  if (!std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(), same_parameter))
    return "the parameters differ";
  if (!(a.requirements == b.requirements)) return "the requirements differ";
  for (const Buffer& p : a.buffers) {
    const Buffer* q = b.find_buffer(p.name);
    if (!q && removals && internal(p.kind)) continue;
    if (!q || p.kind != q->kind || p.type != q->type || !(p.dims == q->dims) || p.range != q->range ||
        p.data != q->data)
      return "buffer `" + p.name + "` is not what it was";
  }
  for (const Buffer& q : b.buffers) {
    if (a.find_buffer(q.name)) continue;
    const bool fits = q.kind == BufferKind::temp || q.kind == BufferKind::local || q.kind == BufferKind::shared;
    if (!additions || !fits) return "buffer `" + q.name + "` is new";
  }
  return std::nullopt;
}

}  // namespace assay::derive
