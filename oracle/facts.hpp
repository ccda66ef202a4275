// What can be read off a program without judging it: `assay parse --as facts` (ANA-8).
#pragma once

#include <string>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::oracle {

/// Digest, launches at the given parameter values, and when each internal buffer is in use.
std::string facts_text(const Program& p, const ParameterMap& parameters);

}  // namespace assay::oracle
