// What depends on the compiler that reads a unit: the declarations at its head.
#pragma once

#include <string>

#include "codegen/c.hpp"
#include "codegen/c/helpers.hpp"

namespace assay::codegen {

/// Headers, or for tcc the declarations in place of them: its units stand alone (codegen/worker/host/source.c supplies what
/// they call), which makes a small one compile in a tenth of a millisecond.
std::string prelude(Dialect dialect, const Helpers& helpers);

}  // namespace assay::codegen
