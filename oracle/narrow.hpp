// `--param NAME=VALUE`: a program with the range of a parameter narrowed to one value (CLI-7).
#pragma once

#include <string>
#include <vector>

#include "ir/program.hpp"

namespace assay::oracle {

/// `assignments` are texts `n=7`. Errors: no `=`, no integer, no such parameter, a value outside the range, a name twice.
Result<Program> narrow_parameters(Program p, const std::vector<std::string>& assignments);

}  // namespace assay::oracle
