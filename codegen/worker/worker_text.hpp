// The C text of the worker process around a kernel, and the layout of the memory that it shares with its parent.
//
// Descriptor 3 is a file. It begins with 64-bit words: [0] set to 1 when the kernel returned, [1] what it returned, [2] the
// number of parameters, [3] of buffers, [4] the allowed heap in bytes, then the parameters, then three words per buffer:
// offset of its pages in the file, its bytes, whether it may be written. A buffer ends at the end of its last page; in the
// worker an inaccessible page follows (and one precedes its pages), so that an access beyond the end is a crash.
#pragma once

#include <string_view>

namespace assay::codegen {

inline constexpr int control_words = 5;
inline constexpr int words_per_buffer = 3;

inline constexpr std::string_view worker_text = R"(#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int assay_kernel(const long long *parameters, void *const *buffers);

static int64_t *map_control(size_t bytes) {
  int64_t *const words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
  if (words == MAP_FAILED) _exit(120);
  return words;
}

static void *map_buffer(off_t offset, size_t bytes, int writable, size_t page) {
  const size_t whole = (bytes + page - 1) / page * page;
  char *const area = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) _exit(121);
  const int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  if (whole > 0 && mmap(area + page, whole, access, MAP_SHARED | MAP_FIXED, 3, offset) == MAP_FAILED) _exit(122);
  return area + page + (whole - bytes);
}

int main(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  int64_t *words = map_control(page);
  const int64_t parameters = words[2], count = words[3];
  const size_t control = sizeof(int64_t) * (size_t)(5 + parameters + 3 * count);
  if (control > page) words = map_control(control);
  void **const buffers = calloc((size_t)count + 1, sizeof *buffers);
  if (buffers == NULL) _exit(123);
  for (int64_t b = 0; b < count; ++b) {
    const int64_t *const at = words + 5 + parameters + 3 * b;
    buffers[b] = map_buffer((off_t)at[0], (size_t)at[1], at[2] != 0, page);
  }
  const struct rlimit no_core = {0, 0}, heap = {(rlim_t)words[4], (rlim_t)words[4]};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_DATA, &heap);
  words[1] = assay_kernel((const long long *)(words + 5), buffers);
  words[0] = 1;
  _exit(0);
}
)";

}  // namespace assay::codegen
