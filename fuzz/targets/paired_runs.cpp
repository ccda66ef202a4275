// Sizes, inputs and budgets are small: programs of the generators are.
#include "fuzz/targets/paired_runs.hpp"

#include <fmt/format.h>

#include "interp/inputs.hpp"
#include "oracle/compare.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::fuzz {

std::vector<ParameterMap> all_sizes(const Program& p) {
  if (p.parameters.empty()) return {{}};
  std::vector<ParameterMap> out;
  const Parameter& n = p.parameters[0];
  for (std::int64_t v = n.lo; v < n.hi; ++v) {
    if (interp::admissible(p, {{n.name, v}})) out.push_back({{n.name, v}});
  }
  return out;
}

std::vector<ParameterMap> chosen_sizes(const Program& p) {
  const auto all = all_sizes(p);
  if (all.empty()) return {};
  std::vector<ParameterMap> chosen{all.front()};
  if (all.size() > 2) chosen.push_back(all[all.size() / 2]);
  if (all.size() > 1) chosen.push_back(all.back());
  return chosen;
}

bool is_right(const Program& p, Query& query) {
  for (const Obligation& o : lint_obligations(p, query)) {
    if (o.status != Obligation::Status::proved) return false;
  }
  return true;
}

void run_both(const Program& before, const Program& after, const std::set<int>& reordered_before,
              const std::set<int>& reordered_after,
              const std::function<void(const interp::Outcome&, const interp::Outcome&, const std::string&)>& f) {
  for (const ParameterMap& size : chosen_sizes(before)) {
    for (const interp::InputKind kind :
         {interp::InputKind::exact, interp::InputKind::adversarial, interp::InputKind::special}) {
      for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}}) {
        const TensorMap inputs = interp::generate_inputs(before, size, kind, seed);
        interp::Options options;
        options.parameters = size;
        options.budget = 300'000;
        options.reordered = reordered_before;
        const interp::Outcome a = interp::run(before, inputs, options);
        if (a.status != interp::Status::ok) continue;
        options.reordered = reordered_after;
        options.detect_races = true;
        options.budget = 3'000'000;
        const interp::Outcome b = interp::run(after, inputs, options);
        std::string at = fmt::format("{} inputs, seed {}", interp::name(kind), seed);
        for (const auto& [parameter, v] : size) at += fmt::format(", {}={}", parameter, v);
        f(a, b, at);
      }
    }
  }
}

bool runs_differ(const Program& before, const Program& after, const std::set<int>& reordered_before,
                 const std::set<int>& reordered_after) {
  bool seen = false;
  run_both(before, after, reordered_before, reordered_after,
           [&](const interp::Outcome& a, const interp::Outcome& b, const std::string&) {
             seen = seen || b.status != interp::Status::ok || b.race || oracle::compare_cells(a, b).differing > 0;
           });
  return seen;
}

}  // namespace assay::fuzz
