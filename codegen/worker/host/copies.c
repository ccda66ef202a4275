/* Asynchronous copies for fibers. A device may read and write the bytes of a copy at any moment from its issue to the end of the
 * wait that names its group; what the program leaves must not depend on which. So the first order of threads lands each copy as
 * late as the waits allow, the second at once, and the third as a random number says (ASYNC-4). */
#include <stdlib.h>
#include <string.h>

#include "fibers.h"

struct copy {
  void* to;
  const void* from;
  int bytes, group; /* group -1: not committed yet */
};
/* The copies of a thread that have not landed, in the order of their issue. */
static struct queue {
  struct copy* copies;
  size_t count, room;
  int groups; /* committed so far */
} queues[assay_most_threads];

/* The buffers of the run, in device memory as a device would have them: each at a multiple of 16 bytes. */
static struct {
  void* const* at;
  const uint64_t* bytes;
  int count;
} buffers;

void assay_copies_between(void* const* at, const uint64_t* bytes, int count) {
  buffers.at = at;
  buffers.bytes = bytes;
  buffers.count = count;
}

/* A device takes no piece that is not aligned. Where a buffer lies on this machine says nothing about that: the worker puts it
 * against the end of a page. */
static int is_aligned(const void* to, const void* from, int bytes) {
  const uintptr_t start = (uintptr_t)from;
  if ((uintptr_t)to % (uintptr_t)bytes != 0) return 0;
  for (int b = 0; b < buffers.count; ++b) {
    const uintptr_t base = (uintptr_t)buffers.at[b];
    if (start >= base && start - base + (uintptr_t)bytes <= buffers.bytes[b]) return (start - base) % (uintptr_t)bytes == 0;
  }
  return buffers.count == 0 && start % (uintptr_t)bytes == 0;
}

static void land(const struct copy* c) { memcpy(c->to, c->from, (size_t)c->bytes); }

void assay_copy_async(void* to, const void* from, int bytes) {
  struct queue* const q = &queues[assay_thread()];
  const struct copy c = {to, from, bytes, -1};
  if (!is_aligned(to, from, bytes)) abort();
  if (assay_early()) {
    land(&c);
    return;
  }
  if (q->count == q->room) {
    q->room = 2 * q->room + 16;
    q->copies = realloc(q->copies, q->room * sizeof *q->copies);
    if (q->copies == NULL) abort();
  }
  q->copies[q->count++] = c;
}

void assay_copies_commit(void) {
  struct queue* const q = &queues[assay_thread()];
  for (size_t i = 0; i < q->count; ++i) {
    if (q->copies[i].group < 0) q->copies[i].group = q->groups;
  }
  ++q->groups;
}

/* All but the last `count` groups are complete. */
void assay_copies_wait(int count) {
  struct queue* const q = &queues[assay_thread()];
  size_t kept = 0;
  for (size_t i = 0; i < q->count; ++i) {
    if (q->copies[i].group >= 0 && q->copies[i].group < q->groups - count) {
      land(&q->copies[i]);
    } else {
      q->copies[kept++] = q->copies[i];
    }
  }
  q->count = kept;
}

void assay_copies_forget(int thread) { queues[thread].count = 0; }
