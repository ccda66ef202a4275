// A second, naive formulation of canonical execution, for i32 programs without threads: environments are maps, lanes are
// lists, and each rule of spec/execution.md is one obvious loop. It shares nothing with the interpreter but the trees.
#pragma once

#include <string>

#include "interp/interpreter.hpp"

namespace assay::test {

/// What the interpreter's tests print of an outcome: the observed buffers' values, or the fault with iteration and cell.
std::string run_naively(const Program& p, const TensorMap& inputs);
std::string summary(const interp::Outcome& o);

}  // namespace assay::test
