// The entry of the compiled interpreter.
#pragma once

#include "interp/interpreter.hpp"

namespace assay::interp::compiled {

/// As interp::run does with the engine `tree`: the same outcome (EXEC-34). Nothing where the program cannot be run compiled
/// because its lanes need more memory than this machine grants itself.
std::optional<Outcome> run(const Program& p, const TensorMap& inputs, const Options& options);

}  // namespace assay::interp::compiled
