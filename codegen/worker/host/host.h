/* The parts of the worker process. */
#ifndef ASSAY_WORKER_HOST_H
#define ASSAY_WORKER_HOST_H

#include <stddef.h>
#include <sys/types.h>

#include "protocol.h"

/* Receives one packet of at most `size` bytes and the descriptors with it (`fds` has room for most_descriptors; the rest are
 * -1). Returns its size, 0 when the other end is closed, -1 on a failure. */
ssize_t receive_packet(int channel, void* data, size_t size, int* fds);
/* Sends an answer and a text, which is cut to most_text bytes. */
void send_answer(int channel, struct worker_answer answer, const char* text);
/* Waits for the end of a child, at most `milliseconds` (negative: for ever) and while `channel` stays open. At the limit, or
 * when the channel closes, kills `victim` (a process, or minus a process group). *closed says that the channel did. */
struct worker_answer wait_child(pid_t child, pid_t victim, int channel, long milliseconds, int* closed);

/* Serves runs of one module until the channel closes. `source`: the module is C text, not a shared object. */
_Noreturn void host_module(int module, int source, int channel);
/* Runs a compiler as request_compile says, answers, and ends. */
_Noreturn void host_compilation(const int* fds);

/* The in-memory compiler: loads C text (of `size` bytes); NULL with a message on failure. */
struct source_module;
struct source_module* load_source(const char* text, char* message, size_t room);
void* find_in_source(struct source_module* module, const char* name);

#endif
