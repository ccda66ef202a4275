// `retype i axis=grid`: changes the kind of a loop in place; `retype k axis=vectorized lanes=8 chains=4` rewrites a reduction
// for lanes (spec/retype.md).
#include <algorithm>

#include "transforms/define.hpp"
#include "transforms/kind.hpp"
#include "transforms/lanes.hpp"

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
        {"lanes", ParameterInfo::Kind::integer, false, {}, {}, "of a reduction: how many lanes, for `axis=vectorized`"},
        {"chains",
         ParameterInfo::Kind::integer,
         false,
         {},
         {},
         "of a reduction: independent chains of lanes (default 1)"},
    };
    d.refusals = {
        {"RET-2",
         "`lanes` or `chains` without `axis=vectorized`, `chains` without `lanes`, or not 1 to 1024 lanes in all"},
        {"RET-10", "with `lanes`: not one plain loop outside of expressions"},
        {"RET-11", "with `lanes`: the loop accumulates into no cell or variable that stays the same"},
        {"SCH-15",
         "a loop of the new kind may not stand there: a hardware loop in a scope or in lanes, a barrier in lanes or no "
         "longer in a workgroup, a "
         "variable that threads would share, more than three workgroup slots, @reduce around anything but one "
         "accumulation"},
    };
    d.schema = "K (kind)";
    d.greatest = Licence::reassociates;
    d.obligations = {"iteration-independence", "race-freedom", "launch-coverage", "private-flow", "same-contributions"};
    d.example_program =
        "program copy { input X: f32[6] output Y: f32[6]\n"
        "  for i in 0..6 { Y[i] = X[i] }\n"
        "}\n";
    d.example_schedule = "retype i axis=grid\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    const std::string& wanted = line.choices.at("axis");
    const Axis axis = wanted == "serial" ? Axis::serial : *parse_axis(wanted);
    if (const auto why = wrong_lanes(line, axis)) return tl::unexpected(error("RET-2", why->first, why->second));
    return std::make_unique<Retype>(std::move(line), axis);
  }

  StepResult apply(const Program& before, Query& query) const override {
    const auto lanes = line_.integers.find("lanes");
    if (lanes != line_.integers.end()) {
      const auto chains = line_.integers.find("chains");
      return reduce_in_lanes(line_, lanes->second, chains == line_.integers.end() ? 1 : chains->second, before, query);
    }
    return placed(line_, with_kind(before, line_.loops.at("loop"), axis_));
  }

 private:
  static std::optional<std::pair<Location, std::string>> wrong_lanes(const Arguments& line, Axis axis) {
    constexpr std::int64_t most = 1024;
    std::int64_t all = 1;
    for (const char* key : {"lanes", "chains"}) {
      const auto given = line.integers.find(key);
      if (given == line.integers.end()) continue;
      const Location where = line.place(key);
      if (axis != Axis::vectorized) return {{where, fmt::format("`{}=` belongs to `axis=vectorized`", key)}};
      if (line.integers.count("lanes") == 0) return {{where, "`chains=` needs `lanes=`"}};
      if (given->second < 1 || given->second > most || (all *= given->second) > most)
        return {{where, fmt::format("the lanes of all chains are 1 to {} in number", most)}};
    }
    return std::nullopt;
  }

  Arguments line_;
  Axis axis_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Retype)
