// Planted faults of programs with threads: barriers lost and misplaced, tiles too small, guards dropped, hardware indices mixed up,
// copies taken in the wrong turn. Most of these programs are wrong, not all: who judges them has to find out.
#pragma once

#include <string>
#include <vector>

#include "ir/program.hpp"

namespace assay::fuzz {

struct ThreadFault {
  std::string name;
  Program program;
};

/// `p` with one fault at a time, at every place that has one; all well-formed and different from `p`.
std::vector<ThreadFault> thread_faults(const Program& p);

}  // namespace assay::fuzz
