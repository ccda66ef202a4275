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

static void land(const struct copy* c) { memcpy(c->to, c->from, (size_t)c->bytes); }

void assay_copy_async(void* to, const void* from, int bytes) {
  struct queue* const q = &queues[assay_thread()];
  const struct copy c = {to, from, bytes, -1};
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
