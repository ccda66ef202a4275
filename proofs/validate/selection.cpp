// The old program is written with the iteration that each such loop selects in its place, which is right if the others change
// nothing (HOT-10 to HOT-13); what that program and the new one have to do with each other is a rewriting (schema W).
#include "proofs/validate/selection.hpp"

#include <algorithm>

#include "ir/literal.hpp"
#include "ir/one_hot.hpp"
#include "ir/reads.hpp"
#include "ir/traverse.hpp"
#include "proofs/obligation/operators.hpp"
#include "proofs/validate/align.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/renumber.hpp"
#include "proofs/validate/rewrite.hpp"

namespace assay::derive {
namespace {

// Adding what is not −0 to something that is not −0, or taking anything from it, does not give −0 (fma may, by rounding).
bool keeps_from_minus_zero(const Expr& value, const Stmt& s) {
  const bool target = value->name == s->name && (value->op == Op::variable || value->op == Op::load);
  if (target) return true;
  if (value->op == Op::add) return keeps_from_minus_zero(value->args[0], s) || keeps_from_minus_zero(value->args[1], s);
  return value->op == Op::sub && keeps_from_minus_zero(value->args[0], s);
}

// Every value that was ever stored there is not −0: constants, and what is accumulated on them.
bool never_minus_zero(const View& view, const Symbol& storage) {
  const Buffer* b = view.program.find_buffer(storage);
  if (b && (b->kind == BufferKind::input || b->kind == BufferKind::inout || b->kind == BufferKind::constant))
    return false;
  const auto& stores = view.stores.all(storage);
  return std::all_of(stores.begin(), stores.end(), [&](std::size_t k) {
    const Stmt& s = view.extraction.nodes[k].stmt;
    if (s->kind == StmtKind::zero) return true;
    if (s->value->op == Op::literal) return s->value->literal != identity_of(Op::add, s->value->type);
    return accumulation(s) == Op::add && keeps_from_minus_zero(s->value, s);
  });
}

class Selector {
 public:
  Selector(const Program& before, const Program& after, Query& query)
      : before_(number_statements(before)), view_(before_), given_after_(after), query_(query) {}

  std::optional<Validation> run() {
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (s->provenance && s->provenance->statement >= 0) claims_.emplace(s->provenance->statement, s);
      return true;
    };
    visit(given_after_.body, v);
    Program selected = before_;
    selected.body = rewrite(before_.body, {}, [&](const Stmt& s) -> Block {
      return s->kind == StmtKind::loop && is_gone(s) ? in_place_of(s) : Block{s};
    });
    if (!any_) return std::nullopt;
    if (!refusal_.empty()) return refused(refusal_, refused_at_);

    const Renumbered r = renumbered(selected, given_after_);
    return judged(r.before, r.after, r.origin);
  }

 private:
  Validation judged(const Program& selected, const Program& after, const SpelledOut& origin) {
    Validation out;
    out.obligations.push_back(
        discharge({"value-preservation", "each loop that goes runs at most one iteration that changes anything",
                   "HOT-14", "HOT-15"},
                  view_.parameters, before_, cases_, query_));
    const View was(selected), is(after);
    if (!align(was, is)) return refused("the other statements are not where they were", {});
    Validation rest = in_given_numbers(validate_rewrite(selected, after, query_), origin);
    for (Obligation& o : rest.obligations) out.obligations.push_back(std::move(o));
    // The selected iteration is found by computing e also where the loop has no iteration.
    std::set<Symbol> read;
    for (const Node& n : is.extraction.nodes) {
      for (const Access& a : n.accesses) {
        if (!a.writes) read.insert(a.storage);
      }
    }
    for (Obligation& o : lint_after_rewrite(after, read, query_)) out.obligations.push_back(std::move(o));
    return out;
  }

  static Validation refused(const std::string& why, const Stmt& where) {
    Validation out;
    out.obligations.push_back(
        refused_claim("a loop that goes has one iteration at most that changes anything", why, where));
    return out;
  }
  Block refuse(std::string why, const Stmt& loop) {
    if (refusal_.empty()) {
      refusal_ = std::move(why);
      refused_at_ = loop;
    }
    return {loop};
  }

  const Stmt* claim(const Stmt& s) const {
    const auto at = claims_.find(s->provenance->statement);
    return at == claims_.end() ? nullptr : &at->second;
  }

  // Nothing claims the loop as a loop, and a claim of what it holds does not say at which iteration.
  bool is_gone(const Stmt& loop) const {
    const Stmt* c = claim(loop);
    if (c && (*c)->kind == StmtKind::loop) return false;
    bool found = false;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      const Stmt* inner = claim(s);
      found = found || (inner && s->kind != StmtKind::loop && s->kind != StmtKind::branch &&
                        (*inner)->provenance->to_source.count(loop->name) == 0);
      return !found;
    };
    for (const Stmt& s : loop->body) visit(s, v);
    return found;
  }

  Block in_place_of(const Stmt& loop) {
    any_ = true;
    const auto hot = one_hot(loop);
    if (!hot) return refuse(hot.error(), loop);
    const Node& node = *view_.extraction.find(hot->source->provenance->statement);
    const Symbol& target = node.stmt->name;
    // e has one value during the loop.
    if (reads(hot->at, target))
      return refuse("the value that selects the iteration reads what the loop stores to", loop);
    // The symbol has e's value in one iteration at most.
    Ranges ranges = view_.ranges;
    for (const Stmt& l : node.loops) add_loop(ranges, l);
    const auto upper = upper_condition(*hot, loop, ranges);
    if (!upper) return refuse("the loop symbol may leave the type that it is compared at", loop);
    if (hot->at->type != Type::index) {
      const IntRange fits = int_range(hot->at->type);
      if (!interval(loop->lo, ranges).within(fits.lo, fits.hi))
        return refuse("the loop symbol may leave the type that it is compared at", loop);
    }
    if (hot->otherwise && !is_neutral(*hot, target))
      return refuse("what the other iterations accumulate is not neutral", loop);

    // Lanes that select different iterations stored one after the other; now all of them load before any stores (HOT-17).
    const bool lanes =
        std::any_of(node.loops.begin(), node.loops.end(), [](const Stmt& l) { return l->axis == Axis::vectorized; });
    if (lanes && reads_other_cells(*hot))
      return refuse("lanes read cells that other lanes store in another iteration", loop);

    const Stmt selected = with(hot->selected, [&](StmtNode& n) { n.provenance = without(loop, n.provenance); });
    const Stmt* c = claim(loop);
    if (c) {
      return {with(make_branch(make_op(Op::land, {hot->lowest, *upper}), {selected}, {}, loop->where),
                   [&](StmtNode& n) { n.provenance = without(loop, loop->provenance); })};
    }
    // Without a condition some iteration is selected always.
    const Instance x = instantiate(view_, node, "1");
    const Term at = integer_term(x, hot->at, "e");
    const Formula outside = Formula::lt(at.value, x.apply(loop->lo)) | Formula::le(x.apply(loop->hi), at.value);
    Formula around = Formula::truth();
    for (const Stmt& l : node.loops) {
      if (l->name != loop->name) around = around & x.apply(loop_domain(l));
    }
    cases_.push_back({Formula::all({around, at.facts, outside}), x, {}, nullptr, nullptr, true, {}});
    return {selected};
  }

  bool is_neutral(const OneHot& hot, const Symbol& target) const {
    const Type type = hot.otherwise->type;
    const Scalar zero{type, 0};
    if (hot.op == Op::sub) return *hot.otherwise == zero;
    if (*hot.otherwise == identity_of(hot.op, type)) return true;
    return hot.op == Op::add && *hot.otherwise == zero && never_minus_zero(view_, target);
  }

  static std::shared_ptr<const Provenance> without(const Stmt& loop, const std::shared_ptr<const Provenance>& p) {
    Provenance out = *p;
    out.to_source.erase(loop->name);
    return std::make_shared<const Provenance>(std::move(out));
  }

  const Program before_;
  const View view_;
  const Program& given_after_;
  Query& query_;
  std::map<int, Stmt> claims_;
  std::vector<Case> cases_;
  bool any_ = false;
  std::string refusal_;
  Stmt refused_at_;
};

}  // namespace

std::optional<Validation> validate_selection(const Program& before, const Program& after, Query& query) {
  return Selector(before, after, query).run();
}

}  // namespace assay::derive
