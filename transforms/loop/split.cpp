// `split i factor=16 -> io, ii`: one loop becomes two, of which the inner one has `factor` iterations (spec/split.md).
//
// With T = ceildiv(hi - lo, step) iterations, iteration factor·io + ii of the old loop is iteration (io, ii) of the new
// ones, and i becomes lo + step·(factor·io + ii). Where factor does not visibly divide T, the whole body stands under
// the guard that i is below hi; guard folding removes it again where it always holds.
#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"
#include "transforms/names.hpp"
#include "transforms/search.hpp"

namespace assay {
namespace {

class Split final : public Operation {
 public:
  Split(Arguments line, std::int64_t factor) : line_(std::move(line)), factor_(factor) {}

  static Declaration declare() {
    Declaration d;
    d.name = "split";
    d.rule_prefix = "SPLIT";
    d.summary = "splits a loop in two, the inner one with `factor` iterations";
    d.parameters = {
        {"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop to split; `i*` for all its copies"},
        {"factor",
         ParameterInfo::Kind::integer,
         true,
         {},
         {},
         "iterations of the inner loop, at least 1",
         ParameterInfo::Counts::part},
        {"outer", ParameterInfo::Kind::result, false, "LOOP_o", {}, "name of the outer loop"},
        {"inner", ParameterInfo::Kind::result, false, "LOOP_i", {}, "name of the inner loop"},
    };
    d.refusals = {
        {"SPLIT-1", "the factor is less than 1, or the step times the factor leaves 64 bits"},
        {"SPLIT-6", "the body holds a barrier and needs a remainder guard"},
        {"SCH-15", "the result would need more than three workgroup slots"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program copy { input X: f32[14] output Y: f32[14]\n"
        "  for i in 0..14 { Y[i] = X[i] }\n"
        "}\n";
    d.example_schedule = "split i factor=4 -> io, ii\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const std::int64_t factor = line.integers.at("factor");
    const Location where = line.place("factor");
    if (factor < 1)
      return tl::unexpected(
          error("SPLIT-1", where, fmt::format("the factor of a split is at least 1, not {}", factor)));
    for (const Symbol& symbol : line.loops.at("loop")) {
      const Stmt loop = find_loops(p, symbol).front();
      std::int64_t span = 0;
      if (__builtin_mul_overflow(loop->step, factor, &span)) {
        return tl::unexpected(
            error("SPLIT-1", where,
                  fmt::format("{} times the step of `{}`, {}, is beyond 64 bits", factor, symbol, loop->step)));
      }
    }
    return std::make_unique<Split>(std::move(line), factor);
  }

  StepResult apply(const Program& before, Query& query) const override {
    NameSupply names(before.bound_names());
    std::map<Symbol, std::pair<Symbol, Symbol>> results;
    std::map<Symbol, bool> guarded;
    for (const Symbol& symbol : line_.loops.at("loop")) {
      const Stmt loop = find_loops(before, symbol).front();
      guarded[symbol] = needs_guard(loop);
      if (guarded[symbol] && holds_barrier(loop->body)) {
        // A guard around a barrier is no way to write this; where it always holds it is not needed.
        const Formula facts = *facts_at_loop(before, symbol);
        if (!query.implied(facts,
                           Formula::zero(floormod(trip_count(loop), factor_)) | Formula::le(loop->hi, loop->lo))) {
          return tl::unexpected(
              inapplicable(line_, "SPLIT-6",
                           fmt::format("`{}` holds a barrier, and {} does not always divide its number of iterations",
                                       symbol, factor_),
                           loop->where, "choose a factor that divides the number of iterations"));
        }
        guarded[symbol] = false;
      }
      results[symbol] = new_names(symbol, names);
    }
    return placed(line_, rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
                    const auto it = results.find(s->name);
                    if (it == results.end()) return std::nullopt;
                    return Block{split(s, it->second.first, it->second.second, guarded.at(s->name))};
                  }));
  }

 private:
  bool needs_guard(const Stmt& loop) const { return !(floormod(trip_count(loop), factor_) == Index(0)); }

  std::pair<Symbol, Symbol> new_names(const Symbol& symbol, NameSupply& names) const {
    if (line_.results.empty()) {
      const Symbol outer = derived_name(symbol, "o", names);
      return {outer, derived_name(symbol, "i", names)};
    }
    const Symbol outer = names.fresh(line_.results.at("outer"));
    return {outer, names.fresh(line_.results.at("inner"))};
  }

  Stmt split(const Stmt& loop, const Symbol& outer, const Symbol& inner, bool guard) const {
    const Index iteration = Index::symbol(outer) * factor_ + Index::symbol(inner);
    const Index value = loop->lo + iteration * loop->step;
    Block body = substitute(loop->body, {{loop->name, value}});
    if (guard) body = {make_branch(compare(Op::lt, value, loop->hi), std::move(body), {}, loop->where)};
    // A @reduce loop holds plain loops only; every other kind stays on both, so that each iteration keeps a thread or
    // lane of its own.
    const Axis inner_axis = loop->axis == Axis::reduce ? Axis::serial : loop->axis;
    Stmt inner_loop = make_loop(inner, 0, factor_, 1, inner_axis, std::move(body), loop->where);
    return with(loop, [&](StmtNode& n) {
      n.name = outer;
      n.lo = 0;
      n.hi = ceildiv(trip_count(loop), factor_);
      n.step = 1;
      n.body = {std::move(inner_loop)};
    });
  }

  Arguments line_;
  std::int64_t factor_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Split)
