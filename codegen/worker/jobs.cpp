// Placement of buffers at the ends of pages, and the words that describe them.
#include "codegen/worker/jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "codegen/c/launches.hpp"
#include "codegen/worker/host/protocol.h"
#include "codegen/worker/module.hpp"

namespace assay::codegen {
namespace {

using Status = KernelOutcome::Status;

constexpr std::int64_t memory_limit = std::int64_t{8} << 30;  // bytes of all buffers of a run together
constexpr std::int64_t heap_limit = std::int64_t{4} << 30;    // bytes that a kernel may allocate itself
constexpr std::int64_t batch_bytes = std::int64_t{64} << 20;  // a batch takes no further run beyond this
constexpr std::size_t batch_jobs = 512;
constexpr std::int64_t words_per_buffer = 3;

std::int64_t whole_pages(std::int64_t bytes) {
  static const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/// What an entry says by returning something else than 0 (CGEN-3, CGEN-4, CUDA-8).
KernelOutcome entry_refusal(std::int64_t code) {
  switch (code) {
    case 1: return {Status::environment, "arithmetic does not round to nearest", {}};
    case 2: return {Status::environment, "arithmetic flushes subnormals to zero", {}};
    case 3: return {Status::environment, "buffers overlap", {}};
    case 4: return {Status::environment, "long double has fewer than 64 significant bits", {}};
    case 5: return {Status::unavailable, "a group has more threads than a device allows", {}};
    case 6: return {Status::unavailable, "a group needs more shared memory than a device has", {}};
    case 7: return {Status::unavailable, "there are more groups than a device allows", {}};
    case 8: return {Status::unavailable, "there is no device", {}};
    case 9: return {Status::environment, "the device reports an error", {}};
    case 10: return {Status::crashed, "threads of a group do not wait at the same barrier", {}};
    case 12: return {Status::crashed, "Oclgrind reports a race, a divergence or an access out of bounds", {}};
    case 11: return {Status::crashed, "the result depends on the order of the threads", {}};
    case 13:
      return {Status::unavailable,
              "no device is of the generation that the instructions are for (compute capability 8.0 for sm_80, 9.0 for "
              "sm_90)",
              {}};
    case 14: return {Status::unavailable, "the device has no f64 (OpenCL: cl_khr_fp64)", {}};
    case 15:
      return {
          Status::unavailable,
          "the device does not compute f32 as IEEE 754 says (subnormals, rounding to nearest, division, square root)",
          {}};
    case 16: return {Status::compile_error, "the platform's compiler of OpenCL does not take the kernels", {}};
    default: return {Status::environment, fmt::format("the kernel returned {}", code), {}};
  }
}

}  // namespace

Jobs::~Jobs() {
  if (data_ != nullptr) ::munmap(data_, mapped_);
}

std::optional<KernelOutcome> Jobs::add(const Program& program, int kernel, bool on_device,
                                       const ParameterMap& parameters, const TensorMap& inputs,
                                       std::chrono::milliseconds limit) {
  Job job;
  job.kernel = kernel;
  job.on_device = on_device;
  job.inputs = &inputs;
  job.limit = limit;
  if (auto problem = place(program, parameters, job))
    return KernelOutcome{Status::environment, std::move(*problem), {}};
  for (const Placed& here : job.buffers) bytes_ += whole_pages(here.bytes);
  jobs_.push_back(std::move(job));
  return std::nullopt;
}

std::optional<std::string> Jobs::place(const Program& program, const ParameterMap& parameters, Job& job) const {
  const auto lookup = [&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto value = parameters.find(s);
    return value == parameters.end() ? std::nullopt : std::optional(value->second);
  };
  for (const Parameter& p : program.parameters) {
    const auto value = lookup(p.name);
    if (!value) return fmt::format("parameter {} has no value", p.name);
    job.parameters.push_back(*value);
  }
  std::int64_t all = 0;
  for (const Buffer& b : program.buffers) {
    if (!is_argument(b)) continue;
    Placed here;
    here.buffer = &b;
    here.bytes = byte_width(b.type);
    for (const Index& d : b.dims) {
      const auto extent = d.evaluate(lookup);
      if (!extent || *extent < 0) return fmt::format("{} has no shape at these parameters", b.name);
      here.dims.push_back(*extent);
      if (__builtin_mul_overflow(here.bytes, *extent, &here.bytes) || here.bytes > memory_limit)
        return fmt::format("{} is too large", b.name);
    }
    if (is_defined_on_entry(b.kind)) {
      const auto given = job.inputs->find(b.name);
      const bool fits = given != job.inputs->end() && given->second.type == b.type && given->second.dims == here.dims &&
                        given->second.bytes.size() == static_cast<std::size_t>(here.bytes);
      if (!fits) return fmt::format("there is no tensor of the right type and shape for {}", b.name);
    }
    all += whole_pages(here.bytes);
    if (all > memory_limit) return "the buffers are too large together";
    job.buffers.push_back(std::move(here));
  }
  return std::nullopt;
}

bool Jobs::full() const { return bytes_ >= batch_bytes || jobs_.size() >= batch_jobs; }

std::int64_t Jobs::words() const {
  std::size_t n = 1 + jobs_.size();
  for (const Job& job : jobs_) n += job_words + job.parameters.size() + words_per_buffer * job.buffers.size();
  return static_cast<std::int64_t>(n);
}

void Jobs::set_word(std::size_t i, std::int64_t value) const { std::memcpy(data_ + 8 * i, &value, 8); }
std::int64_t Jobs::word(std::size_t i) const {
  std::int64_t value = 0;
  std::memcpy(&value, data_ + 8 * i, 8);
  return value;
}

bool Jobs::write() {
  std::int64_t end = whole_pages(8 * words());
  mapped_ = static_cast<std::size_t>(end + bytes_);
  file_ = Descriptor(::memfd_create("assay", MFD_CLOEXEC));
  const auto length = static_cast<off_t>(mapped_);
  // Allocated now: later a full memory would show as SIGBUS here instead of as an error.
  if (!file_ ||
      (::fallocate(file_.get(), 0, 0, length) != 0 && (errno != EOPNOTSUPP || ::ftruncate(file_.get(), length) != 0)))
    return false;
  void* const at = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (at == MAP_FAILED) return false;
  data_ = static_cast<unsigned char*>(at);
  set_word(0, static_cast<std::int64_t>(jobs_.size()));
  std::size_t next = 1 + jobs_.size();
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    Job& job = jobs_[j];
    job.first_word = next;
    set_word(1 + j, static_cast<std::int64_t>(next));
    set_word(next + job_how, ending_not_started);
    set_word(next + job_kernel, job.kernel);
    set_word(next + job_limit, job.limit.count());
    set_word(next + job_heap, heap_limit);
    set_word(next + job_device, job.on_device ? 1 : 0);
    set_word(next + job_parameters, static_cast<std::int64_t>(job.parameters.size()));
    set_word(next + job_buffers, static_cast<std::int64_t>(job.buffers.size()));
    next += job_words;
    for (const std::int64_t v : job.parameters) set_word(next++, v);
    for (Placed& here : job.buffers) {
      here.pages_at = end;
      end += whole_pages(here.bytes);
      here.data_at = end - here.bytes;
      set_word(next++, here.pages_at);
      set_word(next++, here.bytes);
      set_word(next++, is_writable(here.buffer->kind) ? 1 : 0);
      if (here.bytes == 0) continue;
      const auto bytes = static_cast<std::size_t>(here.bytes);
      if (is_defined_on_entry(here.buffer->kind)) {
        std::memcpy(data_ + here.data_at, job.inputs->at(here.buffer->name).bytes.data(), bytes);
      } else {
        std::memset(data_ + here.data_at, 0xCD, bytes);
      }
    }
  }
  return true;
}

std::chrono::milliseconds Jobs::limit() const {
  std::chrono::milliseconds all = std::chrono::seconds(60);  // for starting and stopping on a machine out of breath
  for (const Job& job : jobs_) all += job.limit;
  return all;
}

KernelOutcome Jobs::outcome(std::size_t number) const {
  const Job& job = jobs_[number];
  const auto at = [&](int which) { return word(job.first_word + static_cast<std::size_t>(which)); };
  const auto failed = [](Status status, std::string message) { return KernelOutcome{status, std::move(message), {}}; };
  const int code = static_cast<int>(at(job_code));
  const bool done = at(job_done) == 1;
  switch (at(job_how)) {
    case ending_not_started:
      return failed(Status::environment, fmt::format("the run did not start: {}", std::strerror(code)));
    case ending_timed_out: return failed(Status::timed_out, fmt::format("no result after {} ms", job.limit.count()));
    case ending_signalled:
      if (code == SIGXCPU)
        return failed(Status::timed_out, fmt::format("no result after {} ms of processor time", job.limit.count()));
      return failed(Status::crashed, signal_name(code));
    default: break;
  }
  if (code >= 120 && code <= 123 && !done) return failed(Status::environment, "the worker could not map its memory");
  if (!done) return failed(Status::crashed, crash_text(ending_exited, code));
  if (at(job_returned) != 0) return entry_refusal(at(job_returned));
  KernelOutcome result;
  for (const Placed& here : job.buffers) {
    if (!is_observed(here.buffer->kind)) continue;
    Tensor t(here.buffer->type, here.dims);
    if (here.bytes > 0) std::memcpy(t.bytes.data(), data_ + here.data_at, static_cast<std::size_t>(here.bytes));
    result.outputs.emplace(here.buffer->name, std::move(t));
  }
  return result;
}

}  // namespace assay::codegen
