// The judges that a command asks, and how much they may spend. Tests put lying judges here: a verdict must not believe them.
#pragma once

#include <functional>
#include <memory>

#include "oracle/report.hpp"
#include "proofs/portfolio/query.hpp"

namespace assay::oracle {

/// What else is done with every obligation, once its status is known.
struct Inspection {
  bool cross_check = false;   // ask every engine (CHK-30)
  std::string dump_folder{};  // write the questions here (CHK-31); empty: do not
  std::uint64_t budget = default_query_budget;
};

struct Judges {
  std::function<std::unique_ptr<Query>(std::uint64_t budget)> query = [](std::uint64_t budget) {
    return make_portfolio_query(budget);
  };
  /// All engines one by one, for `--cross-check`.
  std::function<std::vector<std::unique_ptr<Query>>(std::uint64_t budget)> engines = [](std::uint64_t budget) {
    return make_engines(budget);
  };
  Inspection inspection{};
  std::function<StepResult(const Program&, const ScheduleLine&, Query&)> apply = apply_line;
  std::function<Rewrite(const Program&, Query&)> fold = fold_guards;
  std::function<Validation(const Program& before, const Program& after, Query&)> validate = assay::validate;
  std::function<std::vector<Obligation>(const Program&, Query&)> lint = lint_obligations;
};

/// Budgets count operations, never time. `--budget N` multiplies both.
struct Budgets {
  std::uint64_t interpretation = 20'000'000;   // operations of all interpretations of one command
  std::uint64_t query = default_query_budget;  // operations of one engine for one question
  Budgets times(std::uint64_t factor) const { return {interpretation * factor, query * factor}; }
};

}  // namespace assay::oracle
