// Child processes with a wall-time limit, bound to the life of their parent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::codegen {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Process {
  int executable = -1;  // an open file, which may already be unlinked; without one, arguments[0] is the path
  std::vector<std::string> arguments{};    // argv, the first one included
  std::vector<std::string> environment{};  // NAME=value
  int error_output = -1;                   // becomes standard error; the other standard streams are /dev/null
  int channel = -1;                        // becomes descriptor 3
};

struct Ending {
  enum class How { exited, signalled, timed_out, not_started } how = How::exited;
  int code = 0;  // exit status, signal, or errno
};

/// Runs a process to its end, or to the limit: then it and what it started in its process group are killed. It never
/// outlives the calling thread. Nothing of it is left when the call returns. No shell is involved.
Ending run_process(const Process& process, std::chrono::milliseconds limit);

/// "SIGSEGV" for 11.
std::string signal_name(int signal);
/// This process's environment with TMPDIR set to `temporary`.
std::vector<std::string> environment_with_temporary(const std::string& temporary);
/// The path of a command, looked up in PATH unless it contains a slash.
std::optional<std::string> find_command(const std::string& command);

}  // namespace assay::codegen
