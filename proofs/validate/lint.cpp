// The obligations of a program by itself, over all parameter values and inputs: what makes a run free of faults and races.
#include <algorithm>

#include "proofs/validate/cases.hpp"
#include "proofs/validate/coverage.hpp"
#include "proofs/validate/flow.hpp"
#include "proofs/validate/last_stores.hpp"
#include "proofs/validate/launch.hpp"
#include "proofs/validate/layout.hpp"
#include "proofs/validate/order.hpp"
#include "proofs/validate/races.hpp"
#include "proofs/validate/rewrite.hpp"
#include "proofs/validate/width.hpp"

namespace assay {
namespace {

using namespace derive;

class Linter {
 public:
  Linter(const Program& p, Query& query) : view_(p), query_(query) {}
  Linter(const Program& p, Query& query, const std::set<Symbol>& defined)
      : view_(p), query_(query), defined_(&defined) {}

  // PRF-45
  std::vector<Obligation> run_after_flow() {
    shapes();
    bounds();
    definedness();
    threads();
    out_.push_back(index_width(view_, query_));
    return std::move(out_);
  }

  // W-7
  std::vector<Obligation> run_after_rewrite() {
    divisions();
    return run_after_flow();
  }

  std::vector<Obligation> run() {
    shapes();
    for (Obligation& o : layout_obligations(view_.program, query_)) out_.push_back(std::move(o));
    bounds();
    definedness();
    outputs();
    divisions();
    threads();
    out_.push_back(index_width(view_, query_));
    return std::move(out_);
  }

 private:
  void threads() {
    if (view_.grid_slots > 0) {
      for (Obligation& o : group_races(view_, query_)) out_.push_back(std::move(o));
      out_.push_back(launch_coverage(view_, query_));
    }
    for (Obligation& o : thread_obligations(view_, query_)) out_.push_back(std::move(o));
    lanes();
  }

  void discharge_here(const ObligationText& text, const std::vector<Case>& cases) {
    out_.push_back(discharge(text, view_.parameters, view_.program, cases, query_));
  }

  // PRF-27
  void shapes() {
    for (const Buffer& b : view_.program.buffers) {
      std::vector<Case> cases;
      for (const Index& d : b.dims) cases.push_back({Formula::lt(d, Index(0)), {}, {}, nullptr, nullptr, false, {}});
      Obligation o = discharge({"in-bounds", "no dimension of `" + b.name + "` is negative", "BND-3", "BND-3"},
                               view_.parameters, view_.program, cases, query_);
      if (o.status == Obligation::Status::proved) continue;  // what holds for nearly every program is not worth a line
      if (o.witness) {
        o.witness->buffer = b.name;
        o.witness->first.where = b.where;
      }
      out_.push_back(std::move(o));
    }
  }

  // PRF-20
  void bounds() {
    std::map<Symbol, std::vector<Case>> by_buffer;
    for (const Node& n : view_.extraction.nodes) {
      const Instance x = instantiate(view_, n, "1");
      for (const Access& a : n.accesses) {
        if (a.variable || a.whole) continue;
        const Buffer& b = *view_.program.find_buffer(a.storage);
        for (std::size_t d = 0; d < a.indices.size() && d < b.dims.size(); ++d) {
          const Formula happens = Formula::all(
              {domain(x), decided_guards(x), access_condition(x, a), guards_still_holding(x, a.guards, "@")});
          const Term t = stored_term(x, a.indices[d], "@");
          const auto outside = [&](const Term& at) {
            return happens & at.facts & (Formula::lt(at.value, Index(0)) | Formula::le(b.dims[d], at.value));
          };
          const bool approximate = has_data_guard(x) || has_data_guard(x, a.guards) || !t.exact;
          Case c{outside(t), x, {}, &a, nullptr, approximate, {}};
          if (!t.exact && query_.solve(view_.parameters & c.violation).kind != Answer::Kind::empty) {
            const Formula placed = place(*c.x, "1");
            c.violation = placed & outside(last_stored_term(*c.x, a.indices[d], "@"));
          }
          by_buffer[a.storage].push_back(std::move(c));
        }
      }
    }
    for (const auto& [buffer, cases] : by_buffer) {
      discharge_here({"in-bounds", "every access to `" + buffer + "` is inside", "BND-1", "BND-2"}, cases);
    }
  }

  // PRF-21
  void definedness() {
    std::map<Symbol, std::vector<Case>> by_storage;
    for (const Node& n : view_.extraction.nodes) {
      Instance x = instantiate(view_, n, "1");
      const Formula placed = place(x, "1");
      for (const Access& a : n.accesses) {
        if (a.writes || (defined_ && defined_->count(a.storage) == 0)) continue;
        const Buffer* b = a.variable ? nullptr : view_.program.find_buffer(a.storage);
        if (b && is_defined_on_entry(b->kind)) continue;
        Formula inside = Formula::truth();
        if (b) {
          for (std::size_t d = 0; d < a.indices.size() && d < b->dims.size(); ++d) {
            const Term t = integer_term(x, a.indices[d], "r@" + std::to_string(d) + "y");
            inside = inside & t.facts & Formula::le(Index(0), t.value) & Formula::lt(t.value, b->dims[d]);
          }
        }
        const Formula uncovered = Formula::all(
            {domain(x), placed, decided_guards(x), access_condition(x, a), inside, !written_before(view_, x, a)});
        const Formula perhaps = perhaps_written_before(view_, x, a);
        std::vector<Case>& cases = by_storage[a.storage];
        cases.push_back({uncovered & !perhaps, x, {}, &a, nullptr, !is_exact(x, a), {}});
        if (!perhaps.is_false()) cases.push_back({uncovered & perhaps, x, {}, &a, nullptr, true, {}});
      }
    }
    for (const auto& [storage, cases] : by_storage) {
      discharge_here(
          {"defined-before-read", "every cell of `" + storage + "` that is read was written before", "DEF-1", "DEF-3"},
          cases);
    }
  }

  // PRF-22
  void outputs() {
    for (const Buffer& b : view_.program.buffers) {
      if (b.kind != BufferKind::output) continue;
      std::vector<Index> cell;
      Formula inside = Formula::truth();
      for (std::size_t d = 0; d < b.dims.size(); ++d) {
        cell.push_back(Index::symbol("cell'" + std::to_string(d)));
        inside = inside & Formula::le(Index(0), cell[d]) & Formula::lt(cell[d], b.dims[d]);
      }
      Case c{inside & !written_at_end(view_, b, cell), {}, {}, nullptr, nullptr, false, {}};
      Obligation o =
          discharge({"output-coverage", "every cell of output `" + b.name + "` is written", "DEF-2", "DEF-4"},
                    view_.parameters, view_.program, {c}, query_);
      if (o.witness) {
        o.witness->buffer = b.name;
        o.witness->first.where = b.where;
        // Stores under data-dependent conditions do not count as certain; without any, the answer is exact.
        const bool data = std::any_of(view_.extraction.nodes.begin(), view_.extraction.nodes.end(), [&](const Node& n) {
          const Access* s = n.store();
          return s && !s->variable && s->storage == b.name && !is_exact(instantiate(view_, n, "1"), *s);
        });
        if (data && o.status == Obligation::Status::violated) {
          o.status = Obligation::Status::undecided;
          o.code = "DEF-4";
          o.reason = "some stores depend on data";
        }
      }
      out_.push_back(std::move(o));
    }
  }

  // PRF-23
  void divisions() {
    std::vector<Case> cases;
    for (const Node& n : view_.extraction.nodes) {
      const Instance x = instantiate(view_, n, "1");
      for (const Division& d : n.divisions) {
        const auto excludes_zero = [&](const Guard& g) { return excludes(g, d.divisor); };
        if (std::any_of(n.guards.begin(), n.guards.end(), excludes_zero) ||
            std::any_of(d.guards.begin(), d.guards.end(), excludes_zero))
          continue;
        const Term t = stored_term(x, d.divisor, "@");
        const Access where{{}, false, false, false, {}, d.guards, d.where};
        const bool data = has_data_guard(x) || has_data_guard(x, d.guards) || !t.exact;
        Case c{domain(x) & decided_guards(x) & access_condition(x, where) & t.facts & Formula::zero(t.value),
               x,
               {},
               nullptr,
               nullptr,
               data,
               {}};
        cases.push_back(std::move(c));
      }
    }
    if (!cases.empty()) discharge_here({"division", "no integer is divided by zero", "DIV-1", "DIV-2"}, cases);
  }

  // The guard says that `e` is not zero, in so many words. Sound for values that the guard and the division read alike:
  // nothing is stored between an expression's guard and its arm, but between an `if` and its body anything may be, so
  // there only expressions without loads of written buffers and without variables count.
  bool excludes(const Guard& g, const Expr& e) const {
    if (!is_comparison(g.condition->op)) return false;
    const Expr& a = g.condition->args[0];
    const Expr& b = g.condition->args[1];
    const auto zero = [](const Expr& z) { return z->op == Op::literal && is_int(z->type) && z->literal.bits == 0; };
    const bool left = a == e && zero(b);
    const bool right = b == e && zero(a);
    if (!left && !right) return false;
    if (g.statement >= 0 && !is_immutable(view_.program, e)) return false;
    switch (g.condition->op) {
      case Op::ne:
      case Op::lt:
      case Op::gt: return g.positive;
      case Op::eq:
      case Op::le:
      case Op::ge: return !g.positive;
      default: return false;
    }
  }
  // PRF-25
  void lanes() {
    std::map<Symbol, std::vector<Case>> by_storage;
    for (const Node& n : view_.extraction.nodes) {
      const Access* store = n.store();
      const bool vector =
          std::any_of(n.loops.begin(), n.loops.end(), [](const Stmt& l) { return l->axis == Axis::vectorized; });
      if (!store || !vector) continue;
      const Access& a = *store;
      const Instance x = instantiate(view_, n, "1");
      const Instance y = instantiate(view_, n, "2");
      const Formula both = Formula::all({domain(x), domain(y), decided_guards(x), decided_guards(y),
                                         same_cell(x, a, y, a, ""), !same_instance(x, y)});
      const Formula lockstep = same_thread(x, y) & !ordered_before(x, true, y, true, Copies::thread) &
                               !ordered_before(y, true, x, true, Copies::thread);
      by_storage[a.storage].push_back({both & lockstep, x, y, &a, &a, !is_pure(x, a), {}});
    }
    for (const auto& [storage, cases] : by_storage) {
      discharge_here({"iteration-independence", "no two lanes store one cell of `" + storage + "`", "IND-2", "IND-1"},
                     cases);
    }
  }

  View view_;
  Query& query_;
  const std::set<Symbol>* defined_ = nullptr;  // the storages to look at; null for all
  std::vector<Obligation> out_;
};

}  // namespace

std::vector<Obligation> derive::lint_after_flow(const Program& p, const std::set<Symbol>& defined, Query& query) {
  return of_new_program(Linter(p, query, defined).run_after_flow());
}

std::vector<Obligation> derive::lint_after_rewrite(const Program& p, const std::set<Symbol>& defined, Query& query) {
  return of_new_program(Linter(p, query, defined).run_after_rewrite());
}

std::vector<Obligation> lint_obligations(const Program& p, Query& query) { return Linter(p, query).run(); }

bool threads_are_ordered(const Program& p, Query& query) {
  const std::vector<Obligation> found = thread_obligations(View(p), query, {true});
  return found.empty() || found.back().status == Obligation::Status::proved;
}

std::vector<int> unneeded_barriers(const Program& p, Query& query) { return derive::unneeded_barriers(View(p), query); }

}  // namespace assay
