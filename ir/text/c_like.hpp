// A second printed form: programs in the spelling of C, for people who read kernels (spec/analysis.md). It is not read back
// and not compiled; generated code comes from codegen/.
#pragma once

#include <string>

#include "ir/program.hpp"

namespace assay {

std::string print_c_like(const Program& p);

}  // namespace assay
