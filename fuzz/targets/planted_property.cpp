// Every fault is planted into the same honest results, as long as it is still wanted.
#include "fuzz/targets/planted_property.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/generators/fitting_program.hpp"
#include "fuzz/mutants/all_faults.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

bool is_proved(const Validation& v) {
  return std::all_of(v.obligations.begin(), v.obligations.end(),
                     [](const Obligation& o) { return o.status == Status::proved; });
}

class PlantedProperty {
 public:
  PlantedProperty(std::string_view operation, int pairs)
      : operation_(operation), pairs_(pairs), query_(make_portfolio_query()) {
    for (StepFault& f : all_faults()) {
      if (f.operation != operation_) continue;
      out_.faults.push_back({f.name});
      faults_.push_back(std::move(f));
    }
  }

  PlantedResult run(std::uint64_t seed, int draws) {
    while (out_.draws < draws &&
           std::any_of(out_.faults.begin(), out_.faults.end(), [&](const PlantedFault& f) { return is_wanted(f); })) {
      interp::Random random(interp::seed_for("planted", seed * 1000003 + static_cast<std::uint64_t>(out_.draws++)));
      const Program p = number_statements(fitting_program(random, operation_));
      if (!check_well_formed(p).empty() || all_sizes(p).empty()) continue;
      for (int l = 0; l < 3; ++l) {
        const ScheduleLine line = fitting_line(random, p, operation_);
        const auto honest = apply_line(p, line, *query_);
        if (!honest || !check_well_formed(honest->program).empty()) continue;
        if (!is_right(p, *query_)) break;
        if (is_proved(validate(p, honest->program, *query_))) plant(p, honest->program, line);
      }
    }
    return std::move(out_);
  }

 private:
  bool is_wanted(const PlantedFault& f) const {
    return f.planted < pairs_ || ((f.refuted + f.open == 0 || f.seen == 0) && f.planted < 12 * pairs_);
  }

  void plant(const Program& before, const Program& honest, const ScheduleLine& line) {
    std::optional<bool> comparable;
    for (std::size_t k = 0; k < faults_.size(); ++k) {
      PlantedFault& f = out_.faults[k];
      if (!is_wanted(f)) continue;
      const auto faulty = faults_[k].plant(before, honest, line);
      if (!faulty || *faulty == honest || !check_well_formed(*faulty).empty()) continue;
      ++f.planted;
      // Where the order of rounded sums changed, bits may differ without a fault.
      if (!comparable) comparable = !runs_differ(before, honest);
      if (*comparable && runs_differ(before, *faulty)) ++f.seen;
      const Validation v = validate(before, *faulty, *query_);
      const bool violated = std::any_of(v.obligations.begin(), v.obligations.end(),
                                        [](const Obligation& o) { return o.status == Status::violated; });
      ++(violated ? f.refuted : is_proved(v) ? f.accepted : f.open);
      if (is_proved(v) && runs_differ(before, *faulty, v.reordered_before, v.reordered_after))
        out_.failures.push_back(
            fmt::format("proved, and runs differ: {}\n{}\n{}{}", f.name, line.text, print(before), print(*faulty)));
    }
  }

  std::string operation_;
  int pairs_;
  std::unique_ptr<Query> query_;
  std::vector<StepFault> faults_;
  PlantedResult out_;
};

}  // namespace

PlantedResult check_planted(std::string_view operation, std::uint64_t seed, int pairs, int draws) {
  return PlantedProperty(operation, pairs).run(seed, draws);
}

}  // namespace assay::fuzz
