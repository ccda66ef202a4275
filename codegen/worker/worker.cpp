// Finding, starting and asking the worker.
//
// There is one for each process. After a fork the child must not use its parent's: answers would go astray; it starts one
// of its own. A worker that was lost is replaced at the next request; the modules that it held are loaded anew when they are run.
#include "codegen/worker/worker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace assay::codegen {
namespace {

// Forking takes a fraction of a millisecond; a machine out of breath gets this long.
constexpr std::chrono::seconds patience{60};
constexpr const char* executable_name = "assay-worker";

}  // namespace

std::optional<std::string> worker_path() {
  if (const char* chosen = std::getenv("ASSAY_WORKER"); chosen != nullptr && *chosen != '\0')
    return find_command(chosen);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const std::filesystem::path folder = self.parent_path(), above = folder.parent_path();
  for (const std::filesystem::path& candidate :
       {folder / executable_name, above / executable_name, above / "libexec" / "assay" / executable_name,
        std::filesystem::path(ASSAY_LIBEXEC_DIR) / executable_name}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return std::nullopt;
}

Worker::Worker(pid_t pid, Descriptor channel) : pid_(pid), owner_(::getpid()), channel_(std::move(channel)) {}

Worker::~Worker() {
  if (::getpid() != owner_) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
}

std::shared_ptr<Worker> Worker::get(std::string& why) {
  static std::mutex mutex;
  static std::shared_ptr<Worker> current;
  const std::lock_guard lock(mutex);
  if (current && current->usable()) return current;
  const auto path = worker_path();
  if (!path) {
    why = fmt::format("{} is neither beside this program nor in libexec/assay", executable_name);
    return nullptr;
  }
  auto channel = make_channel();
  if (!channel) {
    why = fmt::format("no sockets: {}", std::strerror(errno));
    return nullptr;
  }
  const pid_t pid = start_process({*path, std::to_string(::getpid())}, channel->second.get());
  if (pid < 0) {
    why = fmt::format("{} does not start: {}", *path, std::strerror(-pid));
    return nullptr;
  }
  channel->second = Descriptor();
  auto started = std::make_shared<Worker>(pid, std::move(channel->first));
  const auto answer = started->ask({request_version, 0}, {});
  if (!answer || answer->head.code != ASSAY_WORKER_VERSION) {
    why = fmt::format("{} is not the worker of this version of assay", *path);
    return nullptr;
  }
  current = std::move(started);
  return current;
}

bool Worker::usable() const { return alive_ && ::getpid() == owner_; }

pid_t Worker::start(int request, const std::vector<int>& descriptors) {
  const auto answer = ask({request, 0}, descriptors);
  return answer ? answer->head.pid : -EPIPE;
}

worker_answer Worker::end(pid_t process) {
  const auto answer = ask({request_end, process}, {});
  return answer ? answer->head : worker_answer{-EPIPE, ending_not_started, EPIPE};
}

std::optional<Answer> Worker::ask(worker_request request, const std::vector<int>& descriptors) {
  const std::lock_guard lock(mutex_);
  if (!usable()) return std::nullopt;
  bool late = false;
  std::optional<Answer> answer;
  if (send_request(channel_.get(), request, descriptors)) answer = receive_answer(channel_.get(), patience, late);
  if (!answer) alive_ = false;
  return answer;
}

}  // namespace assay::codegen
