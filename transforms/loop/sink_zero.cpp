// `sink_zero C`: moves top-level `zero` statements of C down to the first use (spec/sink_zero.md).
#include <algorithm>

#include "ir/analysis/spans.hpp"
#include "transforms/define.hpp"

namespace assay {
namespace {

bool is_zero_of(const Stmt& s, const Symbol& buffer) { return s->kind == StmtKind::zero && s->name == buffer; }

class SinkZero final : public Operation {
 public:
  explicit SinkZero(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "sink_zero";
    d.rule_prefix = "SINK";
    d.summary = "moves `zero` of a buffer to just before the buffer's first use";
    d.parameters = {{"buffer", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer"}};
    d.refusals = {
        {"SINK-1", "no top-level statement is a `zero` of the buffer"},
        {"SINK-2", "each `zero` of the buffer stands just before a use, or no use follows it in its launch"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program two { input X: f32[6] output A: f32[6] output B: f32[6]\n"
        "  zero B\n"
        "  for i in 0..6 { A[i] = X[i] }\n"
        "  for i in 0..6 { B[i] += A[5 - i] }\n"
        "}\n";
    d.example_schedule = "sink_zero B\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<SinkZero>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Symbol& buffer = line_.buffers.at("buffer");
    const auto here = [&](const Stmt& s) { return is_zero_of(s, buffer); };
    if (std::none_of(before.body.begin(), before.body.end(), here)) {
      return tl::unexpected(inapplicable(line_, "SINK-1", fmt::format("no top-level statement is `zero {}`", buffer)));
    }
    Program after = before;
    bool moved = false;
    // From the back, so that a zero that was moved is not looked at again.
    for (auto at = after.body.end(); at != after.body.begin();) {
      --at;
      if (!here(*at)) continue;
      const auto use = std::find_if(at + 1, after.body.end(), [&](const Stmt& s) {
        return s->kind == StmtKind::launch || uses_buffer(s, buffer);
      });
      if (use == after.body.end() || (*use)->kind == StmtKind::launch || use == at + 1) continue;
      std::rotate(at, at + 1, use);
      moved = true;
    }
    if (!moved) {
      return tl::unexpected(
          inapplicable(line_, "SINK-2",
                       fmt::format("each `zero {0}` stands just before a use of `{0}`, or none follows it", buffer)));
    }
    return placed(line_, std::move(after));
  }

 private:
  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(SinkZero)
