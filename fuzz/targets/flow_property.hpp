// The property of steps that move values (schema F), or that accumulate through partial results (A), over random programs and
// lines: what is proved computes the same terms (A: counted, in any order) and leaves the same bits; what is refuted computes
// other terms or faults.
#pragma once

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

struct FlowPropertyOptions {
  std::uint64_t seed = 1;
  int pairs = 1000;                  // lines that applied (with a fault: in which it had a place)
  char schema = 'F';                 // or 'A'
  std::string operation{};           // empty: all of the schema
  const StepFault* fault = nullptr;  // planted into the result
  bool stop_at_failure = false;
};

struct FlowPropertyResult {
  int pairs = 0, refused = 0;  // lines that applied; lines that did not
  int proved = 0, violated = 0, undecided = 0;
  int traced = 0;      // pairs that the judge by terms covered
  int same_terms = 0;  // violated, covered, and no other term was seen on the paths tried
  int same_bits = 0;   // violated, and every run left the same bits
  int needless = 0;    // undecided, covered, and no other term was seen
  std::map<std::string, int> codes{};
  std::map<std::string, int> proved_by{};  // operation
  std::vector<std::string> failures{};     // program, line, what went wrong
};

FlowPropertyResult check_flow_steps(const FlowPropertyOptions& options);
/// The counts as lines of text.
std::string statistics(const FlowPropertyResult& r);

}  // namespace assay::fuzz
