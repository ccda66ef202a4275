/* A driver of CUDA in place of a real one, with one device that is this processor: it keeps a log of what it is asked for, and
 * runs kernels on fibers.
 *
 * $FAKE_CUDA_LOG is the log. $FAKE_CUDA_KERNELS is a shared object of the same kernels as text for the CPU; what an image does
 * not name as an entry cannot be launched all the same. The call that $FAKE_CUDA_FAILS names fails. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int assay_launch(void (*kernel)(void* const*), void* const* arguments, const uint64_t* grid,
                        const uint64_t* block, uint64_t shared);

static const char* image;
static long allocated;

/* Notes a call; whether it is to fail. */
static int fails(const char* call, const char* format, ...) {
  FILE* const log = fopen(getenv("FAKE_CUDA_LOG"), "a");
  if (log != NULL) {
    va_list list;
    va_start(list, format);
    fprintf(log, "%s ", call);
    vfprintf(log, format, list);
    fputc('\n', log);
    va_end(list);
    fclose(log);
  }
  const char* const chosen = getenv("FAKE_CUDA_FAILS");
  return chosen != NULL && strcmp(chosen, call) == 0;
}

int cuInit(unsigned flags) { return fails("cuInit", "%u", flags); }
int cuDeviceGetCount(int* count) {
  *count = fails("cuDeviceGetCount", "") ? 0 : 1;
  return 0;
}
int cuDeviceGet(int* device, int number) {
  *device = 7;
  return fails("cuDeviceGet", "%d", number);
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  const char* const chosen = getenv("FAKE_CUDA_CAPABILITY"); /* "90" */
  const int capability = chosen != NULL ? atoi(chosen) : 80;
  *value = which == 75 ? capability / 10 : which == 76 ? capability % 10 : -1;
  return device != 7 || fails("cuDeviceGetAttribute", "%d", which);
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &allocated;
  return device != 7 || fails("cuDevicePrimaryCtxRetain", "");
}
int cuCtxSetCurrent(void* context) { return context != &allocated || fails("cuCtxSetCurrent", ""); }
int cuCtxSetLimit(int which, size_t value) { return fails("cuCtxSetLimit", "%d %zu", which, value); }
int cuMemAlloc_v2(uint64_t* at, size_t bytes) {
  void* const memory = calloc(bytes, 1);
  memcpy(at, &memory, sizeof memory);
  allocated += memory != NULL;
  return memory == NULL || fails("cuMemAlloc", "%zu", bytes);
}
int cuMemFree_v2(uint64_t at) {
  void* memory;
  memcpy(&memory, &at, sizeof memory);
  free(memory);
  --allocated;
  return fails("cuMemFree", "left %ld", allocated);
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  void* memory;
  memcpy(&memory, &to, sizeof memory);
  memcpy(memory, from, bytes);
  return fails("cuMemcpyHtoD", "%zu", bytes);
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  void* memory;
  memcpy(&memory, &from, sizeof memory);
  memcpy(to, memory, bytes);
  return fails("cuMemcpyDtoH", "%zu", bytes);
}
int cuModuleLoadData(void** module, const void* data) {
  image = data;
  *module = dlopen(getenv("FAKE_CUDA_KERNELS"), RTLD_NOW | RTLD_LOCAL);
  return fails("cuModuleLoadData", "%s", strstr(image, ".target sm_80") != NULL   ? "sm_80"
                                         : strstr(image, ".target sm_90") != NULL ? "sm_90"
                                                                                  : "?") || *module == NULL;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  char entry[200];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  if (fails("cuModuleGetFunction", "%s", name) || strstr(image, entry) == NULL) return 1;
  snprintf(entry, sizeof entry, "%s_call", name);
  *function = dlsym(module, entry);
  return *function == NULL;
}
int cuFuncSetAttribute(void* function, int which, int value) {
  return function == NULL || fails("cuFuncSetAttribute", "%d %d", which, value);
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void* const* arguments, void* extra) {
  const uint64_t grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  void (*kernel)(void* const*);
  memcpy(&kernel, &function, sizeof kernel);
  if (fails("cuLaunchKernel", "%u %u %u x %u %u %u, %u", gx, gy, gz, bx, by, bz, shared) || stream != NULL ||
      extra != NULL)
    return 1;
  return assay_launch(kernel, arguments, grid, block, shared);
}
int cuCtxSynchronize(void) { return fails("cuCtxSynchronize", ""); }
