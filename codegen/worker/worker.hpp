// This process's worker: the small process that forks compilations and module hosts (host/protocol.h).
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "codegen/worker/channel.hpp"

namespace assay::codegen {

/// Where the worker's executable is: $ASSAY_WORKER, beside this executable, in the folder above, or in libexec/assay beside
/// bin. Nothing when it is in none of them.
std::optional<std::string> worker_path();

class Worker {
 public:
  Worker(pid_t pid, Descriptor channel);
  /// Ends it, and with it every module host; nothing of it is left.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The worker of this process, started when there is none that lives; null with a sentence when it cannot be.
  static std::shared_ptr<Worker> get(std::string& why);

  /// Asks for a new process; its id, or minus an errno. Safe from several threads.
  pid_t start(int request, const std::vector<int>& descriptors);
  /// Ends a process that `start` returned, and says how it ended.
  worker_answer end(pid_t process);
  /// Whether this process started it and it still answers.
  bool usable() const;

 private:
  std::optional<Answer> ask(worker_request request, const std::vector<int>& descriptors);

  std::mutex mutex_;
  pid_t pid_, owner_;
  Descriptor channel_;
  bool alive_ = true;
};

}  // namespace assay::codegen
