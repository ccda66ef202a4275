// What a generated unit demands of its compiler.
#pragma once

#include <string_view>

namespace assay::codegen {

/// The flags that every compilation of generated C needs, whatever the level of optimization: no contraction, no excess
/// precision, no assumption about NaN, signed zeros or the rounding mode; index arithmetic wraps.
inline constexpr std::string_view required_flags =
    "-std=c11 -ffp-contract=off -fno-fast-math -fsigned-zeros -frounding-math -fexcess-precision=standard -fwrapv";

}  // namespace assay::codegen
