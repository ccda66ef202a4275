// A loaded module: compiled code, or C text for the in-memory compiler, in a process that runs its kernels.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "codegen/c.hpp"
#include "codegen/worker/worker.hpp"

namespace assay::codegen {

class Module {
 public:
  enum class Kind { object, source };
  /// `content` is kept: when the process that holds the module is lost, another loads it again.
  Module(Kind kind, Descriptor content) : kind_(kind), content_(std::move(content)) {}
  /// Ends the process that holds it.
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Loads it; what went wrong (a `compile_error` of text, a crash while loading) when it could not be.
  std::optional<KernelOutcome> load();
  /// Runs the jobs of a job file, at most for `limit` in all. The results are in the file. Safe from several threads, one
  /// after the other.
  std::optional<KernelOutcome> run(int job_file, std::chrono::milliseconds limit);

 private:
  std::optional<KernelOutcome> open();
  void close();

  std::mutex mutex_;
  Kind kind_;
  Descriptor content_, channel_;
  std::shared_ptr<Worker> worker_;
  pid_t process_ = -1;
};

/// "SIGSEGV" or "exited with status 7 before it was done".
std::string crash_text(int how, int code);

}  // namespace assay::codegen
