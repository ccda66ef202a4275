// The planted faults of one operation, each before two judges that know nothing of one another: the derived obligations, and
// executions alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::fuzz {

struct PlantedFault {
  std::string name;
  int planted = 0;   // into results that are proved without it
  int refuted = 0;   // some obligation is violated
  int open = 0;      // none is, and some is undecided
  int seen = 0;      // runs differ, and those of the result without the fault do not
  int accepted = 0;  // every obligation is proved: the fault changes nothing that matters there
};
struct PlantedResult {
  std::vector<PlantedFault> faults{};
  int draws = 0;                        // programs
  std::vector<std::string> failures{};  // proved, and runs differ: program, line, fault
};

/// Draws programs and lines for the operation until every fault was planted `pairs` times and caught by both, or `draws` are drawn.
PlantedResult check_planted(std::string_view operation, std::uint64_t seed, int pairs, int draws);

}  // namespace assay::fuzz
