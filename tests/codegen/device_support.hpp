// What the tests of CUDA text share: the programs of the test cases and examples, runs beside the interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/c.hpp"
#include "interp/interpreter.hpp"

namespace assay::codegen::test {

/// Every program of tests/cases and examples that CUDA text covers, and of the folder $ASSAY_DEVICE_PROGRAMS.
const std::vector<Program>& covered_programs();
/// gcc for CUDA text; null when it is not here.
const CompilerSpec* simt_compiler();
/// gcc for CUDA text with the instructions of sm_80, by their models; null when it is not here.
const CompilerSpec* sm_80_compiler();
/// What runs CUDA text in the tests that compare: gcc, or nvcc and a GPU with ASSAY_DEVICE=cuda (scripts/gpu-check.sh).
const CompilerSpec* device_compiler();
/// What runs text with matrix instructions and asynchronous copies, of each generation: gcc by the models, or with
/// ASSAY_DEVICE=cuda a GPU, where one is of that generation.
std::vector<CompilerSpec> instruction_compilers();
/// A process that uses a GPU takes a fraction of a second to begin: there one input for each program is enough.
bool on_gpu();

/// A program at its smallest parameters, with an input and what the interpreter makes of it.
struct Case {
  ParameterMap parameters{};
  TensorMap inputs{}, expected{};
};
/// A test whose time goes into nvcc, PoCL or Oclgrind, none of which the sanitizers see, takes each so many-th program: 1, or 10
/// in a shortened run (ASSAY_PROPERTY_CASES is set), and says so.
int program_step();

/// The cases of a program that have no fault and no race.
std::vector<Case> right_cases(const Program& p, const ParameterMap& parameters);
std::vector<Case> right_cases(const Program& p);

/// Compiles all programs in one unit, runs every case, and checks CUDA-12. Returns how many were compared.
int compare_with_interpreter(const std::vector<Program>& programs, const std::vector<std::vector<Case>>& cases,
                             const CompilerSpec& compiler);
/// What a changed text of a program is found by, compiled by gcc: empty when it is not found.
std::string found_by(const std::string& text, const Program& p, const std::vector<Case>& cases);

}  // namespace assay::codegen::test
