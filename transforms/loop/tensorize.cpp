// `tensorize i j k simd=32 -> lane`: a nest around one accumulated product becomes a tile product (spec/tensorize.md).
//
// The nest stays as it is and gets a `@tile` loop around it; whether it is a product of tiles, and which loop plays which
// role, is asked of ir/tile_product.hpp.
#include <algorithm>

#include "ir/tile_product.hpp"
#include "transforms/define.hpp"

namespace assay {
namespace {

class Tensorize final : public Operation {
 public:
  explicit Tensorize(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "tensorize";
    d.rule_prefix = "TEN";
    d.summary = "makes a tile product, computed by lanes together, of three loops around one accumulated product";
    d.parameters = {
        {"row", ParameterInfo::Kind::loop, true, {}, {}, "the loop over the rows of the sum"},
        {"column", ParameterInfo::Kind::loop, true, {}, {}, "the loop over its columns"},
        {"sum", ParameterInfo::Kind::loop, true, {}, {}, "the loop over the terms of each cell"},
        {"simd", ParameterInfo::Kind::integer, false, "1", {}, "how many lanes compute it together"},
        {"lane", ParameterInfo::Kind::result, false, "lane", {}, "name of the lane"},
    };
    d.refusals = {
        {"TEN-1", "an operand names several loops"},
        {"TEN-2", "the loops are not one nest around one accumulated product"},
        {"TEN-3", "the subscripts do not give the loops the roles of row, column and sum"},
        {"TEN-4", "`simd` is below 1"},
        {"SCH-15", "a tile product may not stand there: in a scope, in lanes, or in a launch with threads"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program product { input A: f32[8, 16] input B: f32[16, 8]\n"
        "  inout C: f32[8, 8]\n"
        "  for i in 0..8 { for j in 0..8 { for k in 0..16 {\n"
        "    C[i, j] += A[i, k] * B[k, j]\n"
        "  } } }\n"
        "}\n";
    d.example_schedule = "tensorize i j k simd=32 -> lane\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    for (const char* operand : {"row", "column", "sum"}) {
      if (line.loops.at(operand).size() != 1)
        return tl::unexpected(error("TEN-1", line.place(operand), "`tensorize` is about one loop of each role",
                                    "name one copy; the others take lines of their own"));
    }
    if (line.integers.at("simd") < 1)
      return tl::unexpected(error("TEN-4", line.place("simd"), "a tile product has one lane or more"));
    return std::make_unique<Tensorize>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Symbol row = line_.loops.at("row")[0], column = line_.loops.at("column")[0], sum = line_.loops.at("sum")[0];
    const std::set<Symbol> wanted{row, column, sum};
    if (wanted.size() != 3) return tl::unexpected(inapplicable(line_, "TEN-2", "it takes three different loops"));
    const Stmt outermost = outermost_of(before, wanted);
    const auto product = tile_product({outermost}, outermost->where);
    if (!product) {
      const Diagnostic& why = product.error();
      return tl::unexpected(
          inapplicable(line_, why.code == "WF-26" ? "TEN-2" : "TEN-3", why.message, why.where, why.help));
    }
    for (const Stmt& l : product->nest) {
      if (wanted.count(l->name) == 0)
        return tl::unexpected(inapplicable(
            line_, "TEN-2", fmt::format("the nest is of `{}`, which the line does not name", l->name), l->where));
    }
    if (product->row->name != row || product->column->name != column) {
      return tl::unexpected(inapplicable(
          line_, "TEN-3", "the loops have other roles", product->update->where,
          fmt::format("write `tensorize {} {} {}`", product->row->name, product->column->name, product->sum->name)));
    }
    NameSupply names(before.bound_names());
    const auto given = line_.results.find("lane");
    const Symbol lane = names.fresh(given == line_.results.end() ? "lane" : given->second);
    return placed(line_, rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
                    if (s->name != outermost->name) return std::nullopt;
                    return Block{make_loop(lane, 0, line_.integers.at("simd"), 1, Axis::tile, {s}, s->where)};
                  }));
  }

 private:
  // The first of the three loops in the text: the outermost one, if they are a nest.
  static Stmt outermost_of(const Program& p, const std::set<Symbol>& wanted) {
    Stmt found;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (!found && s->kind == StmtKind::loop && wanted.count(s->name) != 0) found = s;
      return !found;
    };
    visit(p.body, v);
    return found;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Tensorize)
