// The table of exact widenings.
#include "ir/widening.hpp"

namespace assay {

bool widens_exactly(Type from, Type to) {
  if (is_int(from) && is_int(to)) {
    const IntRange a = int_range(from);
    const IntRange b = int_range(to);
    return from != to && b.lo <= a.lo && a.hi <= b.hi;
  }
  switch (from) {
    case Type::f8e5m2:
    case Type::f8e4m3fn: return is_float(to) && !is_f8(to);
    case Type::f16:
    case Type::bf16: return to == Type::f32 || to == Type::f64;
    case Type::f32: return to == Type::f64;
    default: return false;
  }
}

}  // namespace assay
