/* The threads of a CUDA kernel on the CPU: one fiber for each thread of a group, groups one after the other.
 *
 * A fiber runs until it waits at a barrier, or for other lanes of its warp, or ends; when all wait at the same barrier the next
 * interval begins. In which order the fibers of an interval run, and the groups of a launch, is the choice of whoever runs: a
 * kernel without races gives the same memory for every order, so the launches of a program run three times, in three orders,
 * and must agree. Units call what is here by name (codegen/device/head.cpp). */
#define _GNU_SOURCE
#include "fibers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  most_threads = assay_most_threads,
  warp_lanes = 32,
  stack_bytes = 256 << 10,
  guard_bytes = 4096,
  shared_limit = 232448
};
enum { too_many_threads = 5, too_much_shared = 6, too_many_groups = 7, failed = 9, diverged = 10, order_matters = 11 };
enum copying { keep, restore, compare };
enum order { ascending, descending, shuffled, orders };

struct assay_index threadIdx, blockIdx, blockDim;
unsigned char assay_shared[shared_limit] __attribute__((aligned(16)));

/* Saves the registers that a call keeps on this stack, and goes on with those saved on another one. */
void assay_switch(void** save, void* load);
#if defined(__x86_64__)
__asm__(
    ".text\n.hidden assay_switch\n.globl assay_switch\n.type assay_switch, @function\n"
    "assay_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n"
    ".size assay_switch, . - assay_switch\n");
enum { frame_words = 10, return_word = 6 };
#elif defined(__aarch64__)
__asm__(
    ".text\n.hidden assay_switch\n.globl assay_switch\n.type assay_switch, %function\n"
    "assay_switch:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n  ret\n"
    ".size assay_switch, . - assay_switch\n");
enum { frame_words = 22, return_word = 11 };
#else
#error "fibers need a switch for this processor"
#endif

static struct {
  void* stacks; /* of all fibers, each below an inaccessible page */
  void* stack[most_threads];
  int waits_at[most_threads]; /* 0: it may run; -1: it has ended; else the line of a barrier or of a meeting */
  struct meeting {
    unsigned lanes; /* that have to come; 0: the fiber waits for no lanes */
    assay_together* together;
    void* mine;
  } meeting[most_threads];
  void* scheduler;
  int running;
  void (*kernel)(void* const*);
  void* const* arguments;
  enum order order;
  uint32_t random;
} now;

static uint32_t next_random(uint32_t below) {
  now.random ^= now.random << 13;
  now.random ^= now.random >> 17;
  now.random ^= now.random << 5;
  return now.random % below;
}

void assay_barrier(int line) {
  now.waits_at[now.running] = line;
  assay_switch(&now.stack[now.running], now.scheduler);
}

int assay_lane(void) { return now.running % warp_lanes; }
int assay_thread(void) { return now.running; }
int assay_early(void) { return now.order == descending || (now.order == shuffled && next_random(2) == 0); }

void assay_meet(int line, unsigned lanes, assay_together* together, void* mine) {
  if ((lanes >> assay_lane() & 1) == 0) abort(); /* who calls is one of those that meet */
  now.meeting[now.running] = (struct meeting){lanes, together, mine};
  assay_barrier(line);
}

/* Lets the lanes of a warp go on that wait for one another at one line, all of them. Whether there are such. */
static int hold_meetings(int first, int threads) {
  unsigned met = 0;
  const int count = threads - first < warp_lanes ? threads - first : warp_lanes;
  for (int lane = 0; lane < count; ++lane) {
    const struct meeting here = now.meeting[first + lane];
    if (here.lanes == 0) continue;
    void* mine[warp_lanes] = {NULL};
    unsigned come = 0;
    for (int other = 0; other < count; ++other) {
      const struct meeting there = now.meeting[first + other];
      if ((here.lanes >> other & 1) == 0 || there.lanes != here.lanes || there.together != here.together ||
          now.waits_at[first + other] != now.waits_at[first + lane])
        continue;
      mine[other] = there.mine;
      come |= 1u << other;
    }
    if (come != here.lanes) continue;
    here.together(mine, here.lanes);
    met |= come;
    for (int other = 0; other < count; ++other) {
      if ((come >> other & 1) == 0) continue;
      now.meeting[first + other].lanes = 0;
      now.waits_at[first + other] = 0;
    }
  }
  return met != 0;
}

static void fiber_main(void) {
  now.kernel(now.arguments);
  assay_barrier(-1);
  abort();
}

static int make_stacks(void) {
  if (now.stacks != NULL) return 1;
  const size_t each = stack_bytes + guard_bytes;
  char* const area =
      mmap(NULL, most_threads * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return 0;
  for (int t = 0; t < most_threads; ++t) mprotect(area + t * each, guard_bytes, PROT_NONE);
  now.stacks = area;
  return 1;
}

/* The fiber begins at fiber_main, with a stack that is aligned as after a call. */
static void prepare(int thread) {
  const size_t each = stack_bytes + guard_bytes;
  void** const frame = (void**)((char*)now.stacks + (size_t)(thread + 1) * each) - frame_words;
  memset(frame, 0, frame_words * sizeof *frame);
  void (*const start)(void) = fiber_main;
  memcpy(&frame[return_word], &start, sizeof start);
  now.stack[thread] = frame;
  now.waits_at[thread] = 0;
  now.meeting[thread].lanes = 0;
  assay_copies_forget(thread);
}

/* Which of `count` comes at this place. */
static uint64_t at_place(uint64_t place, uint64_t count) { return now.order == descending ? count - 1 - place : place; }

static void shuffle(uint16_t* order, int count) {
  for (int i = 0; i < count; ++i) order[i] = (uint16_t)at_place((uint64_t)i, (uint64_t)count);
  if (now.order != shuffled) return;
  for (int i = count - 1; i > 0; --i) {
    const int j = (int)next_random((uint32_t)i + 1);
    const uint16_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

static int run_group(const uint64_t* block, int threads, size_t shared) {
  static uint16_t order[most_threads];
  for (int t = 0; t < threads; ++t) prepare(t);
  memset(assay_shared, 0xCD, shared);
  for (;;) {
    shuffle(order, threads);
    for (int i = 0; i < threads; ++i) {
      const int t = order[i];
      if (now.waits_at[t] != 0) continue;
      now.running = t;
      threadIdx.x = (unsigned)((uint64_t)t % block[0]);
      threadIdx.y = (unsigned)((uint64_t)t / block[0] % block[1]);
      threadIdx.z = (unsigned)((uint64_t)t / block[0] / block[1]);
      assay_switch(&now.scheduler, now.stack[t]);
    }
    int met = 0, waiting = 0, line = 0;
    for (int first = 0; first < threads; first += warp_lanes) met |= hold_meetings(first, threads);
    if (met) continue;
    for (int t = 0; t < threads; ++t) {
      if (now.waits_at[t] == -1) continue;
      if (waiting++ == 0) line = now.waits_at[t];
      if (now.waits_at[t] != line || now.meeting[t].lanes != 0) return diverged;
    }
    if (waiting == 0) return 0;
    if (waiting < threads) return diverged;
    memset(now.waits_at, 0, (size_t)threads * sizeof now.waits_at[0]);
  }
}

int assay_launch(void (*kernel)(void* const*), void* const* arguments, const uint64_t* grid, const uint64_t* block,
                 uint64_t shared) {
  if (block[0] > most_threads || block[1] > most_threads || block[2] > 64) return too_many_threads;
  const uint64_t threads = block[0] * block[1] * block[2];
  if (threads > most_threads) return too_many_threads;
  if (shared > shared_limit) return too_much_shared;
  if (grid[0] > INT32_MAX || grid[1] > UINT16_MAX || grid[2] > UINT16_MAX) return too_many_groups;
  if (!make_stacks()) return failed;
  now.kernel = kernel;
  now.arguments = arguments;
  blockDim = (struct assay_index){(unsigned)block[0], (unsigned)block[1], (unsigned)block[2]};
  const uint64_t groups = grid[0] * grid[1] * grid[2];
  /* Shuffled, groups are taken in strides that meet each once. */
  const uint64_t stride = now.order == shuffled && groups % 7919 != 0 ? 7919 : 1;
  uint64_t group = 0;
  for (uint64_t place = 0; place < groups; ++place, group = (group + stride) % groups) {
    const uint64_t g = at_place(group, groups);
    blockIdx.x = (unsigned)(g % grid[0]);
    blockIdx.y = (unsigned)(g / grid[0] % grid[1]);
    blockIdx.z = (unsigned)(g / grid[0] / grid[1]);
    const int state = run_group(block, (int)threads, (size_t)shared);
    if (state != 0) return state;
  }
  return 0;
}

/* Keeps what the writable buffers hold in `copy`, one after the other, restores it, or tells whether it is the same. */
static int each_writable(void* const* buffers, const uint64_t* bytes, const unsigned char* writable, int count,
                         char* copy, enum copying what) {
  int same = 1;
  for (int b = 0; b < count; ++b) {
    if (writable[b] == 0) continue;
    if (what == keep) memcpy(copy, buffers[b], bytes[b]);
    if (what == restore) memcpy(buffers[b], copy, bytes[b]);
    if (what == compare) same = same && memcmp(copy, buffers[b], bytes[b]) == 0;
    copy += bytes[b];
  }
  return same;
}

int assay_run(int (*run)(const long long*, void* const*), const long long* parameters, void* const* buffers,
              const uint64_t* bytes, const unsigned char* writable, int count) {
  uint64_t all = 0;
  for (int b = 0; b < count; ++b) all += writable[b] != 0 ? bytes[b] : 0;
  char *const before = malloc(all + 1), *const after = malloc(all + 1);
  if (before == NULL || after == NULL) return failed;
  each_writable(buffers, bytes, writable, count, before, keep);
  assay_copies_between(buffers, bytes, count);
  for (now.order = ascending; now.order < orders; ++now.order) {
    now.random = 2463534242u;
    if (now.order != ascending) each_writable(buffers, bytes, writable, count, before, restore);
    const int state = run(parameters, buffers);
    if (state != 0) return state;
    if (now.order == ascending) each_writable(buffers, bytes, writable, count, after, keep);
    if (!each_writable(buffers, bytes, writable, count, after, compare)) return order_matters;
  }
  free(before);
  free(after);
  return 0;
}
