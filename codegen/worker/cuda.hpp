// Which compilers of CUDA this machine has.
#pragma once

#include <optional>
#include <string>

namespace assay::codegen {

/// The library NVRTC: what $ASSAY_NVRTC names (`off`: none), else in $CUDA_HOME, /usr/local/cuda or the folders of libraries.
std::optional<std::string> find_nvrtc();
/// The compiler nvcc, on the path or in $CUDA_HOME or /usr/local/cuda.
std::optional<std::string> find_nvcc();

}  // namespace assay::codegen
