// `split_reduce k blocks=8 target=C combine=c0,c1 -> kb, ki, partials`: an accumulation into C over k is done in blocks of its
// own, whose partial results are combined afterwards in a fixed tree (spec/split_reduce.md).
//
//   for i { for k { C[i] ⊕= e } }
//     becomes
//   for i { for kb in 0..8 { P[kb, i] = identity;  for ki { P[kb, i] ⊕= e } } }
//   for c { C[c] = C[c] ⊕ ((P[0, c] ⊕ P[1, c]) ⊕ …) }
//
// Where each cell of C belongs to one iteration of the loops around, the partial results start in place; where loops come back
// to a cell all start before the statement. The combination runs over the same cells, or over all where these are not known
// (a scatter). That nothing else looks at C in between is an obligation.
#include <algorithm>

#include "proofs/obligation/operators.hpp"
#include "transforms/affine.hpp"
#include "transforms/facts.hpp"
#include "transforms/names.hpp"
#include "transforms/reduced_cells.hpp"
#include "transforms/reduction.hpp"
#include "transforms/search.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

constexpr std::int64_t most_blocks = 1024;

class SplitReduce final : public Operation {
 public:
  explicit SplitReduce(Arguments line) : line_(std::move(line)), blocks_(line_.integers.at("blocks")) {}

  static Declaration declare() {
    Declaration d;
    d.name = "split_reduce";
    d.rule_prefix = "SRD";
    d.summary = "accumulates in blocks of their own, and combines their results in a fixed tree";
    d.parameters = {
        {"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop that accumulates"},
        {"blocks",
         ParameterInfo::Kind::integer,
         true,
         {},
         {},
         "the number of blocks, 2 to 1024",
         ParameterInfo::Counts::part},
        {"target", ParameterInfo::Kind::storage, true, {}, {}, "the buffer that is accumulated into"},
        {"combine",
         ParameterInfo::Kind::names,
         false,
         {},
         {},
         "names of the loops that combine, one per dimension of the target (default TARGET_c0, TARGET_c1, ...)"},
        {"block", ParameterInfo::Kind::result, false, "LOOP_b", {}, "name of the loop over the blocks"},
        {"inner", ParameterInfo::Kind::result, false, "LOOP_i", {}, "name of the loop inside a block"},
        {"partials", ParameterInfo::Kind::result, false, "TARGET_p", {}, "name of the buffer of partial results"},
    };
    d.refusals = {
        {"SRD-1", "the number of blocks is not 2 to 1024"},
        {"SRD-2", "the loop is not one plain loop outside of expressions, or holds a barrier"},
        {"SRD-3", "the loop does not accumulate into the target by one operator, or uses it otherwise too"},
        {"SCH-12", "`combine` names another number of loops than the target has dimensions"},
    };
    d.schema = "A (accumulation)";
    d.greatest = Licence::reassociates;
    d.obligations = {"same-contributions", "domain-bijection", "dependence-order", "in-bounds", "defined-before-read"};
    d.example_program =
        "program rows { input A: f32[7, 46] input v: f32[46] inout y: f32[7]\n"
        "  for i in 0..7 { for k in 0..46 { y[i] += A[i, k] * v[k] } }\n"
        "}\n";
    d.example_schedule = "split_reduce k blocks=5 target=y combine=c -> kb, ki, P\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const std::int64_t blocks = line.integers.at("blocks");
    if (blocks < 2 || blocks > most_blocks) {
      return tl::unexpected(error("SRD-1", line.place("blocks"),
                                  fmt::format("the number of blocks is 2 to {}, not {}", most_blocks, blocks)));
    }
    const std::size_t rank = p.find_buffer(line.buffers.at("target"))->dims.size();
    const auto given = line.result_lists.find("combine");
    if (given != line.result_lists.end() && given->second.size() != rank) {
      return tl::unexpected(
          error("SCH-12", line.place("combine"),
                fmt::format("`combine` takes one name for each dimension of `{}`: {}, and the line gives {}",
                            line.buffers.at("target"), rank, given->second.size())));
    }
    return std::make_unique<SplitReduce>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    const Symbol symbol = line_.loops.at("loop")[0];
    const Stmt loop = find_loops(before, symbol).front();
    if (line_.loops.at("loop").size() != 1)
      return tl::unexpected(refused("SRD-2", "it splits one loop at a time", loop));
    if (loop->axis != Axis::serial && loop->axis != Axis::unrolled)
      return tl::unexpected(refused("SRD-2", fmt::format("`{}` is a `@{}` loop", symbol, name(loop->axis)), loop));
    if (holds_barrier(loop->body))
      return tl::unexpected(refused("SRD-2", fmt::format("`{}` holds a barrier", symbol), loop));
    const auto top =
        std::find_if(before.body.begin(), before.body.end(), [&](const Stmt& s) { return holds(s, symbol); });
    if (top == before.body.end())
      return tl::unexpected(refused("SRD-2", fmt::format("`{}` stands in an expression", symbol), loop));
    const Extraction extraction = extract(before);
    Plan plan{before, *before.find_buffer(line_.buffers.at("target")), loop, {}, {}, {}, {}, {}, {}, {}, {}};
    auto reduction = find_reduction(extraction, before, plan.target.name, loop);
    if (!reduction)
      return tl::unexpected(inapplicable(line_, "SRD-3", reduction.error().reason, reduction.error().where));
    plan.reduction = *std::move(reduction);
    choose_names(plan);
    plan.count = constant_trip_count(loop, *facts_at_loop(before, symbol), query);
    plan.cells = reduced_cells(before, plan.reduction, loop);

    Program after = before;
    std::vector<Index> dims{Index(blocks_)};
    dims.insert(dims.end(), plan.target.dims.begin(), plan.target.dims.end());
    after.buffers.push_back({plan.partials, BufferKind::temp, plan.target.type, std::move(dims), {}, {}, loop->where});
    const Block blocks = in_blocks(plan);
    after = rewrite_loops(after, [&](const Stmt& s) -> std::optional<Block> {
      if (s->name != symbol) return std::nullopt;
      return blocks;
    });
    const auto at = after.body.begin() + (top - before.body.begin());
    const Block combined = combination(plan);
    after.body.insert(at + 1, combined.begin(), combined.end());
    if (!plan.in_place()) {
      const Block started = start_everywhere(plan);
      after.body.insert(after.body.begin() + (top - before.body.begin()), started.begin(), started.end());
    }
    return placed(line_, std::move(after));
  }

 private:
  struct Plan {
    const Program& before;
    const Buffer& target;
    Stmt loop;
    Reduction reduction;
    Symbol block, inner, partials;
    std::vector<Symbol> combine;
    std::optional<std::int64_t> count;  // iterations of the loop, where that is a number
    std::optional<NameSupply> names;
    std::optional<ReducedCells> cells;
    // Each cell belongs to one iteration of the loops around.
    bool in_place() const { return cells && cells->once(); }
  };

  Refusal refused(std::string code, const std::string& reason, const Stmt& where) const {
    return inapplicable(line_, std::move(code), reason, where->where);
  }

  // The statement is or holds the loop, not inside an expression.
  static bool holds(const Stmt& s, const Symbol& loop) {
    if (s->kind == StmtKind::loop && s->name == loop) return true;
    const auto inside = [&](const Block& b) {
      return std::any_of(b.begin(), b.end(), [&](const Stmt& t) { return holds(t, loop); });
    };
    return inside(s->body) || inside(s->other);
  }

  void choose_names(Plan& plan) const {
    NameSupply names(plan.before.bound_names());
    for (const auto& [parameter, symbols] : line_.result_lists) {
      for (const Symbol& s : symbols) names.take(s);
    }
    const auto result = [&](const char* parameter, const Symbol& from, const char* suffix) {
      return line_.results.empty() ? derived_name(from, suffix, names) : names.fresh(line_.results.at(parameter));
    };
    plan.block = result("block", plan.loop->name, "b");
    plan.inner = result("inner", plan.loop->name, "i");
    plan.partials = result("partials", plan.target.name, "p");
    const std::vector<Symbol> given = line_.new_names("combine");
    for (std::size_t d = 0; d < plan.target.dims.size(); ++d) {
      plan.combine.push_back(!given.empty() ? given[d] : derived_name(plan.target.name, fmt::format("c{}", d), names));
    }
    plan.names = std::move(names);
  }

  // ---- the new text ------------------------------------------------------------------------------------------------

  Expr identity(const Plan& plan) const { return make_literal(*identity_of(plan.reduction.op, plan.target.type)); }

  std::vector<Expr> partial_cell(const Index& block, const std::vector<Expr>& cell) const {
    std::vector<Expr> out{make_index(block)};
    out.insert(out.end(), cell.begin(), cell.end());
    return out;
  }

  Block in_blocks(Plan& plan) const {
    const Stmt& loop = plan.loop;
    const Index kb = Index::symbol(plan.block), ki = Index::symbol(plan.inner);
    // Neighbours in one block where their number is known, every blocks-th iteration otherwise.
    const std::int64_t chunk = plan.count ? floor_div(*plan.count + blocks_ - 1, blocks_) : 0;
    const Index iteration = plan.count ? kb * chunk + ki : ki * blocks_ + kb;
    const Index extent = plan.count ? Index(chunk) : ceildiv(trip_count(loop), blocks_);
    const bool even = plan.count ? chunk * blocks_ == *plan.count : floormod(trip_count(loop), blocks_) == Index(0);
    const Index value = loop->lo + iteration * loop->step;
    Block body = redirected(loop->body, plan.target.name, plan.partials, plan.target.type,
                            [&](const std::vector<Expr>& indices) { return partial_cell(kb, indices); });
    body = substitute(body, {{loop->name, value}});
    if (!even) body = {make_branch(compare(Op::lt, value, loop->hi), std::move(body), {}, loop->where)};
    Block block;
    if (plan.in_place()) block = start_in_place(plan);
    block.push_back(make_loop(plan.inner, 0, extent, 1, loop->axis, std::move(body), loop->where));
    return {with(loop, [&](StmtNode& n) {
      n.name = plan.block;
      n.lo = 0;
      n.hi = blocks_;
      n.step = 1;
      n.axis = Axis::serial;
      n.body = std::move(block);
    })};
  }

  Block start_in_place(Plan& plan) const {
    std::map<Symbol, Symbol> renamed;
    std::map<Symbol, Index> map;
    const ReducedCells& cells = *plan.cells;
    for (const Stmt& l : cells.tile) {
      renamed[l->name] = plan.names->fresh(l->name);
      map.emplace(l->name, Index::symbol(renamed[l->name]));
    }
    const Block start{make_store(plan.partials, partial_cell(Index::symbol(plan.block), index_expressions(cells.cell)),
                                 identity(plan), plan.loop->where)};
    return nest_like(cells.tile, renamed, guarded(cells.inside, substitute(start, map), map, plan.loop->where));
  }

  Block start_everywhere(Plan& plan) const {
    const Symbol block = derived_name(plan.loop->name, "s", *plan.names);
    std::vector<Symbol> symbols;
    for (std::size_t d = 0; d < plan.target.dims.size(); ++d)
      symbols.push_back(derived_name(plan.target.name, fmt::format("s{}", d), *plan.names));
    std::vector<Expr> cell{make_index(Index::symbol(block))};
    for (const Symbol& s : symbols) cell.push_back(make_index(Index::symbol(s)));
    Block out{make_store(plan.partials, std::move(cell), identity(plan), plan.loop->where)};
    out = over_all_cells(plan, symbols, std::move(out));
    return {make_loop(block, 0, blocks_, 1, Axis::serial, std::move(out), plan.loop->where)};
  }

  static Block over_all_cells(const Plan& plan, const std::vector<Symbol>& symbols, Block inner) {
    for (std::size_t d = symbols.size(); d-- > 0;)
      inner = {make_loop(symbols[d], 0, plan.target.dims[d], 1, Axis::serial, std::move(inner), plan.loop->where)};
    return inner;
  }

  // C[c] = C[c] ⊕ tree, over the cells that the loop updates.
  Block combination(const Plan& plan) const {
    if (!plan.cells) {
      Block out = combined_at(plan, index_expressions(symbols(plan)));
      if (only_parameters(plan)) out = where_they_run(plan, {plan.loop}, std::move(out), {});
      return over_all_cells(plan, plan.combine, std::move(out));
    }
    const ReducedCells& cells = *plan.cells;
    std::map<Symbol, Index> map;  // the moving loops' symbols, in terms of those of the combination
    std::vector<Index> cell = symbols(plan);
    for (const Stmt& l : cells.moving) {
      const std::size_t d = cells.dimension_of(l);
      if (!cells.joined[d]) map.emplace(l->name, cell[d]);
    }
    for (std::size_t d = 0; d < cell.size(); ++d) {
      const bool moved = std::any_of(cells.moving.begin(), cells.moving.end(),
                                     [&](const Stmt& l) { return cells.cell[d].mentions(l->name); });
      if (const auto& radix = cells.joined[d]) {
        map.merge(radix->symbols_at(cell[d]));
        cell[d] = radix->base + cell[d] * radix->unit;
      } else if (moved) {
        cell[d] = cells.cell[d].substitute(map);
      }
    }
    Block out = combined_at(plan, index_expressions(cell));
    std::vector<Stmt> running = cells.repeated;
    running.push_back(plan.loop);
    out = where_they_run(plan, running, std::move(out), map);
    out = guarded(cells.inside, std::move(out), map, plan.loop->where);
    out = guarded(cells.outside, std::move(out), map, plan.loop->where);
    return over_the_cells(plan, map, std::move(out));
  }

  static std::vector<Index> symbols(const Plan& plan) {
    std::vector<Index> out;
    for (const Symbol& s : plan.combine) out.push_back(Index::symbol(s));
    return out;
  }

  Block combined_at(const Plan& plan, const std::vector<Expr>& cell) const {
    std::vector<Expr> partials;
    for (std::int64_t b = 0; b < blocks_; ++b)
      partials.push_back(make_load(plan.partials, plan.target.type, partial_cell(b, cell)));
    const Op op = plan.reduction.op;
    const Expr old = make_load(plan.target.name, plan.target.type, cell);
    return {make_store(plan.target.name, cell, make_op(op, {old, balanced(op, partials)}), plan.loop->where)};
  }

  // Loops as those that move the cell, one for each dimension: of one that several move the numbers whose digits these are, of
  // one that none moves the one cell.
  static Block over_the_cells(const Plan& plan, const std::map<Symbol, Index>& map, Block inner) {
    const ReducedCells& cells = *plan.cells;
    const auto loop = [&](std::size_t d, const Index& lo, const Index& hi, std::int64_t step) {
      inner = {make_loop(plan.combine[d], lo, hi, step, Axis::serial, std::move(inner), plan.loop->where)};
    };
    std::vector<std::size_t> moved;  // dimensions in the order of their outermost loops
    for (const Stmt& l : cells.moving) {
      const std::size_t d = cells.dimension_of(l);
      if (std::find(moved.begin(), moved.end(), d) == moved.end()) moved.push_back(d);
    }
    for (std::size_t d = plan.combine.size(); d-- > 0;) {
      if (std::find(moved.begin(), moved.end(), d) == moved.end()) loop(d, cells.cell[d], cells.cell[d] + 1, 1);
    }
    for (auto d = moved.rbegin(); d != moved.rend(); ++d) {
      if (const auto& radix = cells.joined[*d]) {
        loop(*d, 0, radix->count, 1);
        continue;
      }
      const Stmt& like = *std::find_if(cells.moving.begin(), cells.moving.end(),
                                       [&](const Stmt& l) { return cells.dimension_of(l) == *d; });
      loop(*d, like->lo.substitute(map), like->hi.substitute(map), like->step);
    }
    return inner;
  }

  bool only_parameters(const Plan& plan) const {
    const std::set<Symbol> used = symbols_of({plan.loop->lo, plan.loop->hi});
    return std::all_of(used.begin(), used.end(), [&](const Symbol& s) { return plan.before.find_parameter(s); });
  }

  // Where one of the loops has no iteration, nothing is combined: the cell need not even be there. A bound that uses the symbol
  // of a loop that comes back to the cell is not known here.
  static Block where_they_run(const Plan& plan, const std::vector<Stmt>& loops, Block inner,
                              const std::map<Symbol, Index>& map) {
    std::set<Symbol> known;
    for (const auto& [symbol, value] : map) known.insert(symbol);
    std::vector<Expr> conditions;
    for (const Stmt& l : loops) {
      const std::set<Symbol> used = symbols_of({l->lo, l->hi});
      const bool fits = std::all_of(used.begin(), used.end(), [&](const Symbol& s) {
        return known.count(s) != 0 || plan.before.find_parameter(s);
      });
      const Index count = trip_count(l);
      const bool runs =
          l->name == plan.loop->name ? plan.count && *plan.count > 0 : count.is_constant() && count.constant() > 0;
      if (fits && !runs) conditions.push_back(compare(Op::lt, l->lo.substitute(map), l->hi.substitute(map)));
    }
    const Expr condition = conjunction(conditions);
    return condition ? Block{make_branch(condition, std::move(inner), {}, plan.loop->where)} : inner;
  }

  Arguments line_;
  std::int64_t blocks_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(SplitReduce)
