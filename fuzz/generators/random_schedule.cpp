// Every operation is as likely as any other, with arguments that are odd at times.
#include "fuzz/generators/random_schedule.hpp"

#include "fuzz/generators/fitting_program.hpp"

namespace assay::fuzz {

ScheduleLine random_step(interp::Random& random, const Program& p) {
  return fitting_line(random, p, operations()[random.below(operations().size())].declaration.name);
}

}  // namespace assay::fuzz
