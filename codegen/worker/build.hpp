// C text to a module by a compiler of this machine, and CUDA text to PTX.
#pragma once

#include <string>
#include <vector>

#include "codegen/c.hpp"
#include "codegen/worker/process.hpp"

namespace assay::codegen {

/// The full arguments of a compilation of unit.c to unit.so, the compiler's path first. `libraries` come last.
std::vector<std::string> compiler_arguments(const std::string& path, const CompilerSpec& compiler, bool quad);

struct Built {
  Descriptor object{};
  KernelOutcome error{};  // when there is no object
};
/// Compiles a unit into a shared object in memory.
Built build_object(const std::string& text, const CompilerSpec& compiler);
/// Compiles CUDA text in memory, by NVRTC or else by nvcc: to PTX, for the generation of its instructions where it has such, or
/// to what $ASSAY_CUDA_ARCHITECTURE names (CUDA-30).
Built build_image(const std::string& text, TileUnit tiles = TileUnit::none);

}  // namespace assay::codegen
