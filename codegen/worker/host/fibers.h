/* What units of CUDA text call when they run on the CPU (fibers.c). */
#ifndef ASSAY_WORKER_FIBERS_H
#define ASSAY_WORKER_FIBERS_H

#include <stdint.h>

struct assay_index {
  unsigned x, y, z;
};
extern struct assay_index threadIdx, blockIdx; /* of the fiber that runs */
extern struct assay_index blockDim;
extern unsigned char assay_shared[]; /* of the group that runs */

/* Waits for all threads of the group; `line` tells barriers apart. */
void assay_barrier(int line);
/* The place of the fiber that runs in its warp, which are 32 threads that follow one another. */
int assay_lane(void);
/* Waits for all of these lanes of the warp, of which the fiber is one, at this line. When all have come `together` is called
 * once with what each gave as `mine` (NULL for other lanes), and then all go on. */
typedef void assay_together(void* const* mine, unsigned lanes);
void assay_meet(int line, unsigned lanes, assay_together* together, void* mine);
/* The number of the fiber that runs in its group. */
enum { assay_most_threads = 1024 };
int assay_thread(void);
/* Whether what may happen early or late happens early: never in the first order of the threads, always in the second, and as a
 * random number says in the third. */
int assay_early(void);
/* Asynchronous copies (copies.c): what a device does with the bytes between the issue and the wait is not said. */
/* One that is not at a multiple of its size in both buffers, or not within one of them, ends the run (ASYNC-8). */
void assay_copy_async(void* to, const void* from, int bytes);
void assay_copies_commit(void);
void assay_copies_wait(int count);
/* The buffers that copies read from; without them addresses are taken as they are. */
void assay_copies_between(void* const* at, const uint64_t* bytes, int count);
/* A thread begins anew. What the one before it had not waited for is lost. */
void assay_copies_forget(int thread);
/* Runs a kernel for all groups and threads. Returns 0, or what is wrong: 5 too many threads, 6 too much shared memory, 7 too
 * many groups, 9 no memory, 10 threads that wait at different places. */
int assay_launch(void (*kernel)(void* const*), void* const* arguments, const uint64_t* grid, const uint64_t* block,
                 uint64_t shared);
/* Runs all launches of a program in several orders of threads and groups; 11 when their results differ. */
int assay_run(int (*run)(const long long*, void* const*), const long long* parameters, void* const* buffers,
              const uint64_t* bytes, const unsigned char* writable, int count);

#endif
