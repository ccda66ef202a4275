// Asking the worker for a compilation. The compiler runs in a temporary directory that the worker makes and removes; this
// process sees files in memory only. What was compiled before comes from the cache.
#include "codegen/worker/build.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "codegen/c/unit.hpp"
#include "codegen/device/device.hpp"
#include "codegen/worker/cache.hpp"
#include "codegen/worker/cuda.hpp"
#include "codegen/worker/worker.hpp"

namespace assay::codegen {
namespace {

using Status = KernelOutcome::Status;

// The worker stops a compiler after five minutes.
constexpr std::chrono::minutes compile_limit{6};
constexpr std::size_t enough_messages = 4000;

void append_words(std::vector<std::string>& to, std::string_view text) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) to.push_back(word);
}

/// What changes when the compiler behind a path does: the file that it leads to, its size and when it was made. Ends in a zero
/// byte.
std::string identity_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  struct stat status {};
  ::stat(real.c_str(), &status);
  return fmt::format("{} {} {}.{}", real.string(), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec) +
         '\0';
}

Built failed(Status status, std::string message) { return {{}, {status, std::move(message), {}}}; }

Built run_compiler(const std::vector<std::string>& arguments, const std::string& identities, const std::string& text);

}  // namespace

std::vector<std::string> compiler_arguments(const std::string& path, const CompilerSpec& compiler, bool quad) {
  std::vector<std::string> arguments{path};
  append_words(arguments, compiler.flags);
  append_words(arguments, required_flags);
  append_words(arguments, "-w -shared -fPIC unit.c -o unit.so");
  if (quad) arguments.emplace_back("-lquadmath");
  arguments.emplace_back("-lm");
  return arguments;
}

Built build_object(const std::string& text, const CompilerSpec& compiler) {
  const auto path = find_command(compiler.command);
  if (!path) return failed(Status::unavailable, fmt::format("there is no compiler {}", compiler.command));
  const bool quad = text.find("__float128") != std::string::npos;
  return run_compiler(compiler_arguments(*path, compiler, quad), identity_of(*path), text);
}

Built build_image(const std::string& text, TileUnit tiles) {
  std::vector<std::string> arguments;
  std::string identities, architecture(image_architecture(tiles));
  if (const char* chosen = std::getenv("ASSAY_CUDA_ARCHITECTURE"); chosen != nullptr && *chosen != '\0')
    architecture = chosen;
  if (const auto library = find_nvrtc()) {
    const auto worker = worker_path();
    if (!worker) return failed(Status::unavailable, "there is no worker");
    arguments = {*worker, "--nvrtc", *library, "unit.c", "unit.so", "--gpu-architecture=" + architecture};
    append_words(arguments, cuda_flags);
    append_words(arguments, "--disable-warnings");
    identities = identity_of(*worker) + identity_of(*library);
  } else if (const auto nvcc = find_nvcc()) {
    arguments = {*nvcc, architecture.compare(0, 3, "sm_") == 0 ? "-cubin" : "-ptx", "-arch=" + architecture};
    append_words(arguments, cuda_flags);
    append_words(arguments, "-x cu -w unit.c -o unit.so");
    identities = identity_of(*nvcc);
  } else {
    return failed(Status::unavailable, "there is neither NVRTC nor nvcc");
  }
  return run_compiler(arguments, identities, text);
}

namespace {

Built run_compiler(const std::vector<std::string>& arguments, const std::string& identities, const std::string& text) {
  std::string list;
  for (const std::string& a : arguments) list.append(a).push_back('\0');
  const UnitCache cache = UnitCache::from_environment();
  const std::string key = digest_of(list + identities + text);
  if (const auto kept = cache.find(key)) {
    if (Descriptor object = memory_file(*kept)) return {std::move(object), {}};
  }
  std::string why;
  const auto worker = Worker::get(why);
  if (!worker) return failed(Status::unavailable, why);
  const Descriptor argument_file = memory_file(list), text_file = memory_file(text), messages = memory_file({});
  Descriptor object = memory_file({});
  auto channel = make_channel();
  if (!argument_file || !text_file || !messages || !object || !channel)
    return failed(Status::environment, fmt::format("no memory for a compilation: {}", std::strerror(errno)));
  const pid_t process = worker->start(
      request_compile, {argument_file.get(), text_file.get(), object.get(), messages.get(), channel->second.get()});
  if (process < 0)
    return failed(Status::environment, fmt::format("the worker cannot fork: {}", std::strerror(-process)));
  channel->second = Descriptor();
  bool late = false;
  const auto answer = receive_answer(channel->first.get(), compile_limit, late);
  if (!answer) return failed(Status::environment, "the worker does not answer");
  if (answer->head.how == ending_not_started)
    return failed(Status::environment, fmt::format("cannot compile: {}", std::strerror(answer->head.code)));
  if (answer->head.how == ending_timed_out) return failed(Status::compile_error, "the compiler took too long");
  if (answer->head.how == ending_exited && answer->head.code == 0) {
    if (const auto content = content_of(object.get())) cache.store(key, *content);
    return {std::move(object), {}};
  }
  std::string said = content_of(messages.get()).value_or("").substr(0, enough_messages);
  if (answer->head.how == ending_signalled) said += "the compiler ended: " + signal_name(answer->head.code);
  return failed(Status::compile_error, said);
}

}  // namespace
}  // namespace assay::codegen
