// `coalesce i j -> ij`: a loop and the loop that is its only statement become one (spec/coalesce.md).
//
// With M iterations of the inner loop, iteration ij of the new loop is iteration floordiv(ij, M) of the outer and
// floormod(ij, M) of the inner one. Both stay quasi-affine because M is a constant.
#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"
#include "transforms/names.hpp"
#include "transforms/nest.hpp"

namespace assay {
namespace {

class Coalesce final : public Operation {
 public:
  explicit Coalesce(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "coalesce";
    d.rule_prefix = "COA";
    d.summary = "makes one loop of a loop and the loop that is its only statement, conditions on index values aside";
    d.parameters = {
        {"outer", ParameterInfo::Kind::loop, true, {}, {}, "the outer loop; `i*` for all its copies"},
        {"inner", ParameterInfo::Kind::loop, true, {}, {}, "the loop inside it; `j*` for all its copies"},
        {"merged", ParameterInfo::Kind::result, false, "OUTER_INNER", {}, "name of the new loop"},
    };
    d.refusals = {
        {"COA-1", "the outer loop holds more than the inner one, conditions on index values aside"},
        {"COA-3", "the number of iterations of the inner loop is not the same constant whenever it is reached"},
        {"COA-4", "the loops are of different kinds"},
        {"COA-6", "the new bound leaves 64 bits"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program plane { input X: f32[3, 4] output Y: f32[3, 4]\n"
        "  for i in 0..3 { for j in 0..4 { Y[i, j] = X[i, j] } }\n"
        "}\n";
    d.example_schedule = "coalesce i j -> ij\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Coalesce>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    NameSupply names(before.bound_names());
    std::map<Symbol, Merge> merges;
    std::vector<Symbol> used;
    for (const Symbol& symbol : line_.loops.at("outer")) {
      const Stmt outer = find_loops(before, symbol).front();
      auto merge = plan(outer, before, query);
      if (!merge) return tl::unexpected(std::move(merge).error());
      merge->name = new_name(symbol, (*held_loop(outer))->name, names);
      used.push_back((*held_loop(outer))->name);
      merges.emplace(symbol, *std::move(merge));
    }
    for (const Symbol& symbol : line_.loops.at("inner")) {
      if (std::find(used.begin(), used.end(), symbol) == used.end()) {
        return tl::unexpected(inapplicable(
            line_, "COA-1", fmt::format("`{}` is not the only statement of any of the outer loops", symbol),
            find_loops(before, symbol).front()->where));
      }
    }
    return placed(line_, rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
                    const auto it = merges.find(s->name);
                    if (it == merges.end()) return std::nullopt;
                    return Block{merged(s, it->second)};
                  }));
  }

 private:
  struct Merge {
    Symbol name;
    std::int64_t count = 0;  // iterations of the inner loop
    Index total{};
  };

  tl::expected<Merge, Refusal> plan(const Stmt& outer, const Program& before, Query& query) const {
    const std::vector<Symbol>& inners = line_.loops.at("inner");
    const std::optional<Stmt> held = held_loop(outer);
    if (!held || !is_loop(*held, inners))
      return tl::unexpected(not_perfectly_nested(line_, "COA-1", outer, inners, before));
    const Stmt& inner = *held;
    // A @reduce loop may hold plain loops; they are part of it then.
    const bool one_kind = outer->axis == inner->axis || (outer->axis == Axis::reduce && inner->axis == Axis::serial);
    if (!one_kind) {
      return tl::unexpected(inapplicable(
          line_, "COA-4",
          fmt::format("`{}` is {}, and `{}` is {}", outer->name, name(outer->axis), inner->name, name(inner->axis)),
          inner->where, fmt::format("retype {} axis={}", inner->name, name(outer->axis))));
    }
    const auto count = constant_trip_count(inner, *facts_at_loop(before, inner->name), query);
    if (!count) {
      return tl::unexpected(inapplicable(
          line_, "COA-3",
          fmt::format("`{}` runs {} times, which is not a constant", inner->name, trip_count(inner).text()),
          inner->where,
          fmt::format(
              "where its order may change: split `{0}` by a constant, swap `{1}` with the outer part of `{0}`, and "
              "coalesce `{1}` with the inner part",
              inner->name, outer->name)));
    }
    Merge m{{}, *count, trip_count(outer) * *count};
    if (m.total.overflowed()) {
      return tl::unexpected(
          inapplicable(line_, "COA-6",
                       fmt::format("the iterations of `{}` and `{}` together leave 64 bits", outer->name, inner->name),
                       outer->where));
    }
    return m;
  }

  Symbol new_name(const Symbol& outer, const Symbol& inner, NameSupply& names) const {
    if (line_.results.empty()) return derived_name(outer, stem(inner), names);
    return names.fresh(line_.results.at("merged"));
  }

  static Stmt merged(const Stmt& outer, const Merge& m) {
    const Stmt inner = *held_loop(outer);
    const Index at = Index::symbol(m.name);
    const std::int64_t divisor = std::max<std::int64_t>(m.count, 1);  // without iterations any divisor will do
    const Index i = outer->lo + floordiv(at, divisor) * outer->step;
    const Index j = inner->lo.substitute({{outer->name, i}}) + floormod(at, divisor) * inner->step;
    return with(outer, [&](StmtNode& n) {
      n.name = m.name;
      n.lo = 0;
      n.hi = m.total;
      n.step = 1;
      n.body = substitute(inner->body, {{outer->name, i}, {inner->name, j}});
    });
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Coalesce)
