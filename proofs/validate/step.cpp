// The obligations of one step: schemas R (reorder), K (kind of loop) and the reordering part of A (accumulation).
//
// Every new statement execution y claims a source execution M(y). What makes the new program mean the same:
//   text             the statement is the source's text under M                                       (PRF-10)
//   domain-bijection M maps the new executions one-to-one onto the old ones                           (PRF-11)
//   scope            each access to a variable is to the corresponding instance of it                 (PRF-12)
//   order            conflicting executions stay in order: neither reversed (dependence-order), nor in unordered threads
//                    (race-freedom), nor in one lockstep instance (iteration-independence)           (PRF-13)
//   contributions    a reversed pair of updates of one accumulation is allowed by the operator table  (PRF-14)
//   coverage         with @grid loops, every store to device memory is under a loop of every slot     (PRF-15)
//   private-flow     a read of a per-thread copy still sees the write that it saw                     (PRF-16)
//   index-width      the new index expressions fit int64                                              (PRF-17)
#include <algorithm>
#include <array>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"
#include "proofs/obligation/operators.hpp"
#include "proofs/validate/absorption.hpp"
#include "proofs/validate/accumulation.hpp"
#include "proofs/validate/align.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/compare.hpp"
#include "proofs/validate/coverage.hpp"
#include "proofs/validate/flow.hpp"
#include "proofs/validate/flow_claim.hpp"
#include "proofs/validate/launch.hpp"
#include "proofs/validate/layout.hpp"
#include "proofs/validate/order.hpp"
#include "proofs/validate/races.hpp"
#include "proofs/validate/relation.hpp"
#include "proofs/validate/rewrite.hpp"
#include "proofs/validate/selection.hpp"
#include "proofs/validate/width.hpp"
#include "proofs/validate/zeroing.hpp"

namespace assay {
namespace {

using namespace derive;

class StepValidator {
 public:
  StepValidator(const Program& before, const Program& after, Query& query, std::set<int> gathered = {})
      : before_(before), after_(after), query_(query), gathered_(std::move(gathered)) {}

  Validation run() {
    if (const auto difference = interface_difference(before_.program, after_.program, false)) {
      refuse_claim(*difference, {});
      return std::move(out_);
    }
    if (!pair_up()) return std::move(out_);
    if (!compare_texts()) return std::move(out_);
    bijection();
    order();
    // Also where no loop changed its kind: which slots are active depends on where the loops stand.
    if (after_.grid_slots > 0) add(launch_coverage(after_, query_));
    for (Obligation& o : of_new_program(thread_obligations(after_, query_))) add(std::move(o));
    add(index_width(after_, query_));
    for (Obligation& o : out_.obligations) o.vacuous = vacuous_ && o.status == Obligation::Status::proved;
    return std::move(out_);
  }

 private:
  struct Pair {
    const Node* now;
    const Node* source;
    bool moved;  // its loops or its iteration map are not what they were
  };

  void add(Obligation o) { out_.obligations.push_back(std::move(o)); }
  void refuse_claim(const std::string& why, const Stmt& where) {
    add(refused_claim("every statement of the new program is one of the old program, at the iteration that it names",
                      why, where));
  }

  static bool needs_node(const Node& n) {
    // A launch stores nothing and is part of the order; a barrier matters to races alone, which the program by itself tells.
    if (n.stmt->kind == StmtKind::launch || n.stmt->kind == StmtKind::barrier) return false;
    if (n.stmt->kind != StmtKind::branch) return true;
    return !affine_condition(n.stmt->value).has_value();  // an affine condition is part of its arms' domains
  }

  bool pair_up() {
    for (const Node& now : after_.extraction.nodes) {
      if (!needs_node(now)) continue;
      const auto& p = now.stmt->provenance;
      const Node* source = p ? before_.extraction.find(p->statement) : nullptr;
      if (!source) {
        refuse_claim("a statement claims no source", now.stmt);
        return false;
      }
      for (const Stmt& loop : source->loops) {
        if (p->to_source.count(loop->name) == 0) {
          refuse_claim("the iteration map does not say what `" + loop->name + "` is", now.stmt);
          return false;
        }
        std::set<Symbol> used;
        p->to_source.at(loop->name).collect_symbols(used);
        for (const Symbol& s : used) {
          const bool known =
              after_.program.find_parameter(s) ||
              std::any_of(now.loops.begin(), now.loops.end(), [&](const Stmt& l) { return l->name == s; });
          if (!known) {
            refuse_claim("the iteration map mentions `" + s + "`, which is no loop around the statement", now.stmt);
            return false;
          }
        }
      }
      pairs_.push_back({&now, source, !unmoved(now, *source, p->to_source)});
    }
    hardware_changed_ = !same_hardware(before_.program, after_.program);
    return true;
  }

  bool compare_texts() {
    std::map<Symbol, Symbol> variables;
    // First pass: which variable stands for which, from the declarations and the scopes.
    for (const Pair& p : pairs_) {
      const Instance now = instantiate(after_, *p.now, "1");
      const Instance source = source_instance(before_, *p.source, now);
      Comparison(source, now, variables, true).same_statement();
    }
    std::vector<Case> folds;
    std::vector<Case> forms;
    for (const Pair& p : pairs_) {
      const Instance now = instantiate(after_, *p.now, "1");
      const Instance source = source_instance(before_, *p.source, now);
      Comparison comparison(source, now, variables, false);
      if (!comparison.same_statement()) {
        refuse_claim("the text of a statement is not that of its claimed source: " + comparison.mismatch(),
                     p.now->stmt);
        return false;
      }
      const Formula here = domain(now);
      for (const Formula& f : comparison.fold_violations())
        folds.push_back({here & f, source, {}, nullptr, nullptr, false, {}});
      for (const Formula& f : comparison.index_violations())
        forms.push_back({here & f, source, {}, nullptr, nullptr, false, {}});
      instances(p, now, source, forms);
    }
    const Formula assumed = before_.parameters;
    if (!folds.empty()) {
      add(discharge({"guard-fold", "every condition that was folded is constant where it stood", "GRD-1", "GRD-1"},
                    assumed, before_.program, folds, query_));
    }
    add(discharge({"text", "every statement is its source's text under the iteration map", "CLAIM-1", "CLAIM-1"},
                  assumed, before_.program, forms, query_));
    return true;
  }

  // Each access to a variable must be to the instance that corresponds to the source's: same declaration, same iteration of
  // the loops around the declaration.
  void instances(const Pair& p, const Instance& now, const Instance& source, std::vector<Case>& into) const {
    for (const Access& a : p.now->accesses) {
      if (!a.variable) continue;
      const Variable& v = after_.extraction.variables.at(a.storage);
      const Node* declared = after_.extraction.find(v.statement);
      if (!declared || !declared->stmt->provenance) continue;
      const Node* declared_source = before_.extraction.find(declared->stmt->provenance->statement);
      if (!declared_source) continue;
      for (const Stmt& loop : declared_source->loops) {
        const auto it = declared->stmt->provenance->to_source.find(loop->name);
        if (it == declared->stmt->provenance->to_source.end()) continue;
        const Index mine =
            source.symbols.count(loop->name) ? source.symbols.at(loop->name) : Index::symbol(loop->name + "'none");
        into.push_back({domain(now) & Formula::ne(mine, now.apply(it->second)), source, {}, &a, nullptr, false, {}});
      }
    }
  }

  void bijection() {
    std::map<int, std::vector<const Pair*>> by_source;
    for (const Pair& p : pairs_) by_source[p.source->statement].push_back(&p);
    std::vector<Case> cases;
    bool any_execution = false;
    for (const Node& source : before_.extraction.nodes) {
      if (!needs_node(source)) continue;
      const std::vector<const Pair*>& copies = by_source[source.statement];
      if (copies.size() == 1 && !copies[0]->moved && same_guards(source, *copies[0]->now)) continue;
      const Instance x = instantiate(before_, source, "0");
      if (!any_execution) any_execution = query_.solve(before_.parameters & domain(x)).kind != Answer::Kind::empty;
      std::vector<Formula> reached;
      for (std::size_t k = 0; k < copies.size(); ++k) {
        const Instance y = instantiate(after_, *copies[k]->now, "1");
        const Instance m = source_instance(before_, source, y);
        cases.push_back({domain(y) & !domain(m), m, {}, nullptr, nullptr, false, {}});
        std::vector<Formula> equations;
        for (std::size_t i = 0; i < source.loops.size(); ++i)
          equations.push_back(Formula::eq(m.symbol(i), x.symbol(i)));
        reached.push_back(reach(y, m, x, Formula::all(equations)));
        for (std::size_t l = k; l < copies.size(); ++l) {
          const Instance z = instantiate(after_, *copies[l]->now, "2");
          const Instance n = source_instance(before_, source, z);
          std::vector<Formula> collide{domain(y), domain(z)};
          for (std::size_t i = 0; i < source.loops.size(); ++i)
            collide.push_back(Formula::eq(m.symbol(i), n.symbol(i)));
          if (k == l) collide.push_back(!same_instance(y, z));
          Formula both = Formula::all(std::move(collide));
          // Of copies that stand for different constants there are as many pairs as their square.
          if (!both.is_false()) cases.push_back({std::move(both), m, n, nullptr, nullptr, false, {}});
        }
      }
      cases.push_back({domain(x) & !Formula::any(std::move(reached)), x, {}, nullptr, nullptr, false, {}});
    }
    if (cases.empty()) return;
    Obligation o =
        discharge({"domain-bijection", "the new iterations map one-to-one onto the old ones", "DOM-1", "DOM-2"},
                  before_.parameters, before_.program, cases, query_);
    vacuous_ = !any_execution;
    add(std::move(o));
  }

  // "Some new execution y claims x": with the loop symbols solved for where the map is the identity on them.
  static Formula reach(const Instance& y, const Instance& m, const Instance& x, const Formula& equations) {
    std::map<Symbol, Index> solved;
    for (const Stmt& loop : m.node->loops) {
      const Symbol* s = m.symbols.at(loop->name).as_symbol();
      if (s && std::find(y.fresh.begin(), y.fresh.end(), *s) != y.fresh.end())
        solved.emplace(*s, x.symbols.at(loop->name));
    }
    std::vector<Symbol> open;
    for (const Symbol& s : y.fresh) {
      if (solved.count(s) == 0) open.push_back(s);
    }
    return Formula::exists(open, (domain(y) & equations).substitute(solved));
  }

  // ---- order -----------------------------------------------------------------------------------------------------

  struct StorageCases {
    std::vector<Case> reversed, threads, lockstep, flow;
    bool any() const { return !reversed.empty() || !threads.empty() || !lockstep.empty() || !flow.empty(); }
    bool reordered = false, exact = true;  // accumulations that commute with themselves
  };

  void order() {
    std::map<Symbol, StorageCases> by_storage;
    for (const Pair& p : pairs_) {
      for (const Pair& q : pairs_) {
        if (!p.moved && !q.moved && !hardware_changed_ &&
            relation(after_, *p.now, *q.now) == relation(before_, *p.source, *q.source))
          continue;
        conflicts(p, q, by_storage);
      }
      loosened(p, by_storage);
    }
    for (const auto& [storage, cases] : by_storage) {
      const std::string on = "`" + storage + "`";
      if (!cases.reversed.empty()) {
        add(discharge(
            {"dependence-order", "the new order runs every dependence on " + on + " forwards", "DEP-2", "DEP-4"},
            before_.parameters, before_.program, cases.reversed, query_));
      }
      if (!cases.threads.empty()) {
        add(discharge(
            {"race-freedom", "no two groups use one cell of " + on + " with a store", "RACE-1", "IND-1", {}, true},
            before_.parameters, before_.program, cases.threads, query_));
      }
      if (!cases.lockstep.empty()) {
        add(discharge({"iteration-independence", "no two lanes store one cell of " + on, "IND-2", "IND-1"},
                      before_.parameters, before_.program, cases.lockstep, query_));
      }
      if (!cases.flow.empty()) {
        add(discharge({"private-flow", "every read of a thread's copy of " + on + " sees the write that it saw",
                       "PRIV-1", "PRIV-1"},
                      before_.parameters, before_.program, cases.flow, query_));
      }
      contributions(storage, cases);
    }
  }

  // The order in which a @reduce loop adds its terms is left to the device (PLL-26): its accumulation is reordered, unless it
  // was one before.
  void loosened(const Pair& p, std::map<Symbol, StorageCases>& by_storage) {
    const auto reduce_loop = [](const Node& n) {
      const auto at =
          std::find_if(n.loops.begin(), n.loops.end(), [](const Stmt& l) { return l->axis == Axis::reduce; });
      return at == n.loops.end() ? nullptr : &*at;
    };
    const Stmt* loop = reduce_loop(*p.now);
    const Access* store = p.source->store();
    const auto op = update_of(*p.source);
    if (!loop || reduce_loop(*p.source) || !store || !op) return;
    const Instance y1 = instantiate(after_, *p.now, "1"), y2 = instantiate(after_, *p.now, "2");
    const Instance x1 = source_instance(before_, *p.source, y1), x2 = source_instance(before_, *p.source, y2);
    const Formula two = Formula::lt(y1.symbols.at((*loop)->name), y2.symbols.at((*loop)->name));
    commute(Formula::all({domain(y1), domain(y2), same_cell(x1, *store, x2, *store, ""), two}),
            reorders_exactly(*op, target_type(*p.source)), p, p, by_storage[store->storage]);
  }

  // Two updates of one accumulation come in another order where `reversed` has a solution. It is asked at once, and only
  // where the answer says something new: of n copies of a statement there are n² pairs.
  void commute(const Formula& reversed, bool exact, const Pair& p, const Pair& q, StorageCases& into) {
    const auto known = [&](const Pair& x) {
      return out_.reordered_before.count(x.source->statement) != 0 && out_.reordered_after.count(x.now->statement) != 0;
    };
    if (reversed.is_false() || (into.reordered && (exact || (!into.exact && known(p) && known(q))))) return;
    // "Unknown" counts as reordered: that needs the weaker licence, and the operator table covers both.
    if (query_.solve(before_.parameters & reversed).kind == Answer::Kind::empty) return;
    into.reordered = true;
    into.exact = into.exact && exact;
    if (exact) return;
    out_.reordered_before.insert({p.source->statement, q.source->statement});
    out_.reordered_after.insert({p.now->statement, q.now->statement});
  }

  void contributions(const Symbol& storage, const StorageCases& cases) {
    const bool exact = cases.exact;
    if (!cases.reordered) return;
    if (!exact) out_.licence = std::max(out_.licence, Licence::reassociates);
    add({"same-contributions",
         "each cell of `" + storage + "` receives the same terms" +
             (exact ? ", and their order does not matter to the operator" : " in another order"),
         Obligation::Status::proved,
         "table",
         {},
         {},
         {},
         false,
         {}});
  }

  static std::string dependence_code(const Access& a, const Access& b) {
    if (a.writes && b.writes) return "DEP-1";
    return a.writes ? "DEP-2" : "DEP-3";
  }

  void conflicts(const Pair& p, const Pair& q, std::map<Symbol, StorageCases>& by_storage) {
    const bool lanes = in_lanes(*p.now) || in_lanes(*p.source);
    std::optional<Instance> y1, y2, x1, x2;
    std::vector<std::pair<std::string, std::pair<bool, bool>>> seen;
    for (const Access& a : p.source->accesses) {
      for (const Access& b : q.source->accesses) {
        if (a.storage != b.storage || a.variable != b.variable || (!a.writes && !b.writes)) continue;
        if (!x1) {
          y1 = instantiate(after_, *p.now, "1");
          y2 = instantiate(after_, *q.now, "2");
          x1 = source_instance(before_, *p.source, *y1);
          x2 = source_instance(before_, *q.source, *y2);
        }
        const Formula meet = Formula::all({same_cell(*x1, a, *x2, b, ""), access_condition(*x1, a),
                                           access_condition(*x2, b), decided_guards(*x1), decided_guards(*x2)});
        if (meet.is_false() || apart(*y1, *y2, meet)) continue;
        // A load and a store of the same cell pose the same question, unless lanes or copies per thread tell them apart.
        const bool kinds_matter = lanes || (!a.variable && copies_of(before_.program, a) != Copies::device);
        const auto key = std::make_pair(a.storage + ":" + meet.text(),
                                        kinds_matter ? std::make_pair(a.writes, b.writes) : std::make_pair(true, true));
        if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
        seen.push_back(key);
        add_cases(p, q, *y1, *y2, *x1, *x2, a, b, meet, by_storage[a.storage]);
      }
    }
  }

  // The accumulation that a statement of the old program is, with loads of the target's cell under another index form taken
  // for what they are when the forms are equal wherever the statement runs.
  std::optional<Op> update_of(const Node& n) {
    const auto known = updates_.find(n.statement);
    if (known != updates_.end()) return known->second;
    auto op = accumulation(n.stmt);
    if (!op && n.stmt->kind == StmtKind::store) {
      const Instance x = instantiate(before_, n, "u");
      const Formula here = before_.parameters & domain(x);
      const auto same_form = [&](const Expr& load) {
        std::vector<Formula> differ;
        for (std::size_t d = 0; d < load->args.size(); ++d) {
          const Expr& a = load->args[d];
          const Expr& b = n.stmt->indices[d];
          if (a == b) continue;
          if (a->op != Op::index || b->op != Op::index) return false;
          differ.push_back(Formula::ne(x.apply(a->index), x.apply(b->index)));
        }
        return query_.solve(here & Formula::any(std::move(differ))).kind == Answer::Kind::empty;
      };
      const Stmt unified = with(n.stmt, [&](StmtNode& s) {
        s.value = rewrite(s.value, [&](const Expr& e) {
          const bool own = e->op == Op::load && e->name == n.stmt->name && e->args.size() == n.stmt->indices.size();
          if (!own || !same_form(e)) return e;
          return with(e, [&](ExprNode& load) { load.args = n.stmt->indices; });
        });
      });
      op = accumulation(unified);
    }
    updates_[n.statement] = op;
    return op;
  }

  void add_cases(const Pair& p, const Pair& q, const Instance& y1, const Instance& y2, const Instance& x1,
                 const Instance& x2, const Access& a, const Access& b, const Formula& meet, StorageCases& into) {
    const Formula both = domain(y1) & domain(y2) & meet;
    const Copies of = copies_of(before_.program, a);
    const Formula was_before = ordered_before(x1, a.writes, x2, b.writes, of);
    const bool approximate = !is_pure(x1, a) || !is_pure(x2, b);
    const auto make = [&](const Formula& broken, std::string code) {
      return Case{both & was_before & broken, x1, x2, &a, &b, approximate, std::move(code)};
    };

    Case reversed = make(ordered_before(y2, b.writes, y1, a.writes, of), dependence_code(a, b));
    const auto op = update_of(*p.source);
    const bool update =
        op && op == update_of(*q.source) && p.source->stmt->name == a.storage && q.source->stmt->name == a.storage;
    if (!reversed.violation.is_false()) {
      if (update) {
        const Type type = target_type(*p.source);
        const bool exact = reorders_exactly(*op, type);
        commute(reversed.violation, exact, p, q, into);
      } else {
        into.reversed.push_back(std::move(reversed));
      }
    }
    const bool launches_changed = same_launch(x1, x2) != same_launch(y1, y2);
    if (a.variable ? launches_changed : of != Copies::device) {
      if (hardware_changed_ || launches_changed)
        private_flow(y1, y2, x1, x2, a, b, both, was_before, approximate, into);
    } else if (after_.slots > 0) {
      // A variable from outside the hardware loops has a copy in every thread; only what both touch under a slot can be shared wrongly.
      Case apart_threads = make(a.variable ? !same_thread(y1, y2) : different_groups(y1, y2), "RACE-1");
      apart_threads.threads = {y1, y2};
      if (!apart_threads.violation.is_false()) into.threads.push_back(std::move(apart_threads));
    }
    if (p.now == q.now && in_lanes(*p.now) && a.writes && b.writes && gathered_.count(p.now->statement) == 0) {
      // Whatever the old order was: copies that were separate may have become one.
      const Formula lockstep =
          Formula::all({same_thread(y1, y2), !ordered_before(y1, true, y2, true, Copies::thread),
                        !ordered_before(y2, true, y1, true, Copies::thread), !same_instance(y1, y2)});
      into.lockstep.push_back({both & lockstep, x1, x2, &a, &b, approximate, "IND-2"});
    }
  }

  // Per-thread copies: a value must not have to travel between threads that were one, nor be met by one that was another.
  void private_flow(const Instance& y1, const Instance& y2, const Instance& x1, const Instance& x2, const Access& a,
                    const Access& b, const Formula& both, const Formula& was_before, bool approximate,
                    StorageCases& into) {
    if (!a.writes || b.writes) return;
    const Copies of = copies_of(before_.program, a);
    // The write reaches the read, and no write of the read's own thread comes in between.
    const Formula covered = written_between(before_, x1, x2, x2, b);
    into.flow.push_back({Formula::all({both, was_before, out_of_reach(y1, y2, of), !covered}), x1, x2, &a, &b,
                         approximate || stores_by_data(before_, b.storage), "PRIV-1"});
    const Formula met = (!same_copy(x1, x2, of)) & ordered_before(y1, true, y2, false, of);
    into.flow.push_back({both & met & !written_between(after_, y1, y2, x2, b), x1, x2, &a, &b,
                         approximate || stores_by_data(after_, b.storage), "PRIV-1"});
  }

  // Some store to the buffer happens, or has its cell, by data: then not every store that may come in between is known.
  static bool stores_by_data(const View& view, const Symbol& storage) {
    const auto& stores = view.stores.all(storage);
    return std::any_of(stores.begin(), stores.end(), [&](std::size_t i) {
      const Node& n = view.extraction.nodes[i];
      return !is_pure(instantiate(view, n, "s"), *n.store());
    });
  }

  Type target_type(const Node& n) const {
    if (n.stmt->kind == StmtKind::assign) return before_.extraction.variables.at(n.stmt->name).type;
    const Buffer* b = before_.program.find_buffer(n.stmt->name);
    return b ? b->type : Type::f32;
  }

  static bool in_lanes(const Node& n) {
    return std::any_of(n.loops.begin(), n.loops.end(), [](const Stmt& l) { return l->axis == Axis::vectorized; });
  }

  // A cheap way to see that two accesses never meet: an equation whose interval excludes zero.
  static bool apart(const Instance& y1, const Instance& y2, const Formula& meet) {
    Ranges ranges = y1.view->ranges;
    for (const Instance* y : {&y1, &y2}) {
      Ranges own = y->view->ranges;
      for (const Stmt& loop : y->node->loops) {
        add_loop(own, loop);
        ranges[*y->symbols.at(loop->name).as_symbol()] = own[loop->name];
      }
    }
    const auto impossible = [&](const Formula& f) {
      if (f.kind() != Formula::Kind::zero) return false;
      const Interval i = interval(f.expression(), ranges);
      return i.empty() || i.lo > 0 || i.hi < 0;
    };
    if (meet.kind() == Formula::Kind::conjunction)
      return std::any_of(meet.parts().begin(), meet.parts().end(), impossible);
    return impossible(meet);
  }

  View before_, after_;
  Query& query_;
  Validation out_;
  std::vector<Pair> pairs_;
  std::map<int, std::optional<Op>> updates_;  // by statement of the old program
  std::set<int> gathered_;  // statements of the new program whose stores partial results take over (PRF-57)
  bool hardware_changed_ = false;
  bool vacuous_ = false;  // nothing that the step moves ever executes
};

}  // namespace

namespace {

bool is_proved(const Validation& v) {
  return std::all_of(v.obligations.begin(), v.obligations.end(),
                     [](const Obligation& o) { return o.status == Obligation::Status::proved; });
}

// What else a step is, of which some obligation as a reordering does not hold: a rewriting, where the condition that seems to
// be folded is not the one that was (PRF-108), or one that leaves out zeroes that nobody sees (PRF-106).
Validation validate_reordering(const Program& before, const Program& after, Query& query) {
  Validation ordered = validate_order(before, after, query);
  bool lost = false, folded = false, otherwise = false;
  for (const Obligation& o : ordered.obligations) {
    if (o.status == Obligation::Status::proved) continue;
    (o.kind == "domain-bijection" ? lost : o.kind == "guard-fold" ? folded : otherwise) = true;
  }
  if (folded && !lost && !otherwise) {
    const View was(before), is(after);
    if (!align(was, is)) return ordered;
    Validation rewritten = validate_rewrite(before, after, query);
    return is_proved(rewritten) ? rewritten : ordered;
  }
  const auto spelled = lost && !folded && !otherwise ? spell_out_zeroing(before, after) : std::optional<SpelledOut>();
  if (!spelled) return ordered;
  Validation flow = in_given_numbers(validate_flow(spelled->before, spelled->after, query), *spelled);
  const bool added = std::any_of(flow.obligations.begin(), flow.obligations.end(), [](const Obligation& o) {
    return o.status != Obligation::Status::proved && (o.code == "DOM-3" || o.kind == "claim");
  });
  return added ? ordered : flow;  // it does more than the old program, too
}

Validation validate_meaning(const Program& before, const Program& after, Query& query) {
  if (!has_loop(before.body, {Axis::reduce}) &&
      !has_loop(after.body, {Axis::reduce})) {  // these know no threads that contribute together
    if (auto selected = validate_selection(before, after, query)) return *std::move(selected);
    if (auto absorbed = validate_absorption(before, after, query)) return *std::move(absorbed);
  }
  if (const auto one = with_single_stores(before, after))
    return in_given_numbers(validate_rewrite(one->before, one->after, query), one->origin);
  if (rewrites_values(before, after)) return validate_rewrite(before, after, query);
  if (!moves_values(before, after)) return validate_reordering(before, after, query);
  if (combines_partials(before, after)) return validate_accumulation(before, after, query);
  return validate_flow(before, after, query);
}

}  // namespace

Validation validate(const Program& before, const Program& after, Query& query) {
  Validation out = validate_meaning(before, after, query);
  for (Obligation& o : layout_obligations(after, query)) out.obligations.push_back(std::move(o));
  return out;
}

Validation derive::validate_order(const Program& before, const Program& after, Query& query,
                                  const std::set<int>& gathered) {
  if (const auto spelled = derive::spell_out_zeroing(before, after)) {
    std::set<int> numbers;
    for (std::size_t k = 0; k < spelled->after_origin.size(); ++k) {
      if (gathered.count(spelled->after_origin[k]) != 0) numbers.insert(static_cast<int>(k));
    }
    return derive::in_given_numbers(StepValidator(spelled->before, spelled->after, query, numbers).run(), *spelled);
  }
  return StepValidator(before, after, query, gathered).run();
}

}  // namespace assay
