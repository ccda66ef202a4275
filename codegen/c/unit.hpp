// What a generated unit demands of its compiler, and units of several programs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/c.hpp"

namespace assay::codegen {

/// The flags that every compilation of generated C needs, whatever the level of optimization: no contraction, no excess
/// precision, no assumption about NaN, signed zeros or the rounding mode; index arithmetic wraps.
inline constexpr std::string_view required_flags =
    "-std=c11 -ffp-contract=off -fno-fast-math -fsigned-zeros -frounding-math -fexcess-precision=standard -fwrapv";

/// One unit for several programs: entry N is `assay_kernel_N`.
struct Batch {
  std::string text{};  // for a compiler of C
  /// CUDA text (dialect cuda): `text` is then its host code, which needs what becomes of it as `assay_image` in front.
  std::string device_text{};
  std::vector<int> entries{};                       // of each program; -1 when it is refused
  std::vector<std::vector<Diagnostic>> refusals{};  // why
};
Batch emit_batch(const std::vector<const Program*>& programs, Dialect dialect);

/// The first entry of a batch's text, which may have been changed since, as the kernel of `p`.
std::unique_ptr<Kernel> compile_text(std::string text, const Program& p, const CompilerSpec& compiler,
                                     KernelOutcome& error);

}  // namespace assay::codegen
