// vfork and exec by hand: unlike fork it costs nothing extra when the parent is large, and needs no care for locks that
// other threads hold; unlike posix_spawn it resets every signal.
#include "codegen/worker/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace assay::codegen {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

namespace {

// A copy of `fd` out of the range of the numbers that the child's own descriptors get.
Descriptor high_copy(int fd) { return Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 16)); }

struct Plan {
  int null, channel;
  char* const* arguments;
};

// The child's side of vfork: nothing but system calls, in the memory of the parent. Returns only when it failed.
[[gnu::noinline]] int become(const Plan& plan) {
  ::setpgid(0, 0);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int s = 1; s < NSIG; ++s) ::sigaction(s, &by_default, nullptr);
  const bool connected = ::dup2(plan.null, 0) >= 0 && ::dup2(plan.null, 1) >= 0 && ::dup2(plan.null, 2) >= 0 &&
                         ::dup2(plan.channel, 3) >= 0;
  if (!connected) return errno;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(plan.arguments[0], plan.arguments);
  return errno;
}

}  // namespace

pid_t start_process(const std::vector<std::string>& arguments, int channel) {
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC)), null_copy = high_copy(null.get());
  const Descriptor channel_copy = high_copy(channel);
  std::vector<char*> pointers;
  for (const std::string& a : arguments) pointers.push_back(const_cast<char*>(a.c_str()));
  pointers.push_back(nullptr);
  const Plan plan{null_copy.get(), channel_copy.get(), pointers.data()};
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  // fork would copy the page tables of a large parent. The child makes system calls only, with all signals blocked.
  const pid_t pid = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) {
    failure = become(plan);  // NOLINT(clang-analyzer-unix.Vfork)
    ::_exit(127);
  }
  if (pid < 0) failure = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure == 0) return pid;
  if (pid > 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
  }
  return -failure;
}

Descriptor memory_file(std::string_view content) {
  Descriptor file(::memfd_create("assay", MFD_CLOEXEC));
  std::size_t at = 0;
  while (file && at < content.size()) {
    const ssize_t n = ::write(file.get(), content.data() + at, content.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    at += static_cast<std::size_t>(n);
  }
  return file;
}

std::optional<std::string> content_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return std::nullopt;
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t n = ::pread(file, content.data() + at, content.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    at += static_cast<std::size_t>(n);
  }
  return content;
}

std::string signal_name(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation != nullptr ? std::string("SIG") + abbreviation : "signal " + std::to_string(signal);
}

std::optional<std::string> find_command(const std::string& command) {
  const auto usable = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (command.find('/') != std::string::npos) return usable(command) ? std::optional(command) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string left = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!left.empty() && !command.empty()) {
    const std::size_t colon = std::min(left.find(':'), left.size());
    const std::string candidate = left.substr(0, colon) + "/" + command;
    if (colon > 0 && usable(candidate)) return candidate;
    left.erase(0, colon + 1);
  }
  return std::nullopt;
}

}  // namespace assay::codegen
