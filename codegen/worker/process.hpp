// Child processes, descriptors and commands.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
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

/// Starts a process in a process group of its own, with `channel` as its descriptor 3 and the other streams on /dev/null.
/// Returns its id, or minus an errno. No shell is involved; `arguments[0]` is the path.
pid_t start_process(const std::vector<std::string>& arguments, int channel);

/// A file in memory with this content; empty when there is no memory. A reader begins at its start.
Descriptor memory_file(std::string_view content);
/// The whole content of a file, whatever its position.
std::optional<std::string> content_of(int file);

/// "SIGSEGV" for 11.
std::string signal_name(int signal);
/// The path of a command, looked up in PATH unless it contains a slash.
std::optional<std::string> find_command(const std::string& command);

}  // namespace assay::codegen
