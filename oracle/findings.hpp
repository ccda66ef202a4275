// Turning obligations and observations into messages: headline, places, remarks (design/screens.md).
#pragma once

#include <string>
#include <vector>

#include "oracle/compare.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

/// What the messages of one command refer to.
struct Places {
  std::string program_file{};
  std::string schedule_file{};
};

/// The step that a message is about, or nothing for a whole program.
struct StepPlace {
  int number = 0;
  std::string op{};
  Location where{};
  std::string program_argument{}, schedule_argument{};  // as the user typed them, for the line that reproduces
};

/// An obligation that does not hold, or could not be decided, with what its replay showed.
Finding obligation_finding(const ObligationReport& o, const std::optional<Observation>& seen, const StepPlace* step,
                           const Places& places);
/// A fault or race seen in a program, with the obligation that foretold it, if any.
Finding observation_finding(const Observation& seen, const ObligationReport* foretold, const Places& places);
/// The remark that states an observation: "all-zero input at n = 3: a[2, 0] is 2.0 before, 1.0 after; 36 of 64 cells differ".
std::string observation_text(const Observation& seen, const std::string& first_name = "before",
                             const std::string& second_name = "after");

/// "every input", "every input and every n in 1..65".
std::string domain_text(const Program& p);
/// "n = 1, 15, 16", "(m, n) = (1, 1), (2, 3)"; the empty string without parameters. At most `most` sizes, the rest counted.
std::string sizes_text(const std::vector<ParameterMap>& sizes, std::size_t most = 10);
/// "12 inputs (exact, adversarial, special) at n = 1, 2".
std::string cases_text(const Comparison& c);

}  // namespace assay::oracle
