// What depends on the compiler that reads a unit: the declarations at its head.
#pragma once

#include <string>
#include <string_view>

#include "codegen/c.hpp"
#include "codegen/c/helpers.hpp"

namespace assay::codegen {

/// What stdint.h declares, for compilers that read no header: the types of C and C++ (OpenCL has its own), and the macros.
inline constexpr std::string_view integer_types =
    R"(typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
)";
inline constexpr std::string_view integer_macros =
    R"(#define INT64_C(x) x##L
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
)";

/// Headers, or for tcc the declarations in place of them: its units stand alone (codegen/worker/host/source.c supplies what
/// they call), which makes a small one compile in a tenth of a millisecond.
std::string prelude(Dialect dialect, const Helpers& helpers);

}  // namespace assay::codegen
