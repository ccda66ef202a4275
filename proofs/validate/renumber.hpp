// A step judged through a program between the two: the old one in another form, whose statements carry their old numbers.
#pragma once

#include "proofs/validate/zeroing.hpp"

namespace assay::derive {

struct Renumbered {
  Program before, after;  // the program between, numbered anew, and the new one with its claims in these numbers
  SpelledOut origin;      // for in_given_numbers
};
/// Claims of statements that `between` does not have claim nothing any more.
Renumbered renumbered(const Program& between, const Program& after);

}  // namespace assay::derive
