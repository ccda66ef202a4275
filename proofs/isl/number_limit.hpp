// A limit on the work that isl does on numbers.
//
// isl's quota counts operations on rows of its tableau, whatever the length of the rows and the size of the numbers, and much that it
// does outside the tableau is not counted at all: a question can take a minute before its quota is reached. isl keeps its numbers in
// GMP, and the memory that it asks GMP for, in all, is a measure of its work that is the same on every machine.
#pragma once

#include <isl/ctx.h>

#include <cstdint>

namespace assay {

/// While it lives, the work of the context ends, as reaching the quota ends it (isl_ctx_abort), when this thread has asked
/// GMP for `bytes` bytes in all. Not nested. GMP's memory functions are replaced once in the process, by the ones found there
/// with a count before.
class NumberLimit {
 public:
  NumberLimit(isl_ctx* ctx, std::uint64_t bytes);
  ~NumberLimit();
  NumberLimit(const NumberLimit&) = delete;
  NumberLimit& operator=(const NumberLimit&) = delete;

  /// Counts from the start again, for another way to the same answer.
  void renew() const;

 private:
  isl_ctx* ctx_;
  std::uint64_t bytes_;
};

}  // namespace assay
