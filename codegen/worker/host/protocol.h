/* What a process that runs kernels and its worker say to each other; read by C and by C++.
 *
 * The worker (main.c) is a small process that does nothing but fork on request. Its descriptor 3 is a socket of packets: a
 * request with descriptors, one answer each. What it forks talks over a socket of its own, which came with the request:
 * a *module host* (module.c) holds one loaded module and forks once more for every run, a *compilation* (compile.c) runs a
 * compiler in a temporary directory. All of them end when the other end of their socket closes, however that came about. */
#ifndef ASSAY_WORKER_PROTOCOL_H
#define ASSAY_WORKER_PROTOCOL_H

#include <stdint.h>

enum { worker_channel = 3, most_descriptors = 5, most_text = 4000 };

/* Requests, and the descriptors that come with them. */
enum {
  request_open_object = 1, /* a shared object; the host's socket */
  request_open_source = 2, /* C text for the in-memory compiler; the host's socket */
  request_compile = 3,     /* arguments (each ended by a zero byte), text, output, messages; the compilation's socket */
  request_end = 4,         /* ends the process `argument`, which an earlier answer named */
  request_run = 5,         /* to a host: a job file */
  request_version = 6      /* what this worker was built from, in `code` */
};

struct worker_request {
  int32_t request;
  int32_t argument;
};

enum { ending_exited = 0, ending_signalled = 1, ending_timed_out = 2, ending_not_started = 3 };

/* An answer; text may follow it in the packet (messages of a compiler). `pid` is that of a new process, `how` and `code`
 * are how a process ended, and a negative `pid` is minus an errno. */
struct worker_answer {
  int32_t pid;
  int32_t how;
  int32_t code;
};

/* A job file is words of 64 bits and pages: [0] the number of jobs, then for each the index of its first word; there: */
enum {
  job_done,       /* set to 1 when the kernel returned */
  job_returned,   /* what it returned */
  job_how,        /* how its process ended */
  job_code,       /* exit status, signal or errno */
  job_kernel,     /* number of the entry: assay_kernel_N */
  job_limit,      /* milliseconds of wall time */
  job_heap,       /* bytes that the kernel may allocate itself */
  job_device,     /* whether the run uses a device, whose drivers map memory and keep files as they like */
  job_parameters, /* how many follow */
  job_buffers,    /* how many triples follow the parameters: offset of the pages, bytes, whether it may be written */
  job_words
};
/* A buffer ends at the end of its last page. In the process of the run an inaccessible page follows, and one precedes its
 * pages, so that an access beyond the end is a crash. */

#define ASSAY_WORKER_VERSION 3

#endif
