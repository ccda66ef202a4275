// Compiling CUDA text by nvcc in tests, without a GPU.
#pragma once

#include <string>

#include "tests/support/files.hpp"

namespace assay::codegen::test {

/// The command of nvcc; empty where it is not here.
std::string nvcc();
std::string content(const std::string& path);
/// What nvcc says about unit.cu in the folder; empty when it compiles without a word. Variables
/// that are not used, not set (there are cases of that fault) or set in vain are those of the programs.
std::string compiled(const assay::test::TemporaryDirectory& directory, const std::string& arguments);

}  // namespace assay::codegen::test
