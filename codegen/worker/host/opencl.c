/* OpenCL for units of OpenCL text: the first platform of this machine that has a device, or the simulator Oclgrind.
 *
 * The library is loaded when a run needs it, so that neither the build nor other runs need OpenCL; of its interface only what
 * is called here is declared. $ASSAY_OPENCL_LIBRARY names another library in its place. A device that does not compute as
 * IEEE 754 says is refused before anything is launched. Oclgrind watches for races, divergence and accesses out of bounds; it writes what it finds
 * to a log, whatever its exit status, so the log is read. */
#define _GNU_SOURCE
#include "opencl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  too_many_threads = 5,
  too_much_shared = 6,
  no_device = 8,
  failed = 9,
  complaint = 12,
  without_doubles = 14,
  other_arithmetic = 15,
  not_built = 16
};
enum { read_write = 1, kernel_arguments = 0x1191, local_size = 0x1023, group_size = 0x1004, group_sizes = 0x1005 };
enum { group_size_of_kernel = 0x11B0, most_platforms = 8 };
/* Properties of a device's floats, and what generated text asks of f32: subnormals, infinities and NaN, rounding to nearest, and
 * division and square root that are correctly rounded. */
enum { f32_properties = 0x101B, f64_properties = 0x1032, f32_needs = 1 | 2 | 4 | 0x80 };
/* Errors of a launch whose groups are too large. */
enum { invalid_group_size = -54, invalid_item_size = -55 };

static struct {
  int (*platforms)(uint32_t, void**, uint32_t*);
  int (*devices)(void*, uint64_t, uint32_t, void**, uint32_t*);
  int (*device_info)(void*, uint32_t, size_t, void*, size_t*);
  void* (*context)(const intptr_t*, uint32_t, void* const*, void*, void*, int*);
  void* (*queue)(void*, void*, uint64_t, int*);
  void* (*program)(void*, uint32_t, const char**, const size_t*, int*);
  int (*build)(void*, uint32_t, void* const*, const char*, void*, void*);
  void* (*kernel)(void*, const char*, int*);
  int (*kernel_info)(void*, uint32_t, size_t, void*, size_t*);
  int (*kernel_on_device)(void*, void*, uint32_t, size_t, void*, size_t*);
  int (*argument)(void*, uint32_t, size_t, const void*);
  void* (*buffer)(void*, uint64_t, size_t, void*, int*);
  int (*write)(void*, void*, uint32_t, size_t, size_t, const void*, uint32_t, void*, void*);
  int (*read)(void*, void*, uint32_t, size_t, size_t, void*, uint32_t, void*, void*);
  int (*launch)(void*, void*, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, void*, void*);
  int (*finish)(void*);
} cl;
static struct {
  void *device, *context, *queue, *program;
  int log; /* of the simulator */
} now;

/* What is wrong with the arithmetic of the device; 0 when nothing is. */
static int judge_device(void) {
  uint64_t f64 = 0, f32 = 0;
  cl.device_info(now.device, f64_properties, sizeof f64, &f64, NULL);
  if (f64 == 0) return without_doubles;
  cl.device_info(now.device, f32_properties, sizeof f32, &f32, NULL);
  return (f32 & f32_needs) == f32_needs ? 0 : other_arithmetic;
}

static int load(int simulate) {
  static const struct {
    const char* name;
    void* to;
  } calls[] = {{"clGetPlatformIDs", &cl.platforms},
               {"clGetDeviceIDs", &cl.devices},
               {"clGetDeviceInfo", &cl.device_info},
               {"clCreateContext", &cl.context},
               {"clCreateCommandQueue", &cl.queue},
               {"clCreateProgramWithSource", &cl.program},
               {"clBuildProgram", &cl.build},
               {"clCreateKernel", &cl.kernel},
               {"clGetKernelInfo", &cl.kernel_info},
               {"clGetKernelWorkGroupInfo", &cl.kernel_on_device},
               {"clSetKernelArg", &cl.argument},
               {"clCreateBuffer", &cl.buffer},
               {"clEnqueueWriteBuffer", &cl.write},
               {"clEnqueueReadBuffer", &cl.read},
               {"clEnqueueNDRangeKernel", &cl.launch},
               {"clFinish", &cl.finish}};
  if (simulate) {
    char path[64];
    now.log = memfd_create("oclgrind", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", now.log);
    setenv("OCLGRIND_LOG", path, 1);
    setenv("OCLGRIND_DATA_RACES", "1", 1);
    setenv("OCLGRIND_NUM_THREADS", "1", 1);
  }
  const char* const chosen = getenv("ASSAY_OPENCL_LIBRARY");
  const char* const platforms_here = chosen != NULL && *chosen != '\0' ? chosen : "libOpenCL.so.1";
  void* library = dlopen(simulate ? "liboclgrind-rt.so" : platforms_here, RTLD_NOW);
  if (library == NULL && simulate) library = dlopen("/usr/lib/oclgrind/liboclgrind-rt.so", RTLD_NOW);
  if (library == NULL) return no_device;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    void* const found = dlsym(library, calls[i].name);
    if (found == NULL) return no_device;
    memcpy(calls[i].to, &found, sizeof found);
  }
  void* platforms[most_platforms] = {NULL};
  uint32_t count = 0, devices = 0;
  if (cl.platforms(most_platforms, platforms, &count) != 0) return no_device;
  for (uint32_t p = 0; p < count && p < most_platforms && devices == 0; ++p) {
    if (cl.devices(platforms[p], 0xFFFFFFFF, 1, &now.device, &devices) != 0) devices = 0;
  }
  if (devices == 0) return no_device;
  const int state = simulate ? 0 : judge_device();
  if (state != 0) return state;
  now.context = cl.context(NULL, 1, &now.device, NULL, NULL, NULL);
  if (now.context == NULL) return no_device;
  now.queue = cl.queue(now.context, now.device, 0, NULL);
  return now.queue != NULL ? 0 : no_device;
}

/* Whether the simulator has found something wrong. */
static int complained(void) {
  char text[4096];
  const ssize_t size = pread(now.log, text, sizeof text - 1, 0);
  return size > 0;
}

int assay_opencl_launch(int simulate, const char* source, const char* name, void* const* arguments,
                        const uint64_t* grid, const uint64_t* block, uint64_t shared) {
  /* The simulator does not know every intrinsic that an optimizer brings in. */
  const char* const options =
      simulate ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
  int error = 0;
  size_t most = 0, most_of[3] = {0}, most_of_kernel = 0;
  uint64_t local = 0;
  cl.device_info(now.device, group_size, sizeof most, &most, NULL);
  cl.device_info(now.device, local_size, sizeof local, &local, NULL);
  cl.device_info(now.device, group_sizes, sizeof most_of, most_of, NULL);
  for (int d = 0; d < 3; ++d) {
    if (block[d] > most || block[d] > most_of[d]) return too_many_threads;
  }
  const uint64_t threads = block[0] * block[1] * block[2];
  if (threads > most) return too_many_threads;
  if (shared > local) return too_much_shared;
  if (now.program == NULL) {
    now.program = cl.program(now.context, 1, &source, NULL, &error);
    if (error != 0) return failed;
    if (cl.build(now.program, 1, &now.device, options, NULL, NULL) != 0) return not_built;
  }
  void* const kernel = cl.kernel(now.program, name, &error);
  if (error != 0) return failed;
  /* A kernel may need so many registers that a device takes fewer threads of it. */
  if (cl.kernel_on_device(kernel, now.device, group_size_of_kernel, sizeof most_of_kernel, &most_of_kernel, NULL) == 0 &&
      threads > most_of_kernel)
    return too_many_threads;
  uint32_t wanted = 0, given = 0;
  cl.kernel_info(kernel, kernel_arguments, sizeof wanted, &wanted, NULL);
  for (; arguments[given] != NULL; ++given) {
    if (cl.argument(kernel, given, 8, arguments[given]) != 0) return failed;
  }
  if (given < wanted && cl.argument(kernel, given, shared > 0 ? shared : 16, NULL) != 0) return failed;
  const size_t all[3] = {grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]};
  const size_t each[3] = {block[0], block[1], block[2]};
  const int launched = cl.launch(now.queue, kernel, 3, NULL, all, each, 0, NULL, NULL);
  if (launched == invalid_group_size || launched == invalid_item_size) return too_many_threads;
  if (launched != 0) return failed;
  return cl.finish(now.queue) == 0 ? 0 : failed;
}

int assay_opencl_run(int simulate, int (*run)(const long long*, void* const*), const long long* parameters,
                     void* const* buffers, const uint64_t* bytes, const unsigned char* writable, int count) {
  const int loaded = load(simulate);
  if (loaded != 0) return loaded;
  void** const copies = calloc((size_t)count + 1, sizeof *copies);
  if (copies == NULL) return failed;
  int error = 0;
  for (int b = 0; b < count; ++b) {
    copies[b] = cl.buffer(now.context, read_write, bytes[b] > 0 ? bytes[b] : 1, NULL, &error);
    if (error != 0) return failed;
    if (bytes[b] > 0 && cl.write(now.queue, copies[b], 1, 0, bytes[b], buffers[b], 0, NULL, NULL) != 0) return failed;
  }
  const int state = run(parameters, copies);
  if (state != 0) return state;
  for (int b = 0; b < count; ++b) {
    if (writable[b] != 0 && bytes[b] > 0 &&
        cl.read(now.queue, copies[b], 1, 0, bytes[b], buffers[b], 0, NULL, NULL) != 0)
      return failed;
  }
  return simulate && complained() ? complaint : 0;
}
