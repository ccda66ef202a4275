// `unroll i`: marks a loop as unrolled; with `materialize`, replaces it by one copy of its body per iteration
// (spec/unroll.md).
#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"
#include "transforms/kind.hpp"

namespace assay {
namespace {

constexpr std::int64_t most_copies = 4096;
constexpr std::int64_t most_nodes = 1 << 20;

// Statements and expression nodes.
std::int64_t size(const Block& b) {
  std::int64_t count = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt&) {
    ++count;
    return true;
  };
  v.enter_expr = [&](const Expr&) {
    ++count;
    return true;
  };
  visit(b, v);
  return count;
}

class Unroll final : public Operation {
 public:
  explicit Unroll(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "unroll";
    d.rule_prefix = "UNR";
    d.summary = "unrolls a loop: as a mark for the code generator, or in the program";
    d.parameters = {
        {"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop; `i*` for all its copies"},
        {"materialize",
         ParameterInfo::Kind::boolean,
         false,
         "false",
         {},
         "true: one copy of the body per iteration, in the program"},
    };
    d.refusals = {
        {"UNR-3", "materialize: the number of iterations is not the same whenever the loop is reached"},
        {"UNR-4", "materialize: more than 4096 copies of a loop, or more than 1,048,576 nodes in all"},
        {"SCH-15", "a barrier would no longer stand under a workgroup loop"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program three { input X: f32[3] output Y: f32[3]\n"
        "  for i in 0..3 { Y[i] = X[i] }\n"
        "}\n";
    d.example_schedule = "unroll i materialize=true\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Unroll>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    const std::vector<Symbol>& loops = line_.loops.at("loop");
    if (!line_.booleans.at("materialize")) return placed(line_, with_kind(before, loops, Axis::unrolled));

    std::map<Symbol, std::int64_t> counts;
    for (const Symbol& symbol : loops) {
      const Stmt loop = find_loops(before, symbol).front();
      const std::optional<std::int64_t> count = constant_trip_count(loop, *facts_at_loop(before, symbol), query);
      if (!count) {
        return tl::unexpected(inapplicable(
            line_, "UNR-3", fmt::format("`{}` runs {} times, which is not a constant", symbol, trip_count(loop).text()),
            loop->where, "split it by a constant and unroll the inner loop"));
      }
      counts[symbol] = *count;
    }
    NameSupply names(before.bound_names());
    std::optional<Refusal> refusal;
    std::int64_t nodes = 0;
    Program after = rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
      const auto it = counts.find(s->name);
      if (refusal || it == counts.end()) return std::nullopt;
      const std::int64_t count = it->second;
      if (count <= most_copies) nodes += count * size(s->body);
      if (count > most_copies || nodes > most_nodes) {
        refusal = inapplicable(line_, "UNR-4", fmt::format("{} copies of `{}` are too many", count, s->name), s->where,
                               "split it and unroll the inner loop");
        return std::nullopt;
      }
      return copies(s, count, names);
    });
    if (refusal) return tl::unexpected(*std::move(refusal));
    return placed(line_, std::move(after));
  }

 private:
  // The first copy keeps the names that the body declares.
  static Block copies(const Stmt& loop, std::int64_t count, NameSupply& names) {
    Block all;
    for (std::int64_t t = 0; t < count; ++t) {
      const Block copy = t == 0 ? loop->body : refresh_binders(loop->body, names);
      for (Stmt& s : substitute(copy, {{loop->name, loop->lo + Index(t) * loop->step}})) all.push_back(std::move(s));
    }
    return all;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Unroll)
