// Two steps, each with its own obligations. The first compares the old program with a *direct* program, made here from the new
// one: without the statements that start and combine partials, and with every contribution stored straight into the target
// that its source has. That is a reordering (schema R). The second compares the direct program with the new one:
//   - every partial cell starts at the identity of the operator, before its first contribution              (PRF-51)
//   - every contribution's cell is combined once, later, into the target of that contribution               (PRF-52)
//   - nothing else uses the target between a contribution and its combination, nor the partials at all      (PRF-53)
// Then each target cell receives the same contributions, at the same time as seen by every other statement, in another order.
// Each holds within one epoch, an iteration of the loops that all uses of partial results share: epochs follow one another in
// a thread, and threads share no partial cell (PRF-55).
#include "proofs/validate/accumulation.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "proofs/obligation/operators.hpp"
#include "proofs/validate/accumulation_claim.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/flow.hpp"
#include "proofs/validate/flow_claim.hpp"
#include "proofs/validate/order.hpp"

namespace assay::derive {
namespace {

using Status = Obligation::Status;

// The conditions on the partial results of one target.
class PartialResults {
 public:
  PartialResults(const View& before, const View& after, Query& query, const Accumulation& sum)
      : before_(before), after_(after), query_(query), sum_(sum) {}

  void add_to(Validation& out) {
    obligations(out);
    if (!reorders_exactly(sum_.op, sum_.type)) reordered(out);
  }

 private:
  // ---- what the conditions are about -------------------------------------------------------------------------------

  // An arbitrary contribution: its execution in both programs, its partial cell, and its cell of the target. A dynamic index
  // is an unknown, the same one where both cells have the same expression.
  struct Given {
    const Contribution* c;
    Instance now, was;
    Spot part, target;
    Formula when;
    bool approximate;
  };

  Given given(const Contribution& c) const {
    Given g{&c, instantiate(after_, *c.now, "y"), {}, {}, {}, {}, has_data_guard(*c.now)};
    g.was = source_instance(before_, *c.source, g.now);
    g.when = domain(g.now) & decided_guards(g.now);
    const Access& store = *c.now->store();
    std::vector<std::pair<Expr, Index>> known;
    const auto value = [&](const Expr& e, const std::string& tag, const Index& extent) {
      if (e->op == Op::index) return g.now.apply(e->index);
      const auto same = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == e; });
      if (same != known.end()) return same->second;
      const Term t = integer_term(g.now, e, tag);
      // Every access is inside its buffer: an obligation of its own.
      g.when = Formula::all({g.when, t.facts, Formula::le(Index(0), t.value), Formula::lt(t.value, extent)});
      g.approximate |= !t.exact;
      known.emplace_back(e, t.value);
      return t.value;
    };
    const auto spot = [&](const Symbol& buffer, const std::vector<Expr>& indices, const std::string& tag) {
      Spot out{buffer, false, {}};
      const Buffer& b = *after_.program.find_buffer(buffer);
      for (std::size_t d = 0; d < indices.size(); ++d)
        out.at.push_back(value(indices[d], tag + "@" + std::to_string(d), b.dims[d]));
      return out;
    };
    g.part = spot(store.storage, store.indices, "p");
    if (sum_.variable) {
      g.target = {sum_.target, true, {}};
      for (const Stmt& loop : after_.extraction.variables.at(sum_.target).around)
        g.target.at.push_back(g.now.symbols.at(loop->name));
    } else {
      g.target = spot(sum_.target, target_indices(c), "t");
    }
    return g;
  }

  Spot cell(const Instance& x, const Access& a) const { return *cell_of(x, a); }

  Formula same_epoch(const Instance& x, const Instance& y) const {
    std::vector<Formula> parts;
    for (std::size_t k = 0; k < sum_.epoch; ++k) parts.push_back(Formula::eq(x.symbol(k), y.symbol(k)));
    return Formula::all(std::move(parts));
  }
  // The two executions are in one epoch and use one cell. (Of the same copy: in an epoch there is one thread.)
  Formula meet(const Instance& x, const Spot& a, const Instance& y, const Spot& b) const {
    return a.storage == b.storage ? same_place(a, b) & same_epoch(x, y) : Formula::falsity();
  }

  // One of the reads of a combination, at an arbitrary execution.
  struct Read {
    const Combination* m;
    const Part* part;
    Instance reader, at;  // the statement that reads, and the combination
    Index choice;
    Spot cell;
    Formula when;
  };
  Read read(const Combination& m, const Part& p, const std::string& suffix) const {
    const Instance reader = instantiate(after_, *m.reads, suffix);
    const Index choice = Index::symbol("part'" + suffix);
    const Instance at{&after_, m.now, reader.symbols, {}};
    return {&m, &p, reader, at, choice, p.at(reader, choice), domain(at) & p.inside(choice)};
  }
  std::vector<Symbol> bound(const Read& r) const {
    std::vector<Symbol> out = r.reader.fresh;
    if (r.part->axis >= 0) out.push_back(*r.choice.as_symbol());
    return out;
  }
  template <typename F>
  void each_read(const std::string& suffix, F f) const {
    for (const Combination& m : sum_.combinations) {
      for (const Part& p : m.parts) f(read(m, p, suffix));
    }
  }

  // ---- obligations -------------------------------------------------------------------------------------------------

  void discharge_here(Validation& out, const ObligationText& text, const std::vector<Case>& cases) {
    out.obligations.push_back(discharge(text, before_.parameters, before_.program, cases, query_));
  }

  void obligations(Validation& out) {
    const std::string on = "`" + sum_.target + "`";
    std::vector<Case> starts, once, apart;
    for (const Contribution& c : sum_.contributions) {
      const Given y = given(c);
      started(y, starts);
      combined(y, once);
      isolated(y, apart);
    }
    each_read("m", [&](const Read& m) {
      starts.push_back({m.when & !Formula::any(starts_before(m.reader, m.cell)), {}, {}, nullptr, nullptr, false, {}});
    });
    const bool fits = starts_fit();
    Obligation table{"same-contributions",
                     "partial results of " + on + " have its type and start at the identity of the operator",
                     fits ? Status::proved : Status::undecided,
                     "table",
                     fits ? "" : "ACC-1",
                     fits ? "" : "a start is not the identity",
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
  }

  bool starts_fit() const {
    const auto identity = identity_of(sum_.op, sum_.type);
    return identity &&
           std::all_of(sum_.partial.begin(), sum_.partial.end(),
                       [&](const Symbol& p) { return after_.program.find_buffer(p)->type == sum_.type; }) &&
           std::all_of(sum_.starts.begin(), sum_.starts.end(),
                       [&](const Node* n) { return n->stmt->value->literal == *identity; });
  }

  void reordered(Validation& out) const {
    out.licence = std::max(out.licence, Licence::reassociates);
    for (const Contribution& c : sum_.contributions) {
      out.reordered_before.insert(c.source->statement);
      out.reordered_after.insert(c.now->statement);
    }
    for (const Combination& m : sum_.combinations) {
      out.reordered_after.insert(m.now->statement);
      out.reordered_after.insert(m.reads->statement);
    }
    // An update of the target that stays where it is may come before or after a combination.
    for (const Node& n : after_.extraction.nodes) {
      if (!is_other_update(n)) continue;
      out.reordered_after.insert(n.statement);
      out.reordered_before.insert(n.stmt->provenance->statement);
    }
  }

  static Case make(const Formula& f, const Given& y) {
    return {f, y.was, {}, y.c->source->store(), nullptr, y.approximate, {}};
  }

  // The ways in which the cell was started before `user` reads it.
  std::vector<Formula> starts_before(const Instance& user, const Spot& part) const {
    const Copies of = copies_of(after_.program, part.storage, part.variable);
    std::vector<Formula> ways;
    for (const Node* n : sum_.starts) {
      const Instance z = instantiate(after_, *n, "z");
      const Formula same = meet(z, cell(z, *n->store()), user, part);
      if (same.is_false()) continue;
      ways.push_back(exists_solved(z.fresh, domain(z) & same & ordered_before(z, true, user, false, of)));
    }
    return ways;
  }

  void started(const Given& y, std::vector<Case>& into) const {
    const Copies of = copies_of(after_.program, y.part.storage, y.part.variable);
    for (const Node* n : sum_.starts) {
      // Never again once there is something to lose.
      const Instance z = instantiate(after_, *n, "z");
      into.push_back(make(Formula::all({y.when, domain(z), meet(z, cell(z, *n->store()), y.now, y.part),
                                        !ordered_before(z, true, y.now, false, of)}),
                          y));
    }
    into.push_back(make(y.when & !Formula::any(starts_before(y.now, y.part)), y));
  }

  void combined(const Given& y, std::vector<Case>& into) const {
    const Copies of = copies_of(after_.program, y.part.storage, y.part.variable);
    std::vector<Formula> ways;
    each_read("m", [&](const Read& m) {
      const Formula hit = m.when & meet(m.reader, m.cell, y.now, y.part);
      if (hit.is_false()) return;
      ways.push_back(exists_solved(bound(m), Formula::all({hit, same_place(cell(m.at, *m.m->now->store()), y.target),
                                                           ordered_before(y.now, true, m.reader, false, of)})));
      each_read("n", [&](const Read& n) {
        const bool one = m.m == n.m && m.part == n.part;  // then both choose the same cell
        const Formula again = n.when & meet(n.reader, n.cell, y.now, y.part);
        if (again.is_false()) return;
        into.push_back(
            make(Formula::all({y.when, hit, again, one ? !same_instance(m.reader, n.reader) : Formula::truth()}), y));
      });
    });
    into.push_back(make(y.when & !Formula::any(std::move(ways)), y));
  }

  void isolated(const Given& y, std::vector<Case>& into) const {
    const Copies of = copies_of(after_.program, sum_.target, sum_.variable);
    each_read("m", [&](const Read& m) {
      const Formula mine = Formula::all({y.when, m.when, meet(m.reader, m.cell, y.now, y.part)});
      if (mine.is_false()) return;
      for (const Node& n : after_.extraction.nodes) {
        if (sum_.is_combination(n) || is_other_update(n)) continue;
        const Instance o = instantiate(after_, n, "o");
        for (const Access& a : n.accesses) {
          if (a.variable != sum_.variable || a.storage != sum_.target) continue;
          const auto own = cell_of(o, a);
          const bool apart = of != Copies::device && same_launch(o, y.now);  // another copy is another cell
          const Formula meets =
              Formula::all({domain(o), access_condition(o, a), own ? same_place(*own, y.target) : Formula::truth(),
                            apart ? same_copy(o, y.now, of) : Formula::truth()});
          Case k = make(Formula::all({mine, meets, !ordered_before(o, a.writes, y.now, true, of),
                                      !ordered_before(m.at, true, o, a.writes, of)}),
                        y);
          k.approximate |= !is_affine(o, a);
          into.push_back(std::move(k));
        }
      }
    });
  }

  // An old update of the target by the same operator, which may come in any order with its combinations.
  bool is_other_update(const Node& n) const {
    const bool target =
        (n.stmt->kind == StmtKind::store || n.stmt->kind == StmtKind::assign) && n.stmt->name == sum_.target;
    return target && !is_added(n.stmt) && accumulation(n.stmt) == sum_.op;
  }

  const View& before_;
  const View& after_;
  Query& query_;
  const Accumulation& sum_;
};

Validation refused(const std::string& why, const Stmt& where) {
  Validation out;
  out.obligations.push_back(
      refused_claim("every new statement starts or combines partial results of an accumulation", why, where));
  return out;
}

}  // namespace

bool combines_partials(const Program& before, const Program& after) {
  bool found = false;
  const Extraction old = extract(before);
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const bool target = s->kind == StmtKind::assign
                            ? old.variables.count(s->name) != 0
                            : s->kind == StmtKind::store && before.find_buffer(s->name) != nullptr;
    found |= target && is_added(s) && accumulation(s).has_value();
    return true;
  };
  visit(after.body, v);
  return found;
}

Validation validate_accumulation(const Program& before_program, const Program& after_program, Query& query) {
  if (const auto difference = interface_difference(before_program, after_program, true))
    return refused(*difference, {});
  const View before(before_program), after(after_program);
  const AccumulationClaim claim = derive_accumulation(before, after);
  if (!claim.refusal.empty()) return refused(claim.refusal, claim.refused);
  const DirectProgram direct = direct_program(before, after, claim);
  Validation out = validate_order(before_program, direct.program, query, direct.contributions);
  // Threads of the direct program are none of the program after the step: they are run where they are (RPL-10).
  const auto judged = std::make_shared<const Program>(direct.program);
  for (Obligation& o : out.obligations) {
    if (o.witness && o.witness->threads) o.witness->judged = judged;
    o.further.clear();
  }
  std::set<int> reordered;
  for (int s : out.reordered_after) reordered.insert(direct.numbers.at(static_cast<std::size_t>(s)));
  out.reordered_after = std::move(reordered);
  std::set<Symbol> defined;  // partial results are covered by the conditions on them
  for (const Accumulation& sum : claim.targets) {
    PartialResults(before, after, query, sum).add_to(out);
    const bool entry = !sum.variable && is_defined_on_entry(before_program.find_buffer(sum.target)->kind);
    if (!entry) defined.insert(sum.target);
  }
  for (Obligation& o : lint_after_flow(after_program, defined, query)) out.obligations.push_back(std::move(o));
  return out;
}

}  // namespace assay::derive
