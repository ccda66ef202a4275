// Random programs for property tests and campaigns: small loop nests that are right by construction as far as bounds and
// types go. Knows nothing of the judges.
#pragma once

#include "interp/random.hpp"
#include "ir/program.hpp"

namespace assay::fuzz {

/// What a program may contain; the sizes stay small enough to enumerate every pair of its accesses.
struct ProgramShape {
  int max_depth = 3;
  bool hardware = true;  // @grid loops
  bool threads = false;  // @workgroup, @reduce, barriers
  bool data = true;      // data-dependent conditions and dynamic indices
  bool product = false;  // every nest is a product of tiles that is still to be made
};

/// A well-formed program whose accesses are inside their buffers. It may still race or read undefined cells: whoever needs
/// a right program filters with the linter or the interpreter.
Program random_program(interp::Random& random, const ProgramShape& shape = {});

}  // namespace assay::fuzz
