// What stands before the kernels: for nvcc the launch and the copies to and from the device, for NVRTC, which reads no headers,
// what they would declare; for gcc the words of CUDA as what they mean on the CPU. There the worker runs the threads of a group
// as fibers (codegen/worker/host/fibers.c).
#include <fmt/format.h>

#include "codegen/c/dialect.hpp"
#include "codegen/device/device.hpp"

namespace assay::codegen {
namespace {

constexpr std::string_view nvrtc_head = R"(#define SIZE_MAX UINT64_MAX
#undef INFINITY
#undef NAN
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#undef __host__
#define __host__
static __device__ int assay_compare(const unsigned char *a, const unsigned char *b, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return 1;
  }
  return 0;
}
#define memcmp(a, b, bytes) assay_compare((const unsigned char *)(a), (const unsigned char *)(b), bytes)
#define abort() __trap()
)";

constexpr std::string_view nvcc_head = R"(#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static __host__ __device__ inline void assay_fault(void) {
#ifdef __CUDA_ARCH__
  __trap();
#else
  abort();
#endif
}
#define abort assay_fault
#define ASSAY_KERNEL(kernel) ((const void *)(kernel))

/* Launches a kernel on the current device and waits for it. */
static int assay_launch(const void *kernel, void *const *arguments, const uint64_t *grid, const uint64_t *block,
                        uint64_t shared) {
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || block[0] * block[1] * block[2] > 1024) return 5;
  if (shared > 232448) return 6;
  if (grid[0] > 2147483647 || grid[1] > 65535 || grid[2] > 65535) return 7;
  if (shared > 49152 &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared) != cudaSuccess)
    return 6;
  const dim3 groups((unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]);
  const dim3 threads((unsigned)block[0], (unsigned)block[1], (unsigned)block[2]);
  if (cudaLaunchKernel(kernel, groups, threads, (void **)arguments, (size_t)shared, 0) != cudaSuccess) return 9;
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 9;
}

/* Runs the launches on copies of the buffers in device memory, and copies back what may have been written. */
static int assay_run(int (*run)(const long long *, void *const *), const long long *parameters, void *const *buffers,
                     const uint64_t *bytes, const unsigned char *writable, int count) {
  int devices = 0, state = 0, copied = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 8;
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 28);
  void **const copies = (void **)calloc((size_t)count + 1, sizeof(void *));
  if (copies == NULL) return 9;
  for (; copied < count && state == 0; ++copied) {
    if (cudaMalloc(&copies[copied], (size_t)bytes[copied] + 1) != cudaSuccess ||
        cudaMemcpy(copies[copied], buffers[copied], (size_t)bytes[copied], cudaMemcpyHostToDevice) != cudaSuccess)
      state = 9;
  }
  if (state == 0) state = run(parameters, copies);
  for (int b = 0; b < count && state == 0; ++b) {
    if (writable[b] != 0 &&
        cudaMemcpy(buffers[b], copies[b], (size_t)bytes[b], cudaMemcpyDeviceToHost) != cudaSuccess)
      state = 9;
  }
  for (int b = 0; b < copied; ++b) cudaFree(copies[b]);
  free(copies);
  return state;
}
)";

constexpr std::string_view simt_head = R"(#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __global__ static
#define __host__
#define __device__
#define __shared__
#define __align__(bytes)
#define __restrict__ restrict
#define __syncthreads() assay_barrier(__LINE__)
#define ASSAY_KERNEL(kernel) kernel##_call
struct assay_index {
  unsigned x, y, z;
};
extern struct assay_index threadIdx, blockIdx, blockDim; /* of the fiber that runs */
extern void assay_barrier(int line);
/* Lanes of a warp meet, and only those that are named (codegen/worker/host/shuffles.c). */
extern int assay_lane(void);
extern void assay_shuffle(int line, unsigned lanes, void *value, size_t bytes, int source);
extern int assay_any(int line, unsigned lanes, int value);
extern void assay_meet_only(int line, unsigned lanes);
#define ASSAY_FROM_LANE(lanes, value, lane)                                          \
  ({                                                                                \
    __typeof__(value) assay_value = (value);                                        \
    assay_shuffle(__LINE__, lanes, &assay_value, sizeof assay_value, lane);         \
    assay_value;                                                                    \
  })
#define __shfl_sync(lanes, value, lane, width) \
  ASSAY_FROM_LANE(lanes, value, (assay_lane() & -(width)) | ((int)(lane) & ((width) - 1)))
#define __shfl_xor_sync(lanes, value, mask, width) ASSAY_FROM_LANE(lanes, value, assay_lane() ^ (mask))
#define __any_sync(lanes, value) assay_any(__LINE__, lanes, value)
#define __syncwarp(lanes) assay_meet_only(__LINE__, lanes)
extern int assay_launch(void (*kernel)(void *const *), void *const *arguments, const uint64_t *grid,
                        const uint64_t *block, uint64_t shared);
extern int assay_run(int (*run)(const long long *, void *const *), const long long *parameters, void *const *buffers,
                     const uint64_t *bytes, const unsigned char *writable, int count);
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
)";

}  // namespace

std::string device_head(Dialect dialect) {
  if (is_opencl(dialect)) return opencl_kernel_head();
  if (dialect == Dialect::simt) return std::string(simt_head);
  return fmt::format("#ifdef __CUDACC_RTC__\n{}{}{}#else\n{}#endif\n", integer_types, integer_macros, nvrtc_head,
                     nvcc_head);
}

}  // namespace assay::codegen
