// `fission after=3`: a new launch begins after a top-level statement (spec/fission.md).
//
// A launch orders everything before it before everything after it, so what is inserted is one statement, without a
// claim. What it can break (copies per thread and per group do not outlive a launch) is derived from the two texts.
#include <algorithm>

#include "transforms/define.hpp"

namespace assay {
namespace {

bool is_launch(const Stmt& s) { return s->kind == StmtKind::launch; }

class Fission final : public Operation {
 public:
  explicit Fission(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "fission";
    d.rule_prefix = "FIS";
    d.summary = "begins a new launch after a top-level statement";
    d.parameters = {
        {"after",
         ParameterInfo::Kind::integer,
         true,
         {},
         {},
         "the number of the top-level statement, from 1; `launch` is not counted",
         ParameterInfo::Counts::statements},
    };
    d.refusals = {
        {"FIS-2", "the program has no such statement, or it is the last one"},
        {"FIS-3", "a launch begins there already"},
        {"FIS-4", "a variable declared before the new launch is used after it"},
    };
    d.schema = "K (kind)";
    d.obligations = {"race-freedom", "launch-coverage", "private-flow"};
    d.example_program =
        "program two { input X: f32[6] temp T: f32[6] output Y: f32[6]\n"
        "  for i in 0..6 { T[i] = X[i] }\n"
        "  for i in 0..6 { Y[i] = T[5 - i] }\n"
        "}\n";
    d.example_schedule = "fission after=1\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const std::int64_t after = line.integers.at("after");
    const auto count = std::count_if(p.body.begin(), p.body.end(), [](const Stmt& s) { return !is_launch(s); });
    if (after < 1 || after >= count) {
      const std::string has =
          fmt::format("program `{}` has {} top-level statement{}", p.name, count, count == 1 ? "" : "s");
      return tl::unexpected(
          error("FIS-2", line.place("after"),
                count > 1 ? fmt::format("no launch can begin after statement {}: {}", after, has)
                          : fmt::format("there is nothing to separate: {}", has),
                count > 1 ? fmt::format("choose a statement from 1 to {}", count - 1) : std::string()));
    }
    return std::make_unique<Fission>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    auto at = before.body.begin();
    for (std::int64_t left = line_.integers.at("after"); left > 0; ++at) left -= is_launch(*at) ? 0 : 1;
    const Stmt& last = *std::prev(at);
    if (is_launch(*at)) {
      return tl::unexpected(inapplicable(line_, "FIS-3", "a launch begins there already", (*at)->where));
    }
    const Block first(before.body.begin(), at);
    const Block second(at, before.body.end());
    const std::set<Symbol> used = free_symbols(second);
    for (const Stmt& s : first) {
      if (s->kind != StmtKind::declare || used.count(s->name) == 0) continue;
      return tl::unexpected(inapplicable(
          line_, "FIS-4", fmt::format("the variable `{}` would be undefined in the new launch, which uses it", s->name),
          s->where, "begin the launch before its declaration, or keep the value in a `temp` buffer"));
    }
    Program after = before;
    after.body = first;
    after.body.push_back(make_launch(last->where));
    after.body.insert(after.body.end(), second.begin(), second.end());
    return placed(line_, std::move(after));
  }

 private:
  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Fission)
