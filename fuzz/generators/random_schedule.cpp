// Every operation is as likely as any other. A third of the lines are those that a search would try; the others are drawn, with
// arguments that are odd more often.
#include "fuzz/generators/random_schedule.hpp"

#include "fuzz/generators/random_accumulation_line.hpp"
#include "fuzz/generators/random_flow_line.hpp"
#include "fuzz/generators/random_line.hpp"
#include "transforms/candidates.hpp"

namespace assay::fuzz {

ScheduleLine random_step(interp::Random& random, const Program& p) {
  const OperationEntry& entry = operations()[random.below(operations().size())];
  const Declaration& d = entry.declaration;
  if (random.below(3) == 0) {
    const std::vector<ScheduleLine> lines = candidate_lines(d, p, 256);
    if (!lines.empty()) return lines[random.below(lines.size())];
  }
  switch (d.schema.front()) {
    case 'A': return random_accumulation_line(random, p, d.name);
    case 'F': return random_flow_line(random, p, d.name);
    default: return random_line(random, p, d.name);
  }
}

}  // namespace assay::fuzz
