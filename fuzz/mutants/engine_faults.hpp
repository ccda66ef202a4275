// Faults planted in the code of the compiled interpreter, each of which the comparison with the tree walk must find.
#pragma once

#include <string>
#include <vector>

#include "interp/compiled/run.hpp"

namespace assay::fuzz {

struct EngineFault {
  std::string name{};
  interp::compiled::Change plant{};
};
std::vector<EngineFault> engine_faults();

}  // namespace assay::fuzz
