// An operation for the test of the registry: `rename i -> j` gives a loop another symbol.
#include "transforms/define.hpp"

namespace assay {
namespace {

class Rename final : public Operation {
 public:
  explicit Rename(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "rename";
    d.rule_prefix = "NOPE";
    d.summary = "gives a loop another symbol";
    d.parameters = {{"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop"},
                    {"times", ParameterInfo::Kind::integer, true, {}, {}, "how often", ParameterInfo::Counts::part},
                    {"symbol", ParameterInfo::Kind::result, false, "LOOP_r", {}, "its new symbol"}};
    d.refusals = {{"NOPE-1", "the number is odd"}};
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection"};
    d.example_program = "program copy { input X: f32[6] output Y: f32[6] for i in 0..6 { Y[i] = X[i] } }\n";
    d.example_schedule = "rename i times=2 -> j\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    if (line.integers.at("times") % 2 != 0) return tl::unexpected(inapplicable(line, "NOPE-1", "the number is odd"));
    return std::make_unique<Rename>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Symbol old = line_.loops.at("loop").front();
    NameSupply names(before.bound_names());
    const auto given = line_.results.find("symbol");
    const Symbol fresh = given != line_.results.end() ? given->second : names.fresh(old + "_r");
    return placed(line_, rewrite_loops(before, [&](const Stmt& loop) -> std::optional<Block> {
                    if (loop->name != old) return std::nullopt;
                    // One more iteration of an outer loop that runs once, so that the result is another program.
                    const Stmt renamed = with(loop, [&](StmtNode& n) {
                      n.name = fresh;
                      n.body = substitute(n.body, {{old, Index::symbol(fresh)}});
                    });
                    return Block{make_loop(names.fresh("once"), 0, 1, 1, Axis::serial, {renamed})};
                  }));
  }

 private:
  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Rename)
