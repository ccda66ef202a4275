// Compilation of a generated unit together with its worker, and runs of the worker.
//
// The compiler makes one executable, which is opened and unlinked at once: from then on it lives as long as the Kernel
// does, and no file is left behind whatever happens to this process. Every run is a fresh process that shares one
// memory file with its parent (worker_text.hpp).
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "codegen/c.hpp"
#include "codegen/c/unit.hpp"
#include "codegen/worker/files.hpp"
#include "codegen/worker/process.hpp"
#include "codegen/worker/worker_text.hpp"

namespace assay::codegen {
namespace {

using Status = KernelOutcome::Status;

constexpr std::int64_t memory_limit = std::int64_t{8} << 30;  // bytes of all buffers together
constexpr std::int64_t heap_limit = std::int64_t{4} << 30;    // bytes that a kernel may allocate itself
constexpr std::chrono::minutes compile_limit{5};

KernelOutcome outcome(Status status, std::string message) { return {status, std::move(message), {}}; }

/// A buffer of one run and its place in the shared file.
struct Placed {
  const Buffer* buffer = nullptr;
  std::vector<std::int64_t> dims{};
  std::int64_t bytes = 0, pages_at = 0, data_at = 0;
};

/// The memory file of one run, mapped here as a whole.
class SharedFile {
 public:
  explicit SharedFile(std::int64_t bytes)
      : file_(::memfd_create("assay", MFD_CLOEXEC)), size_(static_cast<std::size_t>(bytes)) {
    if (!file_) return;
    // Allocated now: later a full memory would show as SIGBUS here instead of as an error.
    if (::fallocate(file_.get(), 0, 0, bytes) != 0 && (errno != EOPNOTSUPP || ::ftruncate(file_.get(), bytes) != 0))
      return;
    void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (at != MAP_FAILED) data_ = static_cast<unsigned char*>(at);
  }
  ~SharedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  explicit operator bool() const { return data_ != nullptr; }
  int descriptor() const { return file_.get(); }
  unsigned char* at(std::int64_t offset) const { return data_ + offset; }
  void set_word(std::size_t i, std::int64_t value) const { std::memcpy(data_ + 8 * i, &value, 8); }
  std::int64_t word(std::size_t i) const {
    std::int64_t value = 0;
    std::memcpy(&value, data_ + 8 * i, 8);
    return value;
  }

 private:
  Descriptor file_;
  std::size_t size_;
  unsigned char* data_ = nullptr;
};

std::string entry_refusal(std::int64_t code) {
  switch (code) {
    case 1: return "arithmetic does not round to nearest";
    case 2: return "arithmetic flushes subnormals to zero";
    case 3: return "buffers overlap";
    case 4: return "long double has fewer than 64 significant bits";
    default: return fmt::format("the kernel returned {}", code);
  }
}

class WorkerKernel final : public Kernel {
 public:
  WorkerKernel(Program program, Descriptor executable)
      : program_(std::move(program)), executable_(std::move(executable)) {}

  KernelOutcome run(const ParameterMap& parameters, const TensorMap& inputs, std::chrono::milliseconds limit) override {
    std::vector<std::int64_t> values;
    for (const Parameter& p : program_.parameters) {
      const auto value = parameters.find(p.name);
      if (value == parameters.end())
        return outcome(Status::environment, fmt::format("parameter {} has no value", p.name));
      values.push_back(value->second);
    }
    std::vector<Placed> placed;
    std::int64_t end = 0;
    if (auto problem = place(parameters, inputs, placed, end)) return outcome(Status::environment, std::move(*problem));
    const SharedFile file(end);
    if (!file) return outcome(Status::environment, fmt::format("cannot allocate {} bytes of shared memory", end));
    fill(file, values, placed, inputs);
    Process process;
    process.executable = executable_.get();
    process.arguments = {"assay-kernel"};
    process.channel = file.descriptor();
    return judge(run_process(process, limit), file, placed, limit);
  }

 private:
  /// Shapes, sizes and places of the argument buffers; a sentence when something is wrong.
  std::optional<std::string> place(const ParameterMap& parameters, const TensorMap& inputs, std::vector<Placed>& placed,
                                   std::int64_t& end) const {
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    const auto pages = [page](std::int64_t bytes) { return (bytes + page - 1) / page * page; };
    const auto lookup = [&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto value = parameters.find(s);
      return value == parameters.end() ? std::nullopt : std::optional(value->second);
    };
    for (const Buffer& b : program_.buffers) {
      if (b.kind == BufferKind::constant || b.kind == BufferKind::local) continue;
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
        const auto given = inputs.find(b.name);
        const bool fits = given != inputs.end() && given->second.type == b.type && given->second.dims == here.dims &&
                          given->second.bytes.size() == static_cast<std::size_t>(here.bytes);
        if (!fits) return fmt::format("there is no tensor of the right type and shape for {}", b.name);
      }
      placed.push_back(std::move(here));
    }
    end = pages(
        8 * static_cast<std::int64_t>(control_words + program_.parameters.size() + words_per_buffer * placed.size()));
    for (Placed& here : placed) {
      here.pages_at = end;
      end += pages(here.bytes);
      here.data_at = end - here.bytes;
      if (end > memory_limit) return "the buffers are too large together";
    }
    return std::nullopt;
  }

  static void fill(const SharedFile& file, const std::vector<std::int64_t>& values, const std::vector<Placed>& placed,
                   const TensorMap& inputs) {
    file.set_word(2, static_cast<std::int64_t>(values.size()));
    file.set_word(3, static_cast<std::int64_t>(placed.size()));
    file.set_word(4, heap_limit);
    std::size_t next = control_words;
    for (const std::int64_t v : values) file.set_word(next++, v);
    for (const Placed& here : placed) {
      file.set_word(next++, here.pages_at);
      file.set_word(next++, here.bytes);
      file.set_word(next++, is_writable(here.buffer->kind) ? 1 : 0);
      if (here.bytes == 0) continue;
      const auto bytes = static_cast<std::size_t>(here.bytes);
      if (is_defined_on_entry(here.buffer->kind)) {
        std::memcpy(file.at(here.data_at), inputs.at(here.buffer->name).bytes.data(), bytes);
      } else {
        std::memset(file.at(here.data_at), 0xCD, bytes);
      }
    }
  }

  static KernelOutcome judge(const Ending& ending, const SharedFile& file, const std::vector<Placed>& placed,
                             std::chrono::milliseconds limit) {
    switch (ending.how) {
      case Ending::How::not_started:
        return outcome(Status::environment, fmt::format("the worker did not start: {}", std::strerror(ending.code)));
      case Ending::How::timed_out:
        return outcome(Status::timed_out, fmt::format("no result after {} ms", limit.count()));
      case Ending::How::signalled: return outcome(Status::crashed, signal_name(ending.code));
      case Ending::How::exited: break;
    }
    if (ending.code >= 120 && ending.code <= 123 && file.word(0) != 1)
      return outcome(Status::environment, "the worker could not map its memory");
    if (file.word(0) != 1)
      return outcome(Status::crashed, fmt::format("exited with status {} before it was done", ending.code));
    if (file.word(1) != 0) return outcome(Status::environment, entry_refusal(file.word(1)));
    KernelOutcome done;
    for (const Placed& here : placed) {
      if (!is_observed(here.buffer->kind)) continue;
      Tensor t(here.buffer->type, here.dims);
      if (here.bytes > 0) std::memcpy(t.bytes.data(), file.at(here.data_at), static_cast<std::size_t>(here.bytes));
      done.outputs.emplace(here.buffer->name, std::move(t));
    }
    return done;
  }

  Program program_;
  Descriptor executable_;
};

void append_words(std::vector<std::string>& to, std::string_view text) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) to.push_back(word);
}

}  // namespace

std::vector<CompilerSpec> available_compilers() {
  std::vector<CompilerSpec> found;
  if (find_command("gcc")) found.push_back({"c", "gcc", "-O2"});
  return found;
}

std::unique_ptr<Kernel> compile(const Program& p, const CompilerSpec& compiler, KernelOutcome& error) {
  const auto give_up = [&error](Status status, std::string message) {
    error = outcome(status, std::move(message));
    return nullptr;
  };
  const auto text = emit_c(p);
  if (!text) return give_up(Status::unavailable, text.error().front().message);
  const auto command = find_command(compiler.command);
  if (!command) return give_up(Status::unavailable, fmt::format("there is no compiler {}", compiler.command));
  const TemporaryDirectory directory;
  const std::string kernel = directory.file("kernel.c"), worker = directory.file("worker.c"),
                    binary = directory.file("kernel");
  if (!directory || !write_file(kernel, *text) || !write_file(worker, worker_text)) {
    return give_up(Status::environment, "cannot write to a temporary directory");
  }
  Process process;
  process.arguments = {*command};
  append_words(process.arguments, compiler.flags);
  append_words(process.arguments, required_flags);
  process.arguments.insert(process.arguments.end(), {"-w", kernel, worker, "-o", binary});
  if (text->find("#include <quadmath.h>") != std::string::npos) process.arguments.emplace_back("-lquadmath");
  process.arguments.emplace_back("-lm");
  process.environment = environment_with_temporary(directory.path());
  const Descriptor log(::open(directory.file("log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  process.error_output = log.get();
  const Ending ending = run_process(process, compile_limit);
  if (ending.how == Ending::How::not_started)
    return give_up(Status::unavailable, fmt::format("{}: {}", *command, std::strerror(ending.code)));
  if (ending.how != Ending::How::exited || ending.code != 0) {
    constexpr std::size_t enough = 4000;
    const std::string why =
        ending.how == Ending::How::timed_out ? "the compiler took too long" : read_file(directory.file("log"), enough);
    return give_up(Status::compile_error, why);
  }
  Descriptor executable(::open(binary.c_str(), O_PATH | O_CLOEXEC));
  if (!executable) return give_up(Status::environment, "the compiler left no executable");
  error = KernelOutcome{};
  return std::make_unique<WorkerKernel>(p, std::move(executable));
}

}  // namespace assay::codegen
