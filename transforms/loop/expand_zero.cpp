// `expand_zero C -> z0, z1`: `zero C` becomes a nest of loops that store zero in every cell (spec/expand_zero.md).
//
// The nest can then be split, exchanged and given hardware kinds like the one that goes on to write C. Each store claims
// to come from the `zero`; that the nest reaches every cell once is derived from the two texts.
#include "transforms/define.hpp"
#include "transforms/zero_nest.hpp"

namespace assay {
namespace {

class ExpandZero final : public Operation {
 public:
  explicit ExpandZero(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "expand_zero";
    d.rule_prefix = "EXZ";
    d.summary = "writes `zero` as a nest of loops that store zero in every cell";
    d.parameters = {
        {"buffer", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer"},
        {"loops",
         ParameterInfo::Kind::results,
         false,
         "BUFFER_z0, BUFFER_z1, ...",
         {},
         "names of the loops, one per dimension"},
    };
    d.refusals = {
        {"EXZ-2", "no statement of the program is a `zero` of the buffer"},
        {"SCH-12", "the line names another number of loops than the buffer has dimensions"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program rows { input X: f32[3, 5] output Y: f32[3, 5]\n"
        "  zero Y\n"
        "  for i in 0..3 { for j in 0..i + 1 { Y[i, j] = X[i, j] } }\n"
        "}\n";
    d.example_schedule = "expand_zero Y -> z0, z1\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const std::size_t rank = p.find_buffer(line.buffers.at("buffer"))->dims.size();
    if (auto wrong = wrong_number_of_names(line, "loops", rank)) return tl::unexpected(std::move(*wrong));
    return std::make_unique<ExpandZero>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Buffer& buffer = *before.find_buffer(line_.buffers.at("buffer"));
    NameSupply names(before.bound_names());
    bool found = false;
    Program after = before;
    after.body = rewrite(before.body, {}, [&](const Stmt& s) {
      if (s->kind != StmtKind::zero || s->name != buffer.name) return Block{s};
      found = true;
      return Block{nest(s, buffer, names)};
    });
    if (!found) {
      return tl::unexpected(inapplicable(line_, "EXZ-2", fmt::format("no statement is `zero {}`", buffer.name),
                                         buffer.where, "only a `zero` statement can be expanded"));
    }
    return placed(line_, std::move(after));
  }

 private:
  Stmt nest(const Stmt& zero, const Buffer& buffer, NameSupply& names) const {
    std::vector<CellRange> all;
    for (const Index& extent : buffer.dims) all.push_back({0, extent});
    return zero_nest(zero, buffer, all, line_.new_names("loops"), names);
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(ExpandZero)
