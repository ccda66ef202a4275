// vfork and execveat by hand: unlike posix_spawn this can ask the kernel to end the child with its parent, and unlike fork
// it costs nothing extra when the parent is large, and needs no care for locks that other threads hold.
#include "codegen/worker/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern char** environ;

namespace assay::codegen {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

namespace {

using Clock = std::chrono::steady_clock;

// A copy of `fd` out of the range of the numbers that the child's own descriptors get.
Descriptor high_copy(int fd) { return Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 16)); }

struct Plan {
  pid_t parent;
  int executable, null, error_output, channel, life;
  char* const* arguments;
  char* const* environment;
};

// The child's side of vfork: nothing but system calls, in the memory of the parent. Returns only when it failed.
[[gnu::noinline]] int become(const Plan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) return ESRCH;  // it was killed before the line above
  ::setpgid(0, 0);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int s = 1; s < NSIG; ++s) ::sigaction(s, &by_default, nullptr);
  const bool connected = ::dup2(plan.null, 0) >= 0 && ::dup2(plan.null, 1) >= 0 && ::dup2(plan.error_output, 2) >= 0 &&
                         (plan.channel < 0 || ::dup2(plan.channel, 3) >= 0) && ::dup2(plan.life, 4) >= 0;
  if (!connected) return errno;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (plan.executable < 0) {
    ::execve(plan.arguments[0], plan.arguments, plan.environment);
  } else {
    ::syscall(SYS_execveat, plan.executable, "", plan.arguments, plan.environment, AT_EMPTY_PATH);
  }
  return errno;
}

pid_t start(const Plan& plan, int& failure) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int child_error = 0;
  const pid_t pid = ::vfork();
  if (pid == 0) {
    child_error = become(plan);
    ::_exit(127);
  }
  if (pid < 0) child_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  failure = child_error;
  return pid;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& t : texts) out.push_back(const_cast<char*>(t.c_str()));
  out.push_back(nullptr);
  return out;
}

// Waits until the other end of the pipe is closed in every process that held it; false when the time is up first.
bool wait_closed(int pipe_end, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd p{pipe_end, 0, 0};
    const int ready = ::poll(&p, 1, static_cast<int>(std::clamp<long long>(left, 0, 1 << 30)));
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
    if (ready < 0 && errno != EINTR) return true;  // waitpid decides
  }
}

}  // namespace

Ending run_process(const Process& process, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {Ending::How::not_started, errno};
  const Descriptor alive_here(ends[0]);
  Descriptor alive_there(ends[1]);
  Descriptor life = high_copy(alive_there.get());
  alive_there = Descriptor();
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC)), null_copy = high_copy(null.get());
  const Descriptor error_copy = high_copy(process.error_output), channel_copy = high_copy(process.channel);
  const Descriptor executable = high_copy(process.executable);
  const std::vector<char*> arguments = pointers(process.arguments), environment = pointers(process.environment);
  const Plan plan{
      ::getpid(),         executable.get(), null_copy.get(),  error_copy ? error_copy.get() : null_copy.get(),
      channel_copy.get(), life.get(),       arguments.data(), environment.data()};
  int failure = 0;
  const pid_t pid = start(plan, failure);
  life = Descriptor();
  if (pid < 0) return {Ending::How::not_started, failure};
  const bool in_time = wait_closed(alive_here.get(), deadline);
  if (!in_time) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (failure != 0) return {Ending::How::not_started, failure};
  if (!in_time) return {Ending::How::timed_out, 0};
  if (WIFSIGNALED(status)) return {Ending::How::signalled, WTERMSIG(status)};
  return {Ending::How::exited, WEXITSTATUS(status)};
}

std::string signal_name(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation != nullptr ? std::string("SIG") + abbreviation : "signal " + std::to_string(signal);
}

std::vector<std::string> environment_with_temporary(const std::string& temporary) {
  std::vector<std::string> out{"TMPDIR=" + temporary};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).substr(0, 7) != "TMPDIR=") out.emplace_back(*entry);
  }
  return out;
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
