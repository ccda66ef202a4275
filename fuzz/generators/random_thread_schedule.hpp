// Serial programs and schedules that give them threads: tiles, groups, shared staging, pipelines, tile products.
#pragma once

#include <string>

#include "interp/random.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {

/// A serial program without faults: a product or a sum over rows, with its start values and what follows it at times. Integers, or
/// floats whose sums are exact on exact inputs.
std::string random_kernel(interp::Random& random);

/// A line for the program: it may well be refused or wrong. `stage` counts from 0 to 1 how far the schedule has come: first come
/// tiles, then groups and threads, then memory and tile products.
ScheduleLine random_thread_line(interp::Random& random, const Program& p, double stage, int number);

}  // namespace assay::fuzz
