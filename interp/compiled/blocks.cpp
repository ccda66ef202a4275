// Typed loops and folds over blocks of 128 bits.
#include <cstring>

#include "interp/compiled/kernels.hpp"
#include "interp/numerics_blocks.hpp"

namespace assay::interp::compiled {
namespace {

using numerics::Words;

template <std::uint32_t groups>
void mix(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<Words*>(l.out);
  const auto* const key = static_cast<const Words*>(l.a);
  const auto* const counter = static_cast<const Words*>(l.b);
  for_each(l.active, [&](std::uint32_t i) { out[i] = numerics::threefry<groups>(key[i], counter[i]); });
}
void word(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<std::uint32_t*>(l.out);
  const auto* const blocks = static_cast<const Words*>(l.a);
  const auto* const numbers = static_cast<const std::uint32_t*>(l.b);
  for_each(l.active, [&](std::uint32_t i) { out[i] = blocks[i][numbers[i] % 4]; });
}
void make(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<Words*>(l.out);
  const void* const columns[4] = {l.a, l.b, l.c, l.d};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto* const words = static_cast<const std::uint32_t*>(columns[k]);
    for_each(l.active, [&](std::uint32_t i) { out[i][k] = words[i]; });
  }
}
template <bool equal>
void compare(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<std::uint8_t*>(l.out);
  const auto* const a = static_cast<const Words*>(l.a);
  const auto* const b = static_cast<const Words*>(l.b);
  for_each(l.active, [&](std::uint32_t i) { out[i] = (a[i] == b[i]) == equal ? 1 : 0; });
}

}  // namespace

Kernel find_block_kernel(Op op, Type operand) {
  if (op == Op::block) return make;
  if (operand != Type::u32x4) return nullptr;
  switch (op) {
    case Op::threefry_light: return mix<0>;
    case Op::threefry_crypto: return mix<5>;
    case Op::word: return word;
    case Op::eq: return compare<true>;
    case Op::ne: return compare<false>;
    default: return nullptr;
  }
}

}  // namespace assay::interp::compiled
