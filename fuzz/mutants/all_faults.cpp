// One list of all lists.
#include "fuzz/mutants/all_faults.hpp"

#include <algorithm>

#include "fuzz/mutants/accumulation_faults.hpp"
#include "fuzz/mutants/flow_faults.hpp"
#include "fuzz/mutants/rewrite_faults.hpp"
#include "fuzz/mutants/storage_faults.hpp"

namespace assay::fuzz {

std::vector<StepFault> all_faults() {
  std::vector<StepFault> all;
  for (const auto* list :
       {&step_faults(), &flow_faults(), &accumulation_faults(), &rewrite_faults(), &storage_faults()})
    all.insert(all.end(), list->begin(), list->end());
  std::stable_sort(all.begin(), all.end(),
                   [](const StepFault& a, const StepFault& b) { return a.operation < b.operation; });
  return all;
}

}  // namespace assay::fuzz
