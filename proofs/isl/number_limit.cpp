// GMP's memory functions, with a count of what is asked for. No number of isl's is shared between threads, so the count is
// the thread's own.
#include "proofs/isl/number_limit.hpp"

#include <gmp.h>

#include <mutex>

namespace assay {
namespace {

struct Count {
  isl_ctx* ctx = nullptr;
  std::uint64_t left = 0;
};
thread_local Count count;

void* (*allocate)(std::size_t) = nullptr;
void* (*reallocate)(void*, std::size_t, std::size_t) = nullptr;

void ask(std::size_t bytes) {
  if (count.ctx == nullptr) return;
  if (bytes > count.left) {
    isl_ctx_abort(count.ctx);
  } else {
    count.left -= bytes;
  }
}
void* counting_allocate(std::size_t bytes) {
  ask(bytes);
  return allocate(bytes);
}
void* counting_reallocate(void* block, std::size_t before, std::size_t bytes) {
  ask(bytes);
  return reallocate(block, before, bytes);
}

void install() {
  void (*release)(void*, std::size_t) = nullptr;
  mp_get_memory_functions(&allocate, &reallocate, &release);
  mp_set_memory_functions(counting_allocate, counting_reallocate, release);
}

}  // namespace

NumberLimit::NumberLimit(isl_ctx* ctx, std::uint64_t bytes) : ctx_(ctx), bytes_(bytes) {
  static std::once_flag installed;
  std::call_once(installed, install);
  renew();
}
void NumberLimit::renew() const {
  isl_ctx_resume(ctx_);
  count = {ctx_, bytes_};
}
NumberLimit::~NumberLimit() { count = {}; }

}  // namespace assay
