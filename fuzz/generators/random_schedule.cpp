// Every operation is as likely as any other, whatever its schema.
#include "fuzz/generators/random_schedule.hpp"

#include "fuzz/generators/random_flow_line.hpp"
#include "fuzz/generators/random_line.hpp"

namespace assay::fuzz {

ScheduleLine random_step(interp::Random& random, const Program& p) {
  const OperationEntry& entry = operations()[random.below(operations().size())];
  const bool moves_values = entry.declaration.schema.front() == 'F';
  return moves_values ? random_flow_line(random, p, entry.declaration.name)
                      : random_line(random, p, entry.declaration.name);
}

}  // namespace assay::fuzz
