// Generated C: the text of a program as one C11 translation unit, and its compiled form run in a worker process.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::codegen {

/// The C text. Entry: `int assay_kernel(const long long* parameters, void* const* buffers)`, buffers in declaration order
/// (input, inout, output, temp; others are inside). It returns 0, or what is wrong around it: 1 rounding mode, 2 flushed
/// subnormals, 3 overlapping buffers, 4 a short long double. Refuses programs with @workgroup, @reduce, barrier, shared or
/// launch (CGEN-1).
Result<std::string> emit_c(const Program& p);
/// Whether an observed buffer of `p` depends on an operation that generated code does not promise to the bit
/// (exp, exp2, log, log2, sin, cos, tanh, rsqrt, pow at f64; spec/numerics.md rigour U).
bool has_uncompared_operations(const Program& p);

struct CompilerSpec {
  std::string name;     // "c"
  std::string command;  // "gcc"
  std::string flags;    // "-O2"
};
/// The compilers found on this machine (gcc today), best first; empty when there is none.
std::vector<CompilerSpec> available_compilers();

struct KernelOutcome {
  enum class Status { ok, compile_error, crashed, timed_out, unavailable, environment } status = Status::ok;
  std::string message;  // signal, compiler diagnostics …
  TensorMap outputs{};  // inout and output buffers (ok only)
};

/// A compiled program. Runs happen in a worker process: a crash, a hang or an exit of the kernel is an outcome.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// `limit` is wall time for one run. Undefined cells of outputs and temps start filled with the byte 0xCD.
  virtual KernelOutcome run(const ParameterMap& parameters, const TensorMap& inputs,
                            std::chrono::milliseconds limit) = 0;
};
/// Compiles; on failure `error` says why.
std::unique_ptr<Kernel> compile(const Program& p, const CompilerSpec& compiler, KernelOutcome& error);

}  // namespace assay::codegen
