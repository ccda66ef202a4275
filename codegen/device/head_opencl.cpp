// What stands before OpenCL kernels: the words of C that helpers use in those of OpenCL.
#include <fmt/format.h>

#include "codegen/c/dialect.hpp"
#include "codegen/device/device.hpp"

namespace assay::codegen {
namespace {

constexpr std::string_view types = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
)";

constexpr std::string_view functions = R"(#define fabsf fabs
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

}  // namespace

std::string opencl_kernel_head() { return fmt::format("{}{}{}", types, integer_macros, functions); }

}  // namespace assay::codegen
