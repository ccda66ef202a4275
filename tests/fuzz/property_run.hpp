// How the property tests of steps are run: their size, what failed, and one run for each planted fault.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

/// ASSAY_PROPERTY_CASES is set: tests draw fewer programs, and take every fourth fault.
inline bool is_shortened() { return std::getenv("ASSAY_PROPERTY_CASES") != nullptr; }

/// Seed and number of pairs: ASSAY_PROPERTY_SEED and `variable`, else what is given, or fewer in a shortened run.
template <class Options>
void size_run(Options& options, const char* variable, int pairs) {
  const char* cases = std::getenv(variable);
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : 20261130;
  options.pairs = cases ? std::max(50, std::atoi(cases)) : is_shortened() ? 100 : pairs;
}

inline void expect_none(const std::vector<std::string>& failures) {
  for (std::size_t k = 0; k < failures.size() && k < 3; ++k) ADD_FAILURE() << failures[k];
}

/// Runs `check` with each fault planted, at the size of `options`, and hands the result to `judge`. How many faults of each
/// operation were planted; none are counted in a run that left some out.
template <class Options, class Check, class Judge>
std::map<std::string, int> plant_each(const std::vector<StepFault>& faults, Options options, const Check& check,
                                      const Judge& judge) {
  std::map<std::string, int> planted;
  const std::size_t step = is_shortened() ? 4 : 1;
  options.seed = 7;
  for (std::size_t k = 0; k < faults.size(); k += step) {
    const StepFault& fault = faults[k];
    options.operation = fault.operation;
    options.fault = &fault;
    const auto r = check(options);
    if (!r.failures.empty()) ADD_FAILURE() << r.failures[0];
    judge(fault, r);
    ++planted[fault.operation];
  }
  if (step > 1) planted.clear();
  return planted;
}

}  // namespace assay::fuzz
