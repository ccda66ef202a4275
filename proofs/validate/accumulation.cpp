// Two steps, each with its own obligations. The first compares the old program with a *direct* program, made here from the new
// one: without the statements that start and combine partials, and with every contribution stored straight into the target
// that its source has. That is a reordering (schema R). The second compares the direct program with the new one:
//   - every partial cell starts at the identity of the operator, before its first contribution              (PRF-51)
//   - every contribution's cell is combined once, later, into the target of that contribution               (PRF-52)
//   - nothing else uses the target between a contribution and its combination, nor the partials at all      (PRF-53)
// Then each target cell receives the same contributions, at the same time as seen by every other statement, in another order.
#include "proofs/validate/accumulation.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "proofs/obligation/operators.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/flow.hpp"
#include "proofs/validate/flow_claim.hpp"

namespace assay::derive {
namespace {

using Status = Obligation::Status;

bool is_added(const Stmt& s) { return !s->provenance || s->provenance->statement < 0; }

class AccumulationValidator {
 public:
  AccumulationValidator(const Program& before, const Program& after, Query& query)
      : before_(before), after_(after), query_(query) {}

  Validation run() {
    if (const auto difference = interface_difference(before_.program, after_.program, true))
      return refused(*difference, {});
    for (const Node& n : after_.extraction.nodes) {
      if (!classify(n)) return refused(why_, n.stmt);
    }
    if (contributions_.empty() || combinations_.empty() || sums_.size() != used_sums_.size())
      return refused("partial results are not combined", {});
    const Program direct = direct_program();
    Validation out = validate_order(before_.program, direct, query_);
    renumber(out.reordered_after);
    partials(out);
    std::set<Symbol> defined = partial_;
    if (!is_defined_on_entry(before_.program.find_buffer(target_)->kind)) defined.insert(target_);
    for (Obligation& o : lint_after_flow(after_.program, defined, query_)) out.obligations.push_back(std::move(o));
    return out;
  }

 private:
  struct Contribution {
    const Node* now;
    const Node* source;
  };
  struct Combination {
    const Node* now;                   // target = target ⊕ …
    std::vector<const Access*> parts;  // the partial cells that it reads
    const Node* reads;                 // the statement that reads them: itself, or the variable declared just before
  };

  Validation refused(const std::string& why, const Stmt& where) const {
    Validation out;
    out.obligations.push_back(
        refused_claim("every new statement starts or combines partial results of an accumulation", why, where));
    return out;
  }
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool is_partial(const Symbol& s) const { return after_.program.find_buffer(s) && !before_.program.find_buffer(s); }

  bool classify(const Node& n) {
    if (!is_added(n.stmt)) return old_statement(n);
    if (n.stmt->kind == StmtKind::branch)
      return affine_condition(n.stmt->value) ? true : refuse("a new condition reads data");
    if (has_data_guard(n)) return refuse("a new statement stands under a condition that reads data");
    if (n.stmt->kind == StmtKind::declare) return declared_sum(n);
    if (n.stmt->kind != StmtKind::store) return refuse("a new statement is no part of an accumulation");
    return is_partial(n.stmt->name) ? start(n) : combination(n);
  }

  // It either leaves partial storage alone, or it is a contribution: `P[p] = P[p] ⊕ e` for the source's `X[c] = X[c] ⊕ e`.
  bool old_statement(const Node& n) {
    const bool touches =
        std::any_of(n.accesses.begin(), n.accesses.end(), [&](const Access& a) { return is_partial(a.storage); });
    if (!touches) return true;
    const Node* source = before_.extraction.find(n.stmt->provenance->statement);
    if (!source || n.stmt->kind != StmtKind::store || source->stmt->kind != StmtKind::store ||
        !is_partial(n.stmt->name))
      return refuse("an old statement uses partial results otherwise than by adding to them");
    const auto op = accumulation(n.stmt);
    if (!op || op != accumulation(source->stmt))
      return refuse("a contribution is no accumulation of its source's operator");
    if (!same_operation(*op) || !same_target(source->stmt->name)) return false;
    for (const Access& a : n.accesses) {
      if (is_partial(a.storage) && (a.storage != n.stmt->name || !cell_of(instantiate(after_, n, ""), a)))
        return refuse("a contribution uses partial results at a dynamic index, or other ones");
    }
    for (const Stmt& loop : source->loops) {
      if (n.stmt->provenance->to_source.count(loop->name) == 0) return refuse("an iteration map is incomplete");
    }
    partial_.insert(n.stmt->name);
    contributions_.push_back({&n, source});
    return true;
  }

  bool same_operation(Op op) {
    if (!op_) op_ = op;
    return *op_ == op || refuse("two operators in one step");
  }
  bool same_target(const Symbol& target) {
    if (target_.empty()) target_ = target;
    if (target_ != target) return refuse("two targets in one step");
    type_ = before_.program.find_buffer(target)->type;
    return true;
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
    const auto op = accumulation(n.stmt);
    if (!op || n.stmt->value->op != *op) return refuse("a new store combines nothing");
    if (!same_operation(*op) || !same_target(n.stmt->name)) return false;
    if (!cell_of(instantiate(after_, n, ""), *n.store()))
      return refuse("partial results are combined at a dynamic index");
    const auto is_target = [&](const Expr& e) { return e->op == Op::load && e->name == target_; };
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
    Combination c{&n, {}, reads};
    for (const Access& p : reads->accesses) {
      if (!p.writes && is_partial(p.storage)) c.parts.push_back(&p);
    }
    combinations_.push_back(std::move(c));
    return true;
  }
  // Only the operator, and loads of partial results at index values.
  bool is_tree(const Expr& e, Op op) const {
    if (e->op == Op::load)
      return is_partial(e->name) &&
             std::all_of(e->args.begin(), e->args.end(), [](const Expr& i) { return i->op == Op::index; });
    return e->op == op && std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return is_tree(a, op); });
  }

  // ---- the direct program ----------------------------------------------------------------------------------------

  Program direct_program() {
    std::map<int, const Contribution*> at;
    for (const Contribution& c : contributions_) at[c.now->statement] = &c;
    Program out = after_.program;
    out.buffers = before_.program.buffers;
    int next = 0;
    out.body = direct(after_.program.body, at, next);
    return out;
  }

  // Preorder, as the numbers are; statements inside scopes are old ones and stay.
  Block direct(const Block& b, const std::map<int, const Contribution*>& at, int& next) {
    Block out;
    for (const Stmt& s : b) {
      const int number = next++;
      const bool inner = s->kind == StmtKind::loop || s->kind == StmtKind::branch;
      const std::size_t kept = numbers_.size();
      if (!is_added(s) || inner) numbers_.push_back(number);
      Visitor scopes;
      scopes.enter_stmt = [&](const Stmt&) {
        numbers_.push_back(next++);
        return true;
      };
      for (const Expr& e : s->indices) visit(e, scopes);
      if (s->value) visit(s->value, scopes);
      if (is_added(s) && !inner) {
        numbers_.resize(kept);
        continue;
      }
      const auto found = at.find(number);
      if (found != at.end()) {
        out.push_back(straight(s, *found->second));
      } else if (inner) {
        Block body = direct(s->body, at, next);
        Block other = direct(s->other, at, next);
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

  // The contribution as a store to the source's target at the source's cell.
  Stmt straight(const Stmt& s, const Contribution& c) const {
    std::vector<Expr> cell;
    for (const Expr& e : c.source->stmt->indices) cell.push_back(substitute(e, s->provenance->to_source));
    const Stmt redirected = rewrite_expressions(s, [&](const Expr& e) {
      return e->op == Op::load && e->name == s->name ? make_load(target_, type_, cell, e->where) : e;
    });
    return with(redirected, [&](StmtNode& n) {
      n.name = target_;
      n.indices = cell;
    });
  }

  void renumber(std::set<int>& statements) const {
    std::set<int> out;
    for (int s : statements) out.insert(numbers_.at(static_cast<std::size_t>(s)));
    statements = std::move(out);
  }

  // ---- partial results ---------------------------------------------------------------------------------------------

  Spot cell(const Instance& x, const Access& a) const { return *cell_of(x, a); }
  Instance source_of(const Contribution& c, const Instance& now) const {
    return source_instance(before_, *c.source, now);
  }

  void discharge_here(Validation& out, const ObligationText& text, const std::vector<Case>& cases) {
    out.obligations.push_back(discharge(text, before_.parameters, before_.program, cases, query_));
  }

  void partials(Validation& out) {
    const std::string on = "`" + target_ + "`";
    std::vector<Case> starts, once, apart;
    const auto identity = identity_of(*op_, type_);
    for (const Symbol& p : partial_) {
      if (after_.program.find_buffer(p)->type != type_) identity_fits_ = false;
    }
    for (const Node* n : starts_) {
      if (!identity || !(n->stmt->value->literal == *identity)) identity_fits_ = false;
    }
    for (const Contribution& c : contributions_) {
      const Instance y = instantiate(after_, *c.now, "y");
      const Instance x = source_of(c, y);
      const Spot part = cell(y, *c.now->store());
      started(y, x, part, c, starts);
      combined(y, x, part, c, once);
      isolated(y, x, part, c, apart);
    }
    Obligation table{"same-contributions",
                     "partial results of " + on + " have its type and start at the identity of the operator",
                     identity_fits_ ? Status::proved : Status::undecided,
                     "table",
                     identity_fits_ ? "" : "ACC-1",
                     identity_fits_ ? "" : "a start is not the identity",
                     {},
                     false,
                     {}};
    out.obligations.push_back(std::move(table));
    discharge_here(out,
                   {"same-contributions",
                    "every partial result of " + on + " starts once, before its first contribution", "ACC-1", "ACC-4"},
                   starts);
    discharge_here(out,
                   {"same-contributions", "every contribution to " + on + " is combined once, later, into its cell",
                    "ACC-2", "ACC-4"},
                   once);
    discharge_here(
        out,
        {"same-contributions", "nothing else uses a cell of " + on + " between a contribution and its combination",
         "ACC-3", "ACC-4"},
        apart);
    if (reorders_exactly(*op_, type_)) return;
    out.licence = std::max(out.licence, Licence::reassociates);
    for (const Contribution& c : contributions_) {
      out.reordered_before.insert(c.source->statement);
      out.reordered_after.insert(c.now->statement);
    }
    for (const Combination& m : combinations_) {
      out.reordered_after.insert(m.now->statement);
      out.reordered_after.insert(m.reads->statement);
    }
  }

  Case make(const Formula& f, const Instance& x, const Contribution& c) const {
    return {f, x, {}, c.source->store(), nullptr, has_data_guard(*c.now), {}};
  }

  void started(const Instance& y, const Instance& x, const Spot& part, const Contribution& c,
               std::vector<Case>& into) const {
    std::vector<Formula> ways;
    for (const Node* n : starts_) {
      if (n->store()->storage != part.storage) continue;
      const Instance z = instantiate(after_, *n, "z");
      const Formula same = domain(z) & same_place(cell(z, *n->store()), part);
      ways.push_back(exists_solved(z.fresh, same & ordered_before(z, true, y, false)));
      // Never again once there is something to lose.
      into.push_back(make(domain(y) & same & !ordered_before(z, true, y, false), x, c));
    }
    into.push_back(make(domain(y) & !Formula::any(std::move(ways)), x, c));
  }

  void combined(const Instance& y, const Instance& x, const Spot& part, const Contribution& c,
                std::vector<Case>& into) const {
    const Spot target = cell(x, *c.source->store());
    std::vector<Formula> ways;
    const auto reads_it = [&](const Combination& m, const Access& p, const Instance& i) {
      return p.storage == part.storage ? domain(Instance{&after_, m.now, i.symbols, {}}) & same_place(cell(i, p), part)
                                       : Formula::falsity();
    };
    for (const Combination& m : combinations_) {
      const Instance i = instantiate(after_, *m.reads, "m");
      const Instance at{&after_, m.now, i.symbols, {}};
      for (const Access* p : m.parts) {
        const Formula read = reads_it(m, *p, i);
        if (read.is_false()) continue;
        ways.push_back(exists_solved(
            i.fresh, read & same_place(cell(at, *m.now->store()), target) & ordered_before(y, true, i, false)));
        for (const Combination& other : combinations_) {
          const Instance j = instantiate(after_, *other.reads, "n");
          for (const Access* q : other.parts) {
            const Formula twice = m.now == other.now && p == q ? !same_instance(i, j) : Formula::truth();
            into.push_back(make(Formula::all({domain(y), read, reads_it(other, *q, j), twice}), x, c));
          }
        }
      }
    }
    into.push_back(make(domain(y) & !Formula::any(std::move(ways)), x, c));
  }

  void isolated(const Instance& y, const Instance& x, const Spot& part, const Contribution& c,
                std::vector<Case>& into) const {
    const Spot target = cell(x, *c.source->store());
    for (const Combination& m : combinations_) {
      const Instance i = instantiate(after_, *m.reads, "m");
      const Instance at{&after_, m.now, i.symbols, {}};
      for (const Access* p : m.parts) {
        if (p->storage != part.storage) continue;
        const Formula mine = Formula::all({domain(y), domain(at), same_place(cell(i, *p), part)});
        for (const Node& n : after_.extraction.nodes) {
          if (is_combination(n)) continue;
          const Instance o = instantiate(after_, n, "o");
          for (const Access& a : n.accesses) {
            if (a.variable || a.storage != target_) continue;
            const auto own = cell_of(o, a);
            const Formula meets =
                domain(o) & access_condition(o, a) & (own ? same_place(*own, target) : Formula::truth());
            Case k = make(Formula::all({mine, meets, !ordered_before(o, a.writes, y, true),
                                        !ordered_before(at, true, o, a.writes)}),
                          x, c);
            k.approximate |= !is_affine(o, a);
            into.push_back(std::move(k));
          }
        }
      }
    }
  }
  bool is_combination(const Node& n) const {
    return std::any_of(combinations_.begin(), combinations_.end(), [&](const Combination& m) { return m.now == &n; });
  }

  View before_, after_;
  Query& query_;
  std::string why_;
  std::vector<Contribution> contributions_;
  std::vector<Combination> combinations_;
  std::vector<const Node*> starts_;
  std::map<Symbol, const Node*> sums_;
  std::set<Symbol> used_sums_, partial_;
  std::optional<Op> op_;
  Symbol target_;
  Type type_ = Type::f32;
  bool identity_fits_ = true;
  std::vector<int> numbers_;  // of the direct program's statements in the new one
};

}  // namespace

bool combines_partials(const Program& before, const Program& after) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::store && is_added(s) && before.find_buffer(s->name) && accumulation(s).has_value();
    return true;
  };
  visit(after.body, v);
  return found;
}

Validation validate_accumulation(const Program& before, const Program& after, Query& query) {
  return AccumulationValidator(before, after, query).run();
}

}  // namespace assay::derive
