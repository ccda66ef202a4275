// Kernels for devices: CUDA and OpenCL text, one kernel per launch, and the host code that launches them
// (spec/codegen-cuda.md).
//
// The kernels of a CUDA unit are one text for nvcc and for the CPU (dialects cuda and simt): only what stands before them
// differs, headers and launch there, a small set of macros and the fibers of the worker here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/c.hpp"
#include "codegen/c/unit.hpp"
#include "codegen/device/collectives.hpp"

namespace assay::codegen {

/// The options of every OpenCL build.
inline constexpr std::string_view opencl_flags = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
/// The flags of nvcc and NVRTC that every compilation needs: no contraction, and all results rounded as IEEE 754 says.
inline constexpr std::string_view cuda_flags = "-std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true";

/// What PTX is made for where nothing else is asked for; drivers make machine code of it for this and all later ones.
constexpr std::string_view image_architecture(TileUnit tiles) {
  return tiles == TileUnit::sm_90 ? "compute_90" : "compute_80";
}

constexpr bool is_cuda(Dialect d) { return d == Dialect::simt || d == Dialect::cuda; }
constexpr bool is_opencl(Dialect d) { return d == Dialect::opencl || d == Dialect::oclgrind; }
constexpr bool is_device(Dialect d) { return is_cuda(d) || is_opencl(d); }

/// The whole unit of one program.
Result<std::string> emit_device(const Program& p, Dialect dialect, const DeviceFeatures& features = {});
/// One unit for several programs: entry N is `assay_kernel_N`.
Batch emit_device_batch(const std::vector<const Program*>& programs, Dialect dialect, TileUnit tiles = TileUnit::none,
                        const std::vector<CopyPieces>& copies = {});

/// What stands before helpers and kernels; for OpenCL, before the kernels.
std::string device_head(Dialect dialect);
std::string opencl_kernel_head();
/// What stands before host code that has its kernels as a string (`image_text`), and that string.
std::string host_head(Dialect dialect, TileUnit tiles);
std::string image_text(const std::string& image);

class Helpers;

/// One launch: its kernel and how the host calls it.
struct KernelPart {
  Program part;
  std::string name{};                                  // of the kernel
  std::vector<const Parameter*> parameters{};          // arguments of the kernel, in this order
  std::vector<int> folded_groups{}, folded_threads{};  // slots whose extents are arguments
  std::vector<int> buffers{};                          // numbers of the entry's buffers that are arguments
  int group_slots = 0, thread_slots = 0;
  std::map<const StmtNode*, Collective> collectives{};
  bool shares_memory = false;  // whether there are shared buffers or collectives in the memory of a group
};
/// The kernels of a program, numbered from 0: `STEM_0`, `STEM_1`, …
std::vector<KernelPart> kernel_parts(const Program& p, const std::string& stem, Dialect dialect);
/// The text of a kernel, whose helpers gather in the emitter's.
std::string kernel_text(const KernelPart& kernel, Emitter& emit, Dialect dialect);
/// Bytes of the shared buffers of a launch, each at a multiple of 16; `at` receives where each begins.
std::string shared_bytes_text(const Program& part, Emitter& emit, std::vector<std::string>* at = nullptr);
/// Whether a launch has a collective that goes through the memory of a group, which then lies behind the shared buffers.
bool gathers_in_memory(const KernelPart& kernel);
/// The kernel with its arguments in an array, for launches that are function calls.
std::string call_text(const KernelPart& kernel);
/// The entry of a program: `assay_kernel_N` and the function that it runs.
std::string host_text(const Program& p, const std::vector<KernelPart>& kernels, const std::string& number,
                      Helpers& helpers);

}  // namespace assay::codegen
