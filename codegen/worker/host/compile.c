/* A compilation: a temporary directory, a compiler in it, and its output copied out; then nothing of it is left.
 *
 * This process outlives whoever asked for it just long enough to clean up: when the channel closes it kills the compiler with
 * everything that it started, and removes the directory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { most_arguments = 64, limit_milliseconds = 5 * 60 * 1000 };

static int copy(int from, int to) {
  struct stat status;
  if (from < 0 || to < 0 || fstat(from, &status) != 0) return 0;
  off_t at = 0;
  while (at < status.st_size) {
    if (sendfile(to, from, &at, (size_t)(status.st_size - at)) <= 0) return 0;
  }
  return 1;
}

static void remove_directory(const char* path) {
  DIR* const directory = opendir(path);
  if (directory != NULL) {
    for (const struct dirent* entry; (entry = readdir(directory)) != NULL;) {
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
  }
  rmdir(path);
}

/* The process of the compiler; nothing when it could not be started. */
static pid_t start(char* const* arguments, const char* directory, int messages) {
  const pid_t self = getpid(), child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != self) _exit(127);
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(messages, 1);
  dup2(messages, 2);
  setenv("TMPDIR", directory, 1);
  if (chdir(directory) == 0) execv(arguments[0], arguments);
  dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

static struct worker_answer compile(char* const* arguments, const int* fds, const char* directory, int* closed) {
  char path[4200];
  snprintf(path, sizeof path, "%s/unit.c", directory);
  const int text = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int written = copy(fds[1], text);
  close(text);
  if (!written) return (struct worker_answer){0, ending_not_started, ENOSPC};
  const pid_t child = start(arguments, directory, fds[3]);
  if (child < 0) return (struct worker_answer){0, ending_not_started, errno};
  setpgid(child, child);
  struct worker_answer ended = wait_child(child, -child, fds[4], limit_milliseconds, closed);
  kill(-child, SIGKILL); /* what it may have left running */
  while (wait(NULL) > 0 || errno == EINTR) {}
  if (ended.how == ending_exited && ended.code == 0) {
    snprintf(path, sizeof path, "%s/unit.so", directory);
    const int output = open(path, O_RDONLY | O_CLOEXEC);
    if (!copy(output, fds[2])) ended = (struct worker_answer){0, ending_not_started, EIO};
    if (output >= 0) close(output);
  }
  return ended;
}

void host_compilation(const int* fds) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setpgid(0, 0);
  struct stat status = {0};
  fstat(fds[0], &status);
  char* const list = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
  char* arguments[most_arguments + 1] = {NULL};
  int count = 0;
  for (off_t at = 0; list != MAP_FAILED && at < status.st_size && count < most_arguments;) {
    arguments[count++] = list + at;
    at += (off_t)strlen(list + at) + 1;
  }
  const char* const base = getenv("TMPDIR");
  char directory[4096];
  const int fits =
      snprintf(directory, sizeof directory, "%s/assay-XXXXXX", base != NULL && *base != '\0' ? base : "/tmp");
  struct worker_answer answer = {0, ending_not_started, EINVAL};
  int closed = 0;
  if (count > 0 && fits < (int)sizeof directory) {
    if (mkdtemp(directory) == NULL) {
      answer.code = errno;
    } else {
      answer = compile(arguments, fds, directory, &closed);
      remove_directory(directory);
    }
  }
  if (!closed) send_answer(fds[4], answer, "");
  _exit(0);
}
