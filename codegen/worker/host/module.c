/* A module host: one loaded module, and a fresh process for every run of one of its kernels.
 *
 * The module is loaded once; a run forks, maps its buffers between inaccessible pages, limits itself and calls the kernel.
 * Nothing that a run does is seen by another. A job file may hold many runs; one answer follows the last. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

typedef int kernel_entry(const long long* parameters, void* const* buffers);

struct module {
  void* object;
  struct source_module* source;
};

static kernel_entry* find_kernel(const struct module* module, int64_t number) {
  char name[48];
  snprintf(name, sizeof name, "assay_kernel_%lld", (long long)number);
  void* const found = module->source != NULL ? find_in_source(module->source, name) : dlsym(module->object, name);
  kernel_entry* entry;
  memcpy(&entry, &found, sizeof entry);
  return entry;
}

static void* map_buffer(int file, off_t offset, size_t bytes, int writable, size_t page) {
  const size_t whole = (bytes + page - 1) / page * page;
  char* const area = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) _exit(121);
  const int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  if (whole > 0 && mmap(area + page, whole, access, MAP_SHARED | MAP_FIXED, file, offset) == MAP_FAILED) _exit(122);
  return area + page + (whole - bytes);
}

static void limit(__rlimit_resource_t what, int64_t value) {
  const struct rlimit both = {(rlim_t)value, (rlim_t)value};
  setrlimit(what, &both);
}

_Noreturn static void run_kernel(kernel_entry* entry, int64_t* job, int file, pid_t host) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != host) _exit(0);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const int64_t count = job[job_buffers], *const triples = job + job_words + job[job_parameters];
  void** const buffers = calloc((size_t)count + 1, sizeof *buffers);
  if (buffers == NULL) _exit(123);
  for (int64_t b = 0; b < count; ++b) {
    const int64_t* const at = triples + 3 * b;
    buffers[b] = map_buffer(file, (off_t)at[0], (size_t)at[1], at[2] != 0, page);
  }
  if (job[job_device] == 0) {
    limit(RLIMIT_DATA, job[job_heap]);
    limit(RLIMIT_FSIZE, 0);
  }
  limit(RLIMIT_CPU, job[job_limit] / 1000 + 2);
  job[job_returned] = entry((const long long*)(job + job_words), buffers);
  job[job_done] = 1;
  _exit(0);
}

/* False when the channel has closed. */
static int run_jobs(const struct module* module, int file, int channel) {
  struct stat status;
  int64_t* words = MAP_FAILED;
  if (fstat(file, &status) == 0)
    words = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (words == MAP_FAILED) {
    send_answer(channel, (struct worker_answer){-ENOMEM, ending_not_started, ENOMEM}, "");
    return 1;
  }
  const int64_t count = words[0];
  const pid_t host = getpid();
  int closed = 0;
  for (int64_t j = 0; j < count && !closed; ++j) {
    int64_t* const job = words + words[1 + j];
    kernel_entry* const entry = find_kernel(module, job[job_kernel]);
    const pid_t child = entry == NULL ? -1 : fork();
    if (child == 0) run_kernel(entry, job, file, host);
    struct worker_answer ended = {0, ending_not_started, entry == NULL ? ENOENT : errno};
    if (child > 0) ended = wait_child(child, child, channel, (long)job[job_limit], &closed);
    job[job_how] = ended.how;
    job[job_code] = ended.code;
  }
  munmap(words, (size_t)status.st_size);
  if (!closed) send_answer(channel, (struct worker_answer){0, ending_exited, 0}, "");
  return !closed;
}

static int load(struct module* module, int file, int source, char* message, size_t room) {
  if (!source) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module->object != NULL) return 1;
    const char* const why = dlerror();
    snprintf(message, room, "%s", why != NULL ? why : "dlopen failed");
    return 0;
  }
  struct stat status;
  if (fstat(file, &status) != 0) return 0;
  char* const text = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (text == MAP_FAILED) return 0; /* the text ends with a zero byte of its own */
  module->source = load_source(text, message, room);
  munmap(text, (size_t)status.st_size);
  return module->source != NULL;
}

void host_module(int file, int source, int channel) {
  struct module module = {NULL, NULL};
  char message[most_text] = "";
  const int loaded = load(&module, file, source, message, sizeof message);
  close(file);
  send_answer(channel, (struct worker_answer){loaded ? getpid() : -ENOEXEC, ending_exited, 0}, message);
  while (loaded) {
    struct worker_request request = {0, 0};
    int fds[most_descriptors];
    if (receive_packet(channel, &request, sizeof request, fds) <= 0 || request.request != request_run) break;
    const int open = run_jobs(&module, fds[0], channel);
    close(fds[0]);
    if (!open) break;
  }
  _exit(0);
}
