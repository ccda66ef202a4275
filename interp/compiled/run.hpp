// The entry of the compiled interpreter.
#pragma once

#include <functional>
#include <optional>

#include "interp/interpreter.hpp"

namespace assay::interp::compiled {

struct CompiledProgram;
/// Changes code before it runs: how tests plant faults (EXEC-38).
using Change = std::function<void(CompiledProgram&)>;

/// As interp::run does with the engine `tree`: the same outcome (EXEC-34). Nothing where the program cannot be run compiled
/// because its lanes need more memory than this machine grants itself.
std::optional<Outcome> run(const Program& p, const TensorMap& inputs, const Options& options,
                           const Change& change = {});

}  // namespace assay::interp::compiled
