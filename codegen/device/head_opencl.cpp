// What stands before OpenCL kernels, the words of C that helpers use in those of OpenCL; and before the host code of a unit,
// which gcc compiles and the worker's OpenCL launch (codegen/worker/host/opencl.c) serves.
#include "codegen/device/device.hpp"

namespace assay::codegen {
namespace {

constexpr std::string_view kernel_head = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
#define INT64_C(x) x##L
#define UINT64_C(x) x##UL
#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define fabsf fabs
#define fmaf fma
#define sqrtf sqrt
#define truncf trunc
#define floorf floor
#define ceilf ceil
static void assay_copy(uchar *to, const uchar *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
}
static int assay_compare(const uchar *a, const uchar *b, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return 1;
  }
  return 0;
}
#define memcpy(to, from, bytes) assay_copy((uchar *)(to), (const uchar *)(from), bytes)
#define memcmp(a, b, bytes) assay_compare((const uchar *)(a), (const uchar *)(b), bytes)
#define abort() (*(volatile __global int *)0 = 0)
)";

constexpr std::string_view host_head = R"(#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int assay_opencl_launch(int simulate, const char *source, const char *kernel, void *const *arguments,
                               const uint64_t *grid, const uint64_t *block, uint64_t shared);
extern int assay_opencl_run(int simulate, int (*run)(const long long *, void *const *), const long long *parameters,
                            void *const *buffers, const uint64_t *bytes, const unsigned char *writable, int count);
#define ASSAY_KERNEL(kernel) #kernel
#define assay_launch(kernel, arguments, grid, block, shared) \
  assay_opencl_launch(ASSAY_SIMULATE, assay_source, kernel, arguments, grid, block, shared)
#define assay_run(run, parameters, buffers, bytes, writable, count) \
  assay_opencl_run(ASSAY_SIMULATE, run, parameters, buffers, bytes, writable, count)
)";

}  // namespace

std::string opencl_kernel_head() { return std::string(kernel_head); }

std::string opencl_host_head(Dialect dialect) {
  return std::string(host_head) + "#define ASSAY_SIMULATE " + (dialect == Dialect::oclgrind ? "1\n" : "0\n");
}

}  // namespace assay::codegen
