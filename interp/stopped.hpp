// What stops a run early: thrown by both interpreters and by what sets up their memory, caught where a run was begun.
#pragma once

#include <string>

#include "interp/interpreter.hpp"

namespace assay::interp {

struct Faulted {
  Fault fault;
};
/// The sentence tells which limit was reached.
struct Exhausted {
  std::string limit;
};

}  // namespace assay::interp
