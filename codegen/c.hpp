// Generated C: the text of a program as one C11 translation unit, and its compiled form run in a worker process.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ir/copy_pieces.hpp"
#include "ir/program.hpp"
#include "ir/tensor.hpp"
#include "ir/tile_instruction.hpp"

namespace assay::codegen {

/// The compiler that a text is for. `gnu`: gcc and clang. `tcc` declares what it calls instead of including headers, and
/// has no vectors and no __float128. `cuda`: CUDA for nvcc; `simt`: the same kernels for gcc, threads being fibers
/// (spec/codegen-cuda.md). `opencl`: OpenCL C in a host unit for gcc, run by an OpenCL platform or by Oclgrind
/// (spec/codegen-opencl.md).
enum class Dialect { gnu, tcc, simt, cuda, opencl, oclgrind };

/// The C text. Entry: `int assay_kernel(const long long* parameters, void* const* buffers)`, buffers in declaration order
/// (input, inout, output, temp; others are inside). It returns 0, or what is wrong around it: 1 rounding mode, 2 flushed
/// subnormals, 3 overlapping buffers, 4 a short long double. Refuses programs with @workgroup, @reduce, barrier or
/// shared (CGEN-1), and for tcc what CGEN-25 names.
Result<std::string> emit_c(const Program& p, Dialect dialect = Dialect::gnu);
/// What CUDA text may use that devices have from sm_80 on: matrix instructions for tile products that fit (spec/tiles.md), and
/// asynchronous copies for the stores in `copies`, which must meet ASYNC-2 and ASYNC-7.
struct DeviceFeatures {
  TileUnit tiles = TileUnit::none;
  CopyPieces copies{};
};
/// The CUDA text: a kernel for each launch, and the entry of `emit_c` as host code. Refuses what CUDA-1 names.
Result<std::string> emit_cuda(const Program& p, const DeviceFeatures& features = {});
/// The OpenCL C text of the same kernels. Refuses what OCL-1 names.
Result<std::string> emit_opencl(const Program& p);
/// Whether an observed buffer of `p` depends on an operation that generated code does not promise to the bit
/// (exp, exp2, log, log2, sin, cos, tanh, rsqrt, pow at f64; spec/numerics.md rigour U).
bool has_uncompared_operations(const Program& p);

struct CompilerSpec {
  std::string name;     // "c", "clang", "tcc", or with a level "c-O0", "clang-v3"
  std::string command;  // "gcc"; "tcc" is the in-memory compiler of the worker, not a command
  std::string flags;    // "-O2"
  Dialect dialect = Dialect::gnu;
  /// Matrix instructions and asynchronous copies are used: of a device of this generation, on the CPU by its models.
  TileUnit tiles = TileUnit::none;
};
/// The compilers that are here, each at its usual level: gcc -O2, clang -O2, tcc. Empty when there is none, or no worker
/// process to run their code in.
std::vector<CompilerSpec> available_compilers();
/// The same compilers at every level that has a name, the usual ones left out: -O0, -O1, -O3, and v3, which is -O3 for
/// x86-64-v3 (where the processor has it: its fused multiply-add is what an unwanted contraction would use).
std::vector<CompilerSpec> compiler_levels();
/// What runs programs with threads, where it is here: `simt`, CUDA text compiled by gcc, threads being fibers; `cuda`, the
/// same by nvcc, on a GPU; `opencl`, OpenCL text on the first platform of this machine; `oclgrind`, the same in that simulator.
std::vector<CompilerSpec> device_compilers();

struct KernelOutcome {
  enum class Status { ok, compile_error, crashed, timed_out, unavailable, environment } status = Status::ok;
  std::string message;  // signal, compiler diagnostics …
  TensorMap outputs{};  // inout and output buffers (ok only)
};

/// A compiled program. Runs happen in processes of their own: a crash, a hang or an exit of the kernel is an outcome.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// `limit` is wall time for one run. Undefined cells of outputs and temps start filled with the byte 0xCD.
  virtual KernelOutcome run(const ParameterMap& parameters, const TensorMap& inputs,
                            std::chrono::milliseconds limit) = 0;
};
/// Compiles; on failure `error` says why.
std::unique_ptr<Kernel> compile(const Program& p, const CompilerSpec& compiler, KernelOutcome& error);

struct Compiled {
  std::unique_ptr<Kernel> kernel{};
  KernelOutcome error{};  // when there is no kernel
};
/// Compiles many programs in as few compilations as possible. One that cannot be compiled, or loaded, fails alone.
/// `copies` has the asynchronous copies of each program, or nothing.
std::vector<Compiled> compile_batch(const std::vector<const Program*>& programs, const CompilerSpec& compiler,
                                    const std::vector<CopyPieces>& copies = {});

struct KernelRun {
  Kernel* kernel = nullptr;
  const ParameterMap* parameters = nullptr;
  const TensorMap* inputs = nullptr;
};
/// Many runs, with few exchanges with the processes that hold the kernels. Each run is a process of its own, with `limit`.
std::vector<KernelOutcome> run_batch(const std::vector<KernelRun>& runs, std::chrono::milliseconds limit);

}  // namespace assay::codegen
