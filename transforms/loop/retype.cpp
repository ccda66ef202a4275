// `retype i axis=grid`: changes the kind of a loop in place (spec/retype.md).
#include <algorithm>

#include "transforms/define.hpp"
#include "transforms/kind.hpp"

namespace assay {
namespace {

class Retype final : public Operation {
 public:
  Retype(Arguments line, Axis axis) : line_(std::move(line)), axis_(axis) {}

  static Declaration declare() {
    Declaration d;
    d.name = "retype";
    d.rule_prefix = "RET";
    d.summary = "changes the kind of a loop: how its iterations map to threads, groups and lanes";
    d.parameters = {
        {"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop; `i*` for all its copies"},
        {"axis",
         ParameterInfo::Kind::choice,
         true,
         {},
         {"serial", "grid", "workgroup", "reduce", "unrolled", "vectorized"},
         "the new kind"},
        {"lanes", ParameterInfo::Kind::integer, false, {}, {}, "lanes of a reduction (not built yet)"},
        {"chains",
         ParameterInfo::Kind::integer,
         false,
         {},
         {},
         "independent partial results of a reduction (not built yet)"},
    };
    d.refusals = {
        {"RET-2", "`lanes` and `chains` are not built yet"},
        {"SCH-15",
         "a loop of the new kind may not stand there: a hardware loop in a scope or in lanes, a barrier in lanes or no "
         "longer in a workgroup, a "
         "variable that threads would share, more than three workgroup slots, @reduce around anything but one "
         "accumulation"},
    };
    d.schema = "K (kind)";
    d.greatest = Licence::reassociates;
    d.obligations = {"iteration-independence", "race-freedom", "launch-coverage", "private-flow"};
    d.example_program =
        "program copy { input X: f32[6] output Y: f32[6]\n"
        "  for i in 0..6 { Y[i] = X[i] }\n"
        "}\n";
    d.example_schedule = "retype i axis=grid\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    for (const char* key : {"lanes", "chains"}) {
      if (line.integers.count(key) != 0) {
        return tl::unexpected(error("RET-2", line.place(key), fmt::format("`{}=` is not built yet", key),
                                    "the kind alone can be changed: leave the key out"));
      }
    }
    const std::string& wanted = line.choices.at("axis");
    const Axis axis = wanted == "serial" ? Axis::serial : *parse_axis(wanted);
    return std::make_unique<Retype>(std::move(line), axis);
  }

  StepResult apply(const Program& before, Query&) const override {
    return placed(line_, with_kind(before, line_.loops.at("loop"), axis_));
  }

 private:
  Arguments line_;
  Axis axis_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Retype)
