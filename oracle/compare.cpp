// Budgeted runs and comparisons.
//
// Sizes come cheapest first; when the estimated cost of one exceeds what is left in the purse, that wave of inputs ends. The estimate is only a plan: the interpreter itself stops at the budget it is given.
#include "oracle/compare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/literal.hpp"

namespace assay::oracle {
namespace {

/// Whether a flat offset is marked in an optional taint map.
bool marked(const TaintMap& map, const std::string& buffer, std::int64_t flat) {
  const auto found = map.find(buffer);
  return found != map.end() && static_cast<std::size_t>(flat) < found->second.size() &&
         found->second[static_cast<std::size_t>(flat)];
}

bool contains(const std::vector<ParameterMap>& list, const ParameterMap& size) {
  return std::find(list.begin(), list.end(), size) != list.end();
}

/// What one case came to.
struct CaseOutcome {
  bool finished = false;  // within the budget
  bool go_on = true;
};

/// The loop over cases that compare() and survey() share. `visit` runs one case within a budget.
template <typename Cost, typename Visit>
void for_each_case(const Program& p, const Plan& plan, Purse& purse, Comparison& result, Cost cost, Visit visit) {
  struct Size {
    ParameterMap parameters;
    double needed;         // operations
    std::uint64_t set_up;  // what making its inputs and buffers counts as (CHK-2)
  };
  std::vector<Size> sizes;
  for (const ParameterMap& size : plan.sizes) {
    const auto bytes = footprint(p, size);
    if (bytes && *bytes <= largest_footprint)
      sizes.push_back({size, cost(size), static_cast<std::uint64_t>(*bytes) / bytes_per_operation});
  }
  const auto run_wave = [&](const std::vector<InputChoice>& wave) {
    for (const auto& [size, needed, set_up] : sizes) {
      for (const InputChoice& choice : wave) {
        const bool must = plan.force_first && result.cases == 0;
        const std::uint64_t budget = must ? std::max(purse.forced(), purse.left()) : purse.left();
        // The one case that may exceed the purse should say more than zeros can.
        if (must && needed > static_cast<double>(purse.left()) && choice.kind == InputChoice::Kind::zero &&
            wave.size() > 1)
          continue;
        if (needed + static_cast<double>(set_up) > static_cast<double>(budget)) return true;  // all others are larger
        purse.spend(set_up);
        const CaseOutcome outcome = visit(size, choice, make_inputs(p, size, choice), budget);
        if (outcome.finished) {
          ++result.cases;
          result.kinds.insert(choice.kind);
          if (!contains(result.sizes, size)) result.sizes.push_back(size);
        }
        if (!outcome.go_on) return false;
        if (!outcome.finished) return true;
      }
    }
    return true;
  };
  for (const std::vector<InputChoice>& wave : plan.waves) {
    if (!run_wave(wave)) return;
  }
  for (const ParameterMap& size : plan.sizes) {
    if (!contains(result.sizes, size)) result.skipped.push_back(size);
  }
}

interp::Outcome interpret(const Program& p, const ParameterMap& parameters, const TensorMap& inputs,
                          const std::set<int>& reordered, bool races, std::uint64_t budget, Purse& purse) {
  interp::Options options;
  options.parameters = parameters;
  options.budget = budget;
  options.detect_races = races;
  options.reordered = reordered;
  interp::Outcome out = interp::run(p, inputs, options);
  purse.spend(out.operations);
  return out;
}

}  // namespace

Observation difference(const CellComparison& cells, const ParameterMap& parameters, const InputChoice& inputs,
                       const TensorMap& tensors) {
  Observation o;
  o.kind = Observation::Kind::difference;
  o.parameters = parameters;
  o.inputs = inputs;
  o.buffer = cells.first->buffer;
  o.cell = cells.first->cell;
  o.before = cells.first->before;
  o.after = cells.first->after;
  o.differing = cells.differing;
  o.compared = cells.compared;
  o.input_values = input_values(tensors);
  return o;
}

CellComparison compare_cells(const TensorMap& before, const TensorMap& after, const TaintMap& tainted,
                             const std::set<Symbol>& skipped) {
  CellComparison out;
  for (const auto& [buffer, a] : before) {
    const auto found = after.find(buffer);
    if (found == after.end() || skipped.count(buffer) != 0) continue;
    const Tensor& b = found->second;
    const std::int64_t cells = std::min(a.size(), b.size());
    for (std::int64_t i = 0; i < cells; ++i) {
      if (marked(tainted, buffer, i)) {
        ++out.excluded;
        continue;
      }
      ++out.compared;
      const Scalar x = a.get(i), y = b.get(i);
      if (same_value(x, y)) continue;
      ++out.differing;
      if (!out.first) out.first = CellComparison::Cell{buffer, unflatten(i, a.dims), x, y};
    }
  }
  return out;
}

CellComparison compare_cells(const interp::Outcome& before, const interp::Outcome& after) {
  TaintMap tainted = before.tainted;
  for (const auto& [buffer, marks] : after.tainted) {
    std::vector<bool>& all = tainted[buffer];
    if (all.size() < marks.size()) all.resize(marks.size());
    for (std::size_t i = 0; i < marks.size(); ++i) all[i] = all[i] || marks[i];
  }
  return compare_cells(before.outputs, after.outputs, tainted);
}

std::string values_text(const Tensor& t, std::int64_t most) {
  std::vector<std::string> parts;
  for (std::int64_t i = 0; i < std::min(t.size(), most); ++i) parts.push_back(to_text(t.get(i)));
  if (t.size() > most) parts.emplace_back("...");
  return "[" + join(parts) + "]";
}

std::vector<std::pair<Symbol, std::string>> input_values(const TensorMap& inputs, std::int64_t most) {
  std::int64_t total = 0;
  for (const auto& [buffer, t] : inputs) total += t.size();
  std::vector<std::pair<Symbol, std::string>> out;
  if (total > most) return out;
  for (const auto& [buffer, t] : inputs) out.emplace_back(buffer, values_text(t, most));
  return out;
}

std::optional<Observation> trouble(const interp::Outcome& outcome, const ParameterMap& parameters,
                                   const InputChoice& inputs) {
  Observation o;
  o.parameters = parameters;
  o.inputs = inputs;
  if (outcome.status == interp::Status::fault) {
    o.kind = Observation::Kind::fault;
    o.fault = outcome.fault;
    return o;
  }
  if (outcome.race) {
    o.kind = Observation::Kind::race;
    o.race = outcome.race;
    return o;
  }
  return std::nullopt;
}

void add_comparison(Comparison& into, Comparison more) {
  into.cases += more.cases;
  into.not_comparable += more.not_comparable;
  into.cells += more.cells;
  into.excluded += more.excluded;
  into.kinds.insert(more.kinds.begin(), more.kinds.end());
  for (ParameterMap& size : more.sizes) {
    if (!contains(into.sizes, size)) into.sizes.push_back(std::move(size));
  }
  std::vector<ParameterMap> skipped;
  for (std::vector<ParameterMap>* list : {&into.skipped, &more.skipped}) {
    for (ParameterMap& size : *list) {
      if (!contains(into.sizes, size) && !contains(skipped, size)) skipped.push_back(std::move(size));
    }
  }
  into.skipped = std::move(skipped);
  if (!into.observation) into.observation = std::move(more.observation);
  if (!into.reference) into.reference = std::move(more.reference);
}

Comparison compare(const Program& before, const Program& after, const Plan& plan, Purse& purse) {
  Comparison result;
  const bool races_before = can_race(before), races_after = can_race(after);
  const auto cost = [&](const ParameterMap& v) { return estimated_work(before, v) + estimated_work(after, v); };
  for_each_case(before, plan, purse, result, cost,
                [&](const ParameterMap& size, const InputChoice& choice, const TensorMap& inputs,
                    std::uint64_t budget) -> CaseOutcome {
                  const interp::Outcome first =
                      interpret(before, size, inputs, plan.reordered_before, races_before, budget, purse);
                  if (first.status == interp::Status::budget) return {false, true};
                  if (auto t = trouble(first, size, choice)) {
                    if (!result.reference) {
                      t->input_values = input_values(inputs);
                      result.reference = std::move(t);
                    }
                    return {true, !plan.stop_at_observation};
                  }
                  const interp::Outcome second =
                      interpret(after, size, inputs, plan.reordered_after, races_after, budget, purse);
                  if (second.status == interp::Status::budget) return {false, true};
                  if (auto t = trouble(second, size, choice)) {
                    if (!result.observation) {
                      t->input_values = input_values(inputs);
                      result.observation = std::move(t);
                    }
                    return {true, !plan.stop_at_observation};
                  }
                  const CellComparison cells = compare_cells(first, second);
                  result.cells += cells.compared;
                  result.excluded += cells.excluded;
                  if (cells.compared == 0 && cells.excluded > 0) ++result.not_comparable;
                  if (cells.first && !result.observation) result.observation = difference(cells, size, choice, inputs);
                  if (cells.first && plan.stop_at_observation) return {true, false};
                  return {true, !plan.on_case || plan.on_case(size, choice, inputs, first, second)};
                });
  return result;
}

Comparison survey(const Program& p, const Plan& plan, Purse& purse) {
  Comparison result;
  const bool races = can_race(p);
  const auto cost = [&](const ParameterMap& v) { return estimated_work(p, v); };
  for_each_case(p, plan, purse, result, cost,
                [&](const ParameterMap& size, const InputChoice& choice, const TensorMap& inputs,
                    std::uint64_t budget) -> CaseOutcome {
                  const interp::Outcome outcome = interpret(p, size, inputs, {}, races, budget, purse);
                  if (outcome.status == interp::Status::budget) return {false, true};
                  auto t = trouble(outcome, size, choice);
                  if (!t) return {true, !plan.on_case || plan.on_case(size, choice, inputs, outcome, outcome)};
                  if (!result.reference) {
                    t->input_values = input_values(inputs);
                    result.reference = std::move(t);
                  }
                  return {true, !plan.stop_at_observation};
                });
  return result;
}

std::optional<interp::Outcome> run_once(const Program& p, const ParameterMap& parameters, const TensorMap& inputs,
                                        const std::set<int>& reordered, std::uint64_t budget, Purse& purse) {
  interp::Outcome out = interpret(p, parameters, inputs, reordered, can_race(p), budget, purse);
  if (out.status == interp::Status::budget) return std::nullopt;
  return out;
}

}  // namespace assay::oracle
