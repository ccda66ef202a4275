// The table of exact widenings.
#include "ir/widening.hpp"

namespace assay {

bool widens_exactly(Type from, Type to) {
  if (is_int(from) && is_int(to)) {
    const IntRange a = int_range(from);
    const IntRange b = int_range(to);
    return from != to && b.lo <= a.lo && a.hi <= b.hi;
  }
  if (is_int(from) && is_float(to)) {
    // The integers of so many bits, sign aside, are those with as many binary digits; the least one is a power of two.
    const int bits = bit_width(from) - (is_signed_int(from) ? 1 : 0);
    return bits <= (to == Type::f64 ? 53 : to == Type::f32 ? 24 : to == Type::f16 ? 11 : to == Type::bf16 ? 8 : 0);
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
