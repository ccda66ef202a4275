// Conversations with a module host.
#include "codegen/worker/module.hpp"

#include <fmt/format.h>

#include <cstring>

namespace assay::codegen {
namespace {

using Status = KernelOutcome::Status;

// Loading includes compiling in memory, which takes a fraction of a millisecond for each kernel.
constexpr std::chrono::minutes load_limit{2};

KernelOutcome outcome(Status status, std::string message) { return {status, std::move(message), {}}; }

}  // namespace

std::string crash_text(int how, int code) {
  return how == ending_signalled ? signal_name(code) : fmt::format("exited with status {} before it was done", code);
}

Module::~Module() { close(); }

void Module::close() {
  if (worker_ && worker_->usable() && process_ > 0) worker_->end(process_);
  channel_ = Descriptor();
  worker_.reset();
  process_ = -1;
}

std::optional<KernelOutcome> Module::load() {
  const std::lock_guard lock(mutex_);
  return open();
}

std::optional<KernelOutcome> Module::open() {
  close();
  std::string why;
  worker_ = Worker::get(why);
  if (!worker_) return outcome(Status::unavailable, why);
  auto channel = make_channel();
  if (!channel) return outcome(Status::environment, fmt::format("no sockets: {}", std::strerror(errno)));
  process_ = worker_->start(kind_ == Kind::source ? request_open_source : request_open_object,
                            {content_.get(), channel->second.get()});
  if (process_ < 0)
    return outcome(Status::environment, fmt::format("the worker cannot fork: {}", std::strerror(-process_)));
  channel_ = std::move(channel->first);
  channel->second = Descriptor();
  bool late = false;
  const auto answer = receive_answer(channel_.get(), load_limit, late);
  if (answer && answer->head.pid > 0) return std::nullopt;
  const worker_answer ending = worker_->end(process_);
  process_ = -1;
  const bool compiles = kind_ == Kind::source;
  if (answer) return outcome(compiles ? Status::compile_error : Status::environment, answer->text);
  if (late) return outcome(compiles ? Status::compile_error : Status::timed_out, "loading took too long");
  const std::string how = crash_text(ending.how, ending.code);
  return compiles ? outcome(Status::compile_error, "the compiler ended: " + how) : outcome(Status::crashed, how);
}

std::optional<KernelOutcome> Module::run(int job_file, std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex_);
  if (!worker_ || !worker_->usable()) {
    if (auto problem = open()) return problem;
  }
  if (!send_request(channel_.get(), {request_run, 0}, {job_file})) {  // the host was lost since
    if (auto problem = open()) return problem;
    if (!send_request(channel_.get(), {request_run, 0}, {job_file}))
      return outcome(Status::environment, "the process that holds the module does not stay");
  }
  bool late = false;
  const auto answer = receive_answer(channel_.get(), limit, late);
  if (answer && answer->head.pid == 0) return std::nullopt;
  close();
  if (answer) return outcome(Status::environment, "the worker could not map its memory");
  return outcome(Status::environment,
                 late ? "the worker does not answer" : "the process that holds the module was lost");
}

}  // namespace assay::codegen
