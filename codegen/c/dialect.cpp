// The head of a unit for each dialect.
#include "codegen/c/dialect.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace assay::codegen {
namespace {

constexpr std::string_view headers =
    "#include <fenv.h>\n#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n";

// Declared as quadmath.h does, which clang does not find.
constexpr std::string_view quad = "extern __float128 powq(__float128, __float128);\n";

constexpr std::string_view declarations = R"(typedef unsigned long size_t;
typedef unsigned long uintptr_t;
#define NULL ((void *)0)
#define SIZE_MAX UINT64_MAX
#define NAN (0.0f / 0.0f)
#define INFINITY (1.0f / 0.0f)
#define FE_TONEAREST 0
#define isnan(x) ((x) != (x))
#define isinf(x) (fabs(x) == INFINITY)
#define signbit(x) sign_of((double)(x))
extern int fegetround(void);
extern void abort(void);
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
extern int memcmp(const void *, const void *, size_t);
static int sign_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (int)(bits >> 63);
}
)";

constexpr std::array<std::string_view, 14> unary{"ceil", "cos",       "exp",  "exp2", "fabs", "floor", "log",
                                                 "log2", "nearbyint", "rint", "sin",  "sqrt", "tanh",  "trunc"};

std::string functions() {
  std::string s;
  for (const auto& [type, suffix] : {std::pair{"float", "f"}, std::pair{"double", ""}, std::pair{"long double", "l"}}) {
    for (const std::string_view f : unary) {
      s += fmt::format("extern {0} {1}{2}({0});\n", type, f, suffix);
    }
    s += fmt::format("extern {0} pow{1}({0}, {0});\n", type, suffix);
    s += fmt::format("extern {0} fma{1}({0}, {0}, {0});\n", type, suffix);
    s += fmt::format("extern {0} ldexp{1}({0}, int);\n", type, suffix);
  }
  return s;
}

}  // namespace

std::string prelude(Dialect dialect, const Helpers& helpers) {
  if (dialect == Dialect::tcc) {
    static const std::string all = fmt::format("{}{}{}{}", integer_types, integer_macros, declarations, functions());
    return all;
  }
  return std::string(headers) + std::string(helpers.uses_quad() ? quad : "");
}

}  // namespace assay::codegen
