// Classification by text; a step that fits no part of the schema is refused with the reason.
#include "proofs/validate/accumulation_claim.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::derive {
namespace {

// Cells that differ in the coordinate `axis` alone, by constants, become parts of neighbouring ones. A cell that is there
// twice stays there twice.
std::vector<Part> merged_along(std::vector<Part> parts, int axis) {
  const auto d = static_cast<std::size_t>(axis);
  const auto rest = [d](const Part& p) {
    std::vector<Index> out = p.cell;
    out[d] = Index(0);
    return std::make_pair(p.storage, out);
  };
  const auto mergeable = [d](const Part& p) { return p.axis < 0 && d < p.cell.size() && p.cell[d].is_constant(); };
  std::map<std::pair<Symbol, std::vector<Index>>, std::vector<std::int64_t>> groups;
  std::vector<Part> out;
  for (Part& p : parts) {
    if (mergeable(p)) {
      groups[rest(p)].push_back(p.cell[d].constant());
    } else {
      out.push_back(std::move(p));
    }
  }
  for (auto& [key, values] : groups) {
    std::sort(values.begin(), values.end());
    std::vector<Part> runs;
    for (const std::int64_t v : values) {
      const auto run = std::find_if(runs.begin(), runs.end(), [&](const Part& p) { return p.hi + 1 == v; });
      if (run != runs.end()) {
        run->hi = v;
      } else {
        runs.push_back({key.first, key.second, axis, v, v});
      }
    }
    for (Part& p : runs) {
      if (p.lo == p.hi) {
        p.cell[d] = Index(p.lo);
        p.axis = -1;
      }
      out.push_back(std::move(p));
    }
  }
  return out;
}

class Classifier {
 public:
  Classifier(const View& before, const View& after) : before_(before), after_(after) {}

  AccumulationClaim run() {
    for (const Node& n : after_.extraction.nodes) {
      if (!classify(n)) {
        out_.refused = n.stmt;
        return std::move(out_);
      }
    }
    complete();
    return std::move(out_);
  }

 private:
  bool refuse(std::string why) {
    out_.refusal = std::move(why);
    return false;
  }
  bool is_new_buffer(const Symbol& s) const { return after_.program.find_buffer(s) && !before_.program.find_buffer(s); }

  bool classify(const Node& n) {
    if (!is_added(n.stmt)) return old_statement(n);
    if (n.stmt->kind == StmtKind::branch)
      return affine_condition(n.stmt->value) ? true : refuse("a new condition reads data");
    if (has_data_guard(n)) return refuse("a new statement stands under a condition that reads data");
    if (n.stmt->kind == StmtKind::declare) return declared_sum(n);
    if (n.stmt->kind == StmtKind::store && is_new_buffer(n.stmt->name)) return start(n);
    if (n.stmt->kind == StmtKind::store || n.stmt->kind == StmtKind::assign) return combination(n);
    return refuse("a new statement is no part of an accumulation");
  }

  // It either leaves partial storage alone, or it is a contribution: `P[p] = P[p] ⊕ e` for the source's `X[c] = X[c] ⊕ e`.
  bool old_statement(const Node& n) {
    const bool touches =
        std::any_of(n.accesses.begin(), n.accesses.end(), [&](const Access& a) { return is_new_buffer(a.storage); });
    if (!touches) return true;
    const Node* source = before_.extraction.find(n.stmt->provenance->statement);
    if (!source || n.stmt->kind != StmtKind::store || !is_new_buffer(n.stmt->name))
      return refuse("an old statement uses partial results otherwise than by adding to them");
    const auto op = accumulation(n.stmt);
    if (!op || op != accumulation(source->stmt))
      return refuse("a contribution is no accumulation of its source's operator");
    Accumulation* const into = accumulation_of(source->stmt, *op);
    if (!into) return false;
    for (const Access& a : n.accesses) {
      if (is_new_buffer(a.storage) && a.storage != n.stmt->name)
        return refuse("a contribution uses other partial results");
    }
    for (const Stmt& loop : source->loops) {
      if (n.stmt->provenance->to_source.count(loop->name) == 0) return refuse("an iteration map is incomplete");
    }
    if (into->variable && !encloses(n, into->target))
      return refuse("a contribution stands outside of its target's scope");
    into->partial.insert(n.stmt->name);
    into->contributions.push_back({&n, source});
    return true;
  }

  // The loops around the target's declaration stand around the statement.
  bool encloses(const Node& n, const Symbol& target) const {
    const auto declared = after_.extraction.variables.find(target);
    return declared != after_.extraction.variables.end() && declared->second.around.size() <= n.loops.size() &&
           std::equal(declared->second.around.begin(), declared->second.around.end(), n.loops.begin(),
                      [](const Stmt& a, const Stmt& b) { return a->name == b->name; });
  }

  // The accumulation into the target of an update; null, with the reason, where it has another operator.
  Accumulation* accumulation_of(const Stmt& update, Op op) {
    const auto known = std::find_if(out_.targets.begin(), out_.targets.end(),
                                    [&](const Accumulation& t) { return t.target == update->name; });
    if (known != out_.targets.end()) {
      if (known->op == op) return &*known;
      refuse("two operators for one target");
      return nullptr;
    }
    Accumulation made;
    made.target = update->name;
    made.op = op;
    made.variable = update->kind == StmtKind::assign;
    made.type = made.variable ? before_.extraction.variables.at(update->name).type
                              : before_.program.find_buffer(update->name)->type;
    out_.targets.push_back(std::move(made));
    return &out_.targets.back();
  }

  bool start(const Node& n) {
    if (!n.stmt->value || n.stmt->value->op != Op::literal || !cell_of(instantiate(after_, n, ""), *n.store()))
      return refuse("a partial result does not start at a constant");
    starts_.push_back(&n);
    return true;
  }

  bool declared_sum(const Node& n) {
    if (before_.extraction.variables.count(n.stmt->name) != 0 || !n.stmt->value)
      return refuse("a new variable is no sum of partial results");
    sums_[n.stmt->name] = &n;
    return true;
  }

  bool combination(const Node& n) {
    const bool old = n.stmt->kind == StmtKind::assign ? before_.extraction.variables.count(n.stmt->name) != 0
                                                      : before_.program.find_buffer(n.stmt->name) != nullptr;
    const auto op = accumulation(n.stmt);
    if (!old || !op || n.stmt->value->op != *op) return refuse("a new store combines nothing");
    Accumulation* const into = accumulation_of(n.stmt, *op);
    if (!into) return false;
    if (!cell_of(instantiate(after_, n, ""), *n.store()))
      return refuse("partial results are combined at a dynamic index");
    const auto is_target = [&](const Expr& e) {
      return (e->op == Op::load || e->op == Op::variable) && e->name == into->target;
    };
    const Expr& a = n.stmt->value->args[0];
    const Expr& b = n.stmt->value->args[1];
    Expr sum = is_target(a) ? b : a;
    const Node* reads = &n;
    if (sum->op == Op::variable) {
      const auto it = sums_.find(sum->name);
      // Declared just before it, in the same block.
      if (it == sums_.end() || it->second->statement + 1 != n.statement || it->second->loops.size() != n.loops.size() ||
          it->second->guards.size() != n.guards.size())
        return refuse("a variable is no sum declared just before");
      reads = it->second;
      sum = it->second->stmt->value;
      used_sums_.insert(it->first);
    }
    if (!is_tree(sum, *op)) return refuse("partial results are combined by other operations");
    Combination c{&n, reads, {}};
    for (const Access& p : reads->accesses) {
      if (p.writes || p.variable || !is_new_buffer(p.storage)) continue;
      Part part{p.storage, {}, -1, 0, 0};
      for (const Expr& e : p.indices) part.cell.push_back(e->index);
      c.parts.push_back(std::move(part));
    }
    std::size_t rank = 0;
    for (const Part& p : c.parts) rank = std::max(rank, p.cell.size());
    for (std::size_t d = 0; d < rank; ++d) c.parts = merged_along(std::move(c.parts), static_cast<int>(d));
    for (const Part& p : c.parts) into->partial.insert(p.storage);
    into->combinations.push_back(std::move(c));
    return true;
  }
  // Only the operator, and loads of partial results at index values.
  bool is_tree(const Expr& e, Op op) const {
    if (e->op == Op::load)
      return is_new_buffer(e->name) &&
             std::all_of(e->args.begin(), e->args.end(), [](const Expr& i) { return i->op == Op::index; });
    return e->op == op && std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return is_tree(a, op); });
  }

  // What can be said when all statements are known.
  bool complete() {
    if (out_.targets.empty() || sums_.size() != used_sums_.size()) return refuse("partial results are not combined");
    std::set<Symbol> owned;
    for (Accumulation& t : out_.targets) {
      for (const Symbol& p : t.partial) {
        if (!owned.insert(p).second) return refuse("two targets share partial results");
        for (const Node* n : starts_) {
          if (n->store()->storage == p) t.starts.push_back(n);
        }
      }
      if (t.contributions.empty() || t.combinations.empty()) return refuse("partial results are not combined");
      find_epoch(t);
      if (!one_copy(t))
        return refuse("per-thread storage is used in several launches or under different loops of threads or groups");
    }
    return true;
  }

  bool of_thread(const Symbol& s) const { return is_private(after_.program.find_buffer(s)->kind); }

  // In lanes nothing is ordered by the iterations of a loop, so an epoch ends outside of them. Threads that share partial
  // cells meet in one epoch; where each has its own, another iteration of a @workgroup loop is another copy.
  void find_epoch(Accumulation& t) const {
    const std::vector<const Node*> users = t.users();
    const std::vector<Stmt>& first = users.front()->loops;
    std::size_t shared = first.size();
    for (const Node* n : users) {
      std::size_t k = 0;
      while (k < shared && k < n->loops.size() && n->loops[k]->name == first[k]->name) ++k;
      shared = k;
    }
    const bool own = std::all_of(t.partial.begin(), t.partial.end(), [&](const Symbol& s) { return of_thread(s); });
    const auto ordered = [own](const Stmt& l) {
      return l->axis == Axis::serial || l->axis == Axis::unrolled || l->axis == Axis::grid ||
             (own && l->axis == Axis::workgroup);
    };
    while (t.epoch < shared && ordered(first[t.epoch])) ++t.epoch;
  }

  // Per-thread storage: all its uses are in one launch and one thread, because no hardware loop stands below those that
  // they share.
  bool one_copy(const Accumulation& t) const {
    if (!t.variable && !of_thread(t.target) &&
        std::none_of(t.partial.begin(), t.partial.end(), [&](const Symbol& s) { return of_thread(s); }))
      return true;
    const std::vector<const Node*> users = t.users();
    return std::all_of(users.begin(), users.end(), [&](const Node* n) {
      return after_.launch(*n) == after_.launch(*users.front()) &&
             std::none_of(n->loops.begin() + static_cast<std::ptrdiff_t>(t.epoch), n->loops.end(),
                          [](const Stmt& l) { return is_hardware(l->axis); });
    });
  }

  const View& before_;
  const View& after_;
  std::vector<const Node*> starts_;
  AccumulationClaim out_;
  std::map<Symbol, const Node*> sums_;
  std::set<Symbol> used_sums_;
};

// Preorder, as the numbers are; statements inside scopes are old ones and stay.
class Straightener {
 public:
  explicit Straightener(const AccumulationClaim& claim) {
    for (const Accumulation& t : claim.targets) {
      for (const Contribution& c : t.contributions) at_[c.now->statement] = {&t, &c};
    }
  }

  Block block(const Block& b) {
    Block out;
    for (const Stmt& s : b) {
      const int number = next_++;
      const bool inner = s->kind == StmtKind::loop || s->kind == StmtKind::branch;
      const std::size_t kept = numbers.size();
      const bool drop = is_added(s) && !inner;
      if (!drop) numbers.push_back(number);
      Visitor scopes;
      scopes.enter_stmt = [&](const Stmt&) {
        numbers.push_back(next_++);
        return true;
      };
      for (const Expr& e : s->indices) visit(e, scopes);
      if (s->value) visit(s->value, scopes);
      if (drop) {
        numbers.resize(kept);
        continue;
      }
      const auto contribution = at_.find(number);
      if (contribution != at_.end()) {
        contributions.insert(static_cast<int>(kept));
        out.push_back(straight(s, *contribution->second.first, *contribution->second.second));
      } else if (inner) {
        Block body = block(s->body);
        Block other = block(s->other);
        out.push_back(with(s, [&](StmtNode& n) {
          n.body = std::move(body);
          n.other = std::move(other);
        }));
      } else {
        out.push_back(s);
      }
    }
    return out;
  }

  std::vector<int> numbers;
  std::set<int> contributions;

 private:
  // The contribution as a store to the source's target at the source's cell.
  static Stmt straight(const Stmt& s, const Accumulation& t, const Contribution& c) {
    const std::vector<Expr> cell = target_indices(c);
    const Stmt redirected = rewrite_expressions(s, [&](const Expr& e) {
      if (e->op != Op::load || e->name != s->name) return e;
      return t.variable ? make_variable(t.target, t.type, e->where) : make_load(t.target, t.type, cell, e->where);
    });
    return with(redirected, [&](StmtNode& n) {
      n.kind = t.variable ? StmtKind::assign : StmtKind::store;
      n.name = t.target;
      n.indices = cell;
    });
  }

  std::map<int, std::pair<const Accumulation*, const Contribution*>> at_;
  int next_ = 0;
};

}  // namespace

Spot Part::at(const Instance& reader, const Index& choice) const {
  Spot out{storage, false, {}};
  for (std::size_t d = 0; d < cell.size(); ++d)
    out.at.push_back(static_cast<int>(d) == axis ? choice : reader.apply(cell[d]));
  return out;
}
Formula Part::inside(const Index& choice) const {
  return axis < 0 ? Formula::truth() : Formula::le(Index(lo), choice) & Formula::le(choice, Index(hi));
}

std::vector<const Node*> Accumulation::users() const {
  std::vector<const Node*> out = starts;
  for (const Contribution& c : contributions) out.push_back(c.now);
  for (const Combination& m : combinations) out.push_back(m.now);
  return out;
}
bool Accumulation::is_combination(const Node& n) const {
  return std::any_of(combinations.begin(), combinations.end(), [&](const Combination& m) { return m.now == &n; });
}

bool is_added(const Stmt& s) { return !s->provenance || s->provenance->statement < 0; }

std::vector<Expr> target_indices(const Contribution& c) {
  std::vector<Expr> cell;
  for (const Expr& e : c.source->stmt->indices) cell.push_back(substitute(e, c.now->stmt->provenance->to_source));
  return cell;
}

AccumulationClaim derive_accumulation(const View& before, const View& after) { return Classifier(before, after).run(); }

DirectProgram direct_program(const View& before, const View& after, const AccumulationClaim& claim) {
  Straightener straightener(claim);
  DirectProgram out{after.program, {}, {}};
  out.program.buffers = before.program.buffers;
  out.program.body = straightener.block(after.program.body);
  out.numbers = std::move(straightener.numbers);
  out.contributions = std::move(straightener.contributions);
  return out;
}

}  // namespace assay::derive
