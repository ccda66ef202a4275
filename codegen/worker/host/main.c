/* The worker: forks module hosts and compilations on request, and ends with the process that started it.
 *
 * It stays small, so that forking is cheap whatever the size of the process that uses it. It watches its socket and its
 * parent: either end ends it. What it forked watches its own socket, and hosts also end with the worker. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "nvrtc.h"

enum { most_children = 4096 };

/* The children, and how those ended that nobody has asked about yet. */
static struct {
  pid_t pid;
  int ended;
  int status;
} children[most_children];
static int child_count;

static void on_child(int signal) { (void)signal; }

ssize_t receive_packet(int channel, void* data, size_t size, int* fds) {
  for (int i = 0; i < most_descriptors; ++i) fds[i] = -1;
  union {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(int) * most_descriptors)];
  } control;
  struct iovec part = {data, size};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got;
  do {
    got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  for (struct cmsghdr* c = CMSG_FIRSTHDR(&message); got > 0 && c != NULL; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
  }
  return got;
}

void send_answer(int channel, struct worker_answer answer, const char* text) {
  struct iovec parts[2] = {{&answer, sizeof answer}, {(char*)text, strnlen(text, most_text)}};
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  while (sendmsg(channel, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

static struct worker_answer ending(pid_t pid, int status) {
  if (WIFSIGNALED(status)) return (struct worker_answer){pid, ending_signalled, WTERMSIG(status)};
  return (struct worker_answer){pid, ending_exited, WEXITSTATUS(status)};
}

static int wait_status(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

struct worker_answer wait_child(pid_t child, pid_t victim, int channel, long milliseconds, int* closed) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long long deadline = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + milliseconds;
  *closed = 0;
  const int handle = (int)syscall(SYS_pidfd_open, child, 0);
  for (;;) {
    struct pollfd watched[2] = {{handle, POLLIN, 0}, {channel, POLLRDHUP, 0}};
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long left = deadline - (now.tv_sec * 1000LL + now.tv_nsec / 1000000);
    if (left < 0) left = 0;
    if (left > 1000000) left = 1000000;
    const int ready = poll(watched, 2, milliseconds < 0 ? -1 : (int)left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready > 0 && (watched[0].revents & (POLLIN | POLLNVAL)) != 0)
      break; /* POLLNVAL: no pidfd; then waitpid waits */
    if (ready > 0 && watched[1].revents == 0) continue;
    if (ready == 0 && left > 0) continue;
    *closed = ready > 0;
    kill(victim, SIGKILL);
    wait_status(child);
    if (handle >= 0) close(handle);
    return (struct worker_answer){child, ending_timed_out, 0};
  }
  if (handle >= 0) close(handle);
  return ending(child, wait_status(child));
}

static void reap(void) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    for (int i = 0; i < child_count; ++i) {
      if (children[i].pid != pid) continue;
      children[i].ended = 1;
      children[i].status = status;
    }
  }
}

/* How a child ended; it is killed when it has not. */
static struct worker_answer end_child(pid_t pid) {
  for (int i = 0; i < child_count; ++i) {
    if (children[i].pid != pid) continue;
    if (!children[i].ended) {
      kill(pid, SIGKILL);
      children[i].status = wait_status(pid);
    }
    const int status = children[i].status;
    children[i] = children[--child_count];
    return ending(pid, status);
  }
  return (struct worker_answer){-ESRCH, ending_not_started, ESRCH};
}

static void forget_ended(void) {
  for (int i = 0; i < child_count;) {
    if (children[i].ended) {
      children[i] = children[--child_count];
    } else {
      ++i;
    }
  }
}

static struct worker_answer start_child(int request, const int* fds, pid_t self) {
  if (child_count == most_children) forget_ended();
  if (child_count == most_children) return (struct worker_answer){-EAGAIN, ending_not_started, EAGAIN};
  const pid_t pid = fork();
  if (pid < 0) return (struct worker_answer){-errno, ending_not_started, errno};
  if (pid == 0) {
    signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    close(worker_channel);
    if (request == request_compile) host_compilation(fds);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(0);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    host_module(fds[0], request == request_open_source, fds[1]);
  }
  children[child_count].pid = pid;
  children[child_count].ended = 0;
  ++child_count;
  return (struct worker_answer){pid, ending_exited, 0};
}

/* False when the other end is closed. */
static int serve(pid_t self) {
  struct worker_request request = {0, 0};
  int fds[most_descriptors];
  const ssize_t got = receive_packet(worker_channel, &request, sizeof request, fds);
  if (got <= 0) return 0;
  struct worker_answer answer = {-EINVAL, ending_not_started, EINVAL};
  if (got == (ssize_t)sizeof request) {
    if (request.request == request_end) answer = end_child(request.argument);
    if (request.request == request_version) answer = (struct worker_answer){self, ending_exited, ASSAY_WORKER_VERSION};
    if (request.request >= request_open_object && request.request <= request_compile)
      answer = start_child(request.request, fds, self);
  }
  for (int i = 0; i < most_descriptors; ++i) {
    if (fds[i] >= 0) close(fds[i]);
  }
  send_answer(worker_channel, answer, "");
  return 1;
}

/* `assay-worker PARENT` serves its parent; `assay-worker --nvrtc LIBRARY INPUT OUTPUT OPTION…` is a compiler. */
int main(int count, char** arguments) {
  if (count >= 5 && strcmp(arguments[1], "--nvrtc") == 0)
    return compile_by_nvrtc(arguments[2], arguments[3], arguments[4], count - 5, arguments + 5);
  struct stat_check {
    int type;
    socklen_t size;
  } channel = {0, sizeof(int)};
  if (count != 2 || getsockopt(worker_channel, SOL_SOCKET, SO_TYPE, &channel.type, &channel.size) != 0) {
    fputs("assay-worker compiles and runs kernels for assay, which starts it; it does nothing by itself\n", stderr);
    return 2;
  }
  const pid_t parent = (pid_t)atol(arguments[1]), self = getpid();
  const int watch = (int)syscall(SYS_pidfd_open, parent, 0);
  if (getppid() != parent) return 0; /* it ended before the line above */
  fcntl(worker_channel, F_SETFD, FD_CLOEXEC);
  struct sigaction action = {.sa_handler = on_child};
  sigaction(SIGCHLD, &action, NULL);
  sigset_t chld, none;
  sigemptyset(&none);
  sigemptyset(&chld);
  sigaddset(&chld, SIGCHLD);
  sigprocmask(SIG_BLOCK, &chld, NULL);
  for (;;) {
    struct pollfd watched[2] = {{worker_channel, POLLIN, 0}, {watch, POLLIN, 0}};
    const int ready = ppoll(watched, watch >= 0 ? 2 : 1, NULL, &none);
    reap();
    if (ready < 0) continue;
    if (watched[1].revents != 0) return 0;
    if (watched[0].revents != 0 && !serve(self)) return 0;
  }
}
