/* CUDA for units of CUDA text: the first GPU of this machine, or the first of a generation, through the interface of its driver.
 *
 * The driver is loaded when a run needs it, so that neither the build nor other runs need CUDA; of its interface only what is
 * called here is declared. $ASSAY_CUDA_LIBRARY names another library in its place. */
#include "cuda.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { too_many_threads = 5, too_much_shared = 6, too_many_groups = 7, no_device = 8, failed = 9, other_generation = 13 };
enum { most_threads = 1024, most_deep = 64, most_shared = 232448, ordinary_shared = 49152 };
enum { major_of_capability = 75, minor_of_capability = 76 };
enum { limit_of_heap = 2, most_dynamic_shared = 8, heap_bytes = 1 << 28 };

static struct {
  int (*init)(unsigned);
  int (*device)(int*, int);
  int (*count)(int*);
  int (*property)(int*, int, int);
  int (*retain)(void**, int);
  int (*current)(void*);
  int (*limit)(int, size_t);
  int (*allocate)(uint64_t*, size_t);
  int (*release)(uint64_t);
  int (*write)(uint64_t, const void*, size_t);
  int (*read)(void*, uint64_t, size_t);
  int (*module)(void**, const void*);
  int (*function)(void**, void*, const char*);
  int (*attribute)(void*, int, int);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void* const*,
                void*);
  int (*finish)(void);
} cu;
static void* module;

/* The first device of a generation (0: of any); 0, and `device` is set, or what is wrong. */
static int choose(int generation, int* device) {
  int devices = 0;
  if (cu.count(&devices) != 0 || devices <= 0) return no_device;
  for (int number = 0; number < devices; ++number) {
    int major = 0, minor = 0;
    if (cu.device(device, number) != 0) return no_device;
    if (generation == 0) return 0;
    if (cu.property(&major, major_of_capability, *device) == 0 &&
        cu.property(&minor, minor_of_capability, *device) == 0 && 10 * major + minor == generation)
      return 0;
  }
  return other_generation;
}

static int load(int generation) {
  static const struct {
    const char* name;
    void* to;
  } calls[] = {{"cuInit", &cu.init},
               {"cuDeviceGet", &cu.device},
               {"cuDeviceGetCount", &cu.count},
               {"cuDeviceGetAttribute", &cu.property},
               {"cuDevicePrimaryCtxRetain", &cu.retain},
               {"cuCtxSetCurrent", &cu.current},
               {"cuCtxSetLimit", &cu.limit},
               {"cuMemAlloc_v2", &cu.allocate},
               {"cuMemFree_v2", &cu.release},
               {"cuMemcpyHtoD_v2", &cu.write},
               {"cuMemcpyDtoH_v2", &cu.read},
               {"cuModuleLoadData", &cu.module},
               {"cuModuleGetFunction", &cu.function},
               {"cuFuncSetAttribute", &cu.attribute},
               {"cuLaunchKernel", &cu.launch},
               {"cuCtxSynchronize", &cu.finish}};
  const char* const chosen = getenv("ASSAY_CUDA_LIBRARY");
  void* const library = dlopen(chosen != NULL && *chosen != '\0' ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return no_device;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    void* const found = dlsym(library, calls[i].name);
    if (found == NULL) return no_device;
    memcpy(calls[i].to, &found, sizeof found);
  }
  if (cu.init(0) != 0) return no_device;
  int device = 0;
  void* context = NULL;
  const int state = choose(generation, &device);
  if (state != 0) return state;
  return cu.retain(&context, device) == 0 && cu.current(context) == 0 ? 0 : no_device;
}

int assay_cuda_launch(const char* image, const char* name, void* const* arguments, const uint64_t* grid,
                      const uint64_t* block, uint64_t shared) {
  if (block[0] > most_threads || block[1] > most_threads || block[2] > most_deep ||
      block[0] * block[1] * block[2] > most_threads)
    return too_many_threads;
  if (shared > most_shared) return too_much_shared;
  if (grid[0] > INT32_MAX || grid[1] > UINT16_MAX || grid[2] > UINT16_MAX) return too_many_groups;
  void* kernel = NULL;
  if (module == NULL && cu.module(&module, image) != 0) return failed;
  if (cu.function(&kernel, module, name) != 0) return failed;
  if (shared > ordinary_shared && cu.attribute(kernel, most_dynamic_shared, (int)shared) != 0) return too_much_shared;
  if (cu.launch(kernel, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], (unsigned)block[0], (unsigned)block[1],
                (unsigned)block[2], (unsigned)shared, NULL, arguments, NULL) != 0)
    return failed;
  return cu.finish() == 0 ? 0 : failed;
}

int assay_cuda_run(int generation, int (*run)(const long long*, void* const*), const long long* parameters,
                   void* const* buffers, const uint64_t* bytes, const unsigned char* writable, int count) {
  const int loaded = load(generation);
  if (loaded != 0) return loaded;
  cu.limit(limit_of_heap, heap_bytes);
  /* Addresses in device memory, which kernels take as pointers. */
  uint64_t* const copies = calloc((size_t)count + 1, sizeof *copies);
  void** const addresses = calloc((size_t)count + 1, sizeof *addresses);
  if (copies == NULL || addresses == NULL) return failed;
  for (int b = 0; b < count; ++b) {
    if (cu.allocate(&copies[b], (size_t)bytes[b] + 1) != 0) return failed;
    if (bytes[b] > 0 && cu.write(copies[b], buffers[b], (size_t)bytes[b]) != 0) return failed;
    memcpy(&addresses[b], &copies[b], sizeof addresses[b]);
  }
  int state = run(parameters, addresses);
  for (int b = 0; b < count && state == 0; ++b) {
    if (writable[b] != 0 && bytes[b] > 0 && cu.read(buffers[b], copies[b], (size_t)bytes[b]) != 0) state = failed;
  }
  for (int b = 0; b < count; ++b) cu.release(copies[b]);
  free(copies);
  free(addresses);
  return state;
}
