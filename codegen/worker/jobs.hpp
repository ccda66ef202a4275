// The memory file of a batch of runs: its layout (host/protocol.h), its filling, and the outcomes that are read from it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "codegen/c.hpp"
#include "codegen/worker/process.hpp"

namespace assay::codegen {

class Jobs {
 public:
  Jobs() = default;
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Plans a run of entry `kernel` of the module; what is missing or ill-shaped (`environment`) when it cannot be. What is
  /// given must outlive this object.
  /// `on_device`: the run uses a GPU, whose driver maps memory as it likes.
  std::optional<KernelOutcome> add(const Program& program, int kernel, bool on_device, const ParameterMap& parameters,
                                   const TensorMap& inputs, std::chrono::milliseconds limit);
  std::size_t size() const { return jobs_.size(); }
  /// Whether another run of about the same size would make the file too large.
  bool full() const;
  /// Makes the file with all inputs in it; false when there is not enough memory.
  bool write();
  int file() const { return file_.get(); }
  /// Wall time that all runs together may take.
  std::chrono::milliseconds limit() const;
  /// The outcome of a run, once the runs have ended.
  KernelOutcome outcome(std::size_t job) const;

 private:
  /// A buffer of one run and its place in the file.
  struct Placed {
    const Buffer* buffer = nullptr;
    std::vector<std::int64_t> dims{};
    std::int64_t bytes = 0, pages_at = 0, data_at = 0;
  };
  struct Job {
    int kernel = 0;
    bool on_device = false;
    const TensorMap* inputs = nullptr;
    std::vector<std::int64_t> parameters{};
    std::vector<Placed> buffers{};
    std::chrono::milliseconds limit{};
    std::size_t first_word = 0;
  };

  std::optional<std::string> place(const Program& program, const ParameterMap& parameters, Job& job) const;
  std::int64_t words() const;
  void set_word(std::size_t i, std::int64_t value) const;
  std::int64_t word(std::size_t i) const;

  std::vector<Job> jobs_{};
  std::int64_t bytes_ = 0;  // of all pages of buffers
  Descriptor file_{};
  unsigned char* data_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace assay::codegen
