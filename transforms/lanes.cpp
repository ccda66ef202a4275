// for k in lo..hi { X = X ⊕ e(k) }, of T iterations, with W = lanes · chains, becomes
//
//   for s in 0..W { L[s] = identity }
//   for kb in 0..T / W { for kc in 0..chains @unrolled { for k in 0..lanes @vectorized { L[lanes·kc + k] ⊕= e(…) } } }
//   X = X ⊕ tree(L)      under the conditions around the updates that do not change with k
//   for kr in (the rest) { X = X ⊕ e(kr) }
//
// Nothing is left for a compiler to reassociate: the order of the terms is in the program.
#include "transforms/lanes.hpp"

#include <algorithm>

#include "proofs/obligation/operators.hpp"
#include "transforms/affine.hpp"
#include "transforms/facts.hpp"
#include "transforms/names.hpp"
#include "transforms/reduction.hpp"
#include "transforms/search.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

class Lanes {
 public:
  Lanes(const Arguments& line, std::int64_t lanes, std::int64_t chains, const Program& before, Query& query)
      : line_(line),
        lanes_(lanes),
        chains_(chains),
        width_(lanes * chains),
        before_(before),
        query_(query),
        extraction_(extract(before)),
        names_(before.bound_names()),
        loop_(find_loops(before, line.loops.at("loop")[0]).front()) {}

  StepResult run() {
    if (line_.loops.at("loop").size() != 1) return refuse("RET-10", "one reduction at a time is put into lanes");
    if (loop_->axis != Axis::serial && loop_->axis != Axis::unrolled)
      return refuse("RET-10", fmt::format("`{}` is a `@{}` loop", loop_->name, name(loop_->axis)));
    if (in_expression()) return refuse("RET-10", fmt::format("`{}` stands in an expression", loop_->name));
    if (const auto why = find_targets()) return refuse("RET-11", *why);
    const auto facts = *facts_at_loop(before_, loop_->name);
    count_ = constant_trip_count(loop_, facts, query_);

    Program after = before_;
    for (Target& t : targets_) {
      t.partials = derived_name(t.name, "lanes", names_);
      after.buffers.push_back({t.partials, BufferKind::local, t.reduction.type, {Index(width_)}, {}, {}, loop_->where});
    }
    Block replacement{start(), main_loop()};
    const Block combined = combination();
    replacement.insert(replacement.end(), combined.begin(), combined.end());
    if (!query_.implied(facts, Formula::zero(floormod(trip_count(loop_), width_)) | Formula::le(loop_->hi, loop_->lo)))
      replacement.push_back(remainder());
    return placed(line_, rewrite_loops(after, [&](const Stmt& s) -> std::optional<Block> {
                    if (s->name != loop_->name) return std::nullopt;
                    return replacement;
                  }));
  }

 private:
  StepResult refuse(std::string code, const std::string& reason) const {
    return tl::unexpected(inapplicable(line_, std::move(code), reason, loop_->where));
  }

  bool in_expression() const {
    bool found = false;
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      found |= e->op == Op::scope && find_statement(e->body, [&](const Stmt& s) {
                 return s->kind == StmtKind::loop && s->name == loop_->name;
               });
      return !found;
    };
    visit(before_.body, v);
    return found;
  }

  struct Target {
    Symbol name;
    Reduction reduction;
    Symbol partials;
    std::vector<Guard> shared{};  // conditions inside the loop on all updates that are known outside of it (RET-14)
  };

  // What the loop accumulates into and does not move, or why there is no such thing.
  std::optional<std::string> find_targets() {
    std::set<Symbol> seen;
    std::string why = "it does not accumulate into a cell or variable that stays the same during the loop";
    for (const Node& n : extraction_.nodes) {
      if (depth_of(n, loop_->name) == n.loops.size() || !n.store() || !seen.insert(n.store()->storage).second) continue;
      const Symbol& storage = n.store()->storage;
      if (declared_inside(storage)) continue;
      auto r = find_reduction(extraction_, before_, storage, loop_);
      if (!r) {
        if (!moves(n)) why = r.error().reason;
        continue;
      }
      const auto same = [&](const Node* u) {
        return u->stmt->indices == r->updates.front()->stmt->indices && !moves(*u);
      };
      if (!std::all_of(r->updates.begin(), r->updates.end(), same)) continue;
      std::vector<Guard> shared = known_conditions(*r);
      targets_.push_back({storage, *std::move(r), {}, std::move(shared)});
    }
    if (targets_.empty()) return why;
    return std::nullopt;
  }

  // Conditions inside the loop that all updates stand under, and that are the same in each of its iterations.
  std::vector<Guard> known_conditions(const Reduction& r) const {
    std::set<Symbol> hidden;  // bound by the loop and those inside
    std::vector<Guard> out = r.updates.front()->guards;
    for (const Node* n : r.updates) {
      const std::size_t depth = depth_of(*n, loop_->name);
      for (std::size_t k = depth; k < n->loops.size(); ++k) hidden.insert(n->loops[k]->name);
      if (n != r.updates.front()) out = common_guards(std::move(out), n->guards);
    }
    const auto depth = static_cast<int>(depth_of(*r.updates.front(), loop_->name));
    const auto other = [&](const Guard& g) { return g.loops <= depth || g.statement < 0 || !is_known(g, hidden); };
    out.erase(std::remove_if(out.begin(), out.end(), other), out.end());
    return out;
  }

  bool declared_inside(const Symbol& storage) const {
    const auto variable = extraction_.variables.find(storage);
    return variable != extraction_.variables.end() &&
           std::any_of(variable->second.around.begin(), variable->second.around.end(),
                       [&](const Stmt& l) { return l->name == loop_->name; });
  }

  // The cell depends on the loop or on one inside it, or reads data.
  bool moves(const Node& n) const {
    const auto cell = plain_cell(n.stmt->indices);
    if (!cell) return true;
    const std::set<Symbol> used = symbols_of(*cell);
    return std::any_of(n.loops.begin() + static_cast<std::ptrdiff_t>(depth_of(n, loop_->name)), n.loops.end(),
                       [&](const Stmt& l) { return used.count(l->name) != 0; });
  }

  Stmt start() {
    const Symbol s = derived_name(loop_->name, "s", names_);
    Block starts;
    for (const Target& t : targets_) {
      const Expr identity = make_literal(*identity_of(t.reduction.op, t.reduction.type));
      starts.push_back(make_store(t.partials, {make_index(Index::symbol(s))}, identity, loop_->where));
    }
    return make_loop(s, 0, width_, 1, Axis::serial, std::move(starts), loop_->where);
  }

  Stmt main_loop() {
    const Symbol block = derived_name(loop_->name, "b", names_);
    const Symbol chain = derived_name(loop_->name, "c", names_);
    Index lane = Index::symbol(loop_->name);
    if (chains_ > 1) lane = lane + Index::symbol(chain) * lanes_;
    const Index value = loop_->lo + (Index::symbol(block) * width_ + lane) * loop_->step;
    // The loop's own symbol becomes that of the lane; first its value, then the partial cells.
    Block body = substitute(loop_->body, {{loop_->name, value}});
    for (const Target& t : targets_) {
      body = redirected(body, t.name, t.partials, t.reduction.type,
                        [&](const std::vector<Expr>&) { return std::vector<Expr>{make_index(lane)}; });
    }
    body = {make_loop(loop_->name, 0, lanes_, 1, Axis::vectorized, std::move(body), loop_->where)};
    if (chains_ > 1) body = {make_loop(chain, 0, chains_, 1, Axis::unrolled, std::move(body), loop_->where)};
    return with(loop_, [&](StmtNode& n) {
      n.name = block;
      n.lo = 0;
      n.hi = floordiv(trip_count(loop_), width_);
      n.step = 1;
      n.axis = Axis::serial;
      n.body = std::move(body);
    });
  }

  Block combination() const {
    Block out;
    for (const Target& t : targets_) {
      const Block here = guarded(t.shared, {combination_of(t)}, {}, loop_->where);
      out.insert(out.end(), here.begin(), here.end());
    }
    // Without a full round there is nothing to combine, and the cell need not even be there.
    if (count_ && *count_ >= width_) return out;
    return {make_branch(compare(Op::le, Index(width_), trip_count(loop_)), std::move(out), {}, loop_->where)};
  }

  Stmt combination_of(const Target& t) const {
    const Reduction& r = t.reduction;
    std::vector<Expr> partials;
    for (std::int64_t l = 0; l < width_; ++l) partials.push_back(make_load(t.partials, r.type, {make_index(Index(l))}));
    const Expr tree = balanced(r.op, partials);
    if (r.variable) return make_assign(t.name, make_op(r.op, {make_variable(t.name, r.type), tree}), loop_->where);
    const std::vector<Expr>& cell = r.updates.front()->stmt->indices;
    return make_store(t.name, cell, make_op(r.op, {make_load(t.name, r.type, cell), tree}), loop_->where);
  }

  Stmt remainder() {
    const Symbol rest = derived_name(loop_->name, "r", names_);
    const Index done = max({Index(0), floordiv(trip_count(loop_), width_)}) * width_;
    Block body = refresh_binders(substitute(loop_->body, {{loop_->name, Index::symbol(rest)}}), names_);
    return with(loop_, [&](StmtNode& n) {
      n.name = rest;
      n.lo = loop_->lo + done * loop_->step;
      n.axis = loop_->axis;
      n.body = std::move(body);
    });
  }

  const Arguments& line_;
  const std::int64_t lanes_, chains_, width_;
  const Program& before_;
  Query& query_;
  const Extraction extraction_;
  NameSupply names_;
  const Stmt loop_;
  std::vector<Target> targets_;
  std::optional<std::int64_t> count_;  // iterations, where that is a number
};

}  // namespace

StepResult reduce_in_lanes(const Arguments& line, std::int64_t lanes, std::int64_t chains, const Program& before,
                           Query& query) {
  return Lanes(line, lanes, chains, before, query).run();
}

}  // namespace assay
