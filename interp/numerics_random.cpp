// Blocks of 128 bits: making and reading them, the counter-based random functions, and their conversions to numbers
// (NUM-41 … NUM-46).
//
// A block is four 32-bit words w0 … w3; its bits, read as one little-endian number, have w0 lowest. The random functions
// mix a key and a counter by additions, rotations and exclusive ors of words. A conversion cuts the block into lanes as
// wide as the result type and maps each lane to a value; the conversion to one value reads the lowest bits.
#include "interp/numerics_blocks.hpp"
#include "interp/numerics_format.hpp"
#include "interp/numerics_tables.hpp"

namespace assay::numerics {
namespace {

Words words(const Scalar& s) {
  return {static_cast<std::uint32_t>(s.bits), static_cast<std::uint32_t>(s.bits >> 32),
          static_cast<std::uint32_t>(s.high), static_cast<std::uint32_t>(s.high >> 32)};
}
Scalar block(const Words& w) {
  return {Type::u32x4, w[0] | std::uint64_t{w[1]} << 32, w[2] | std::uint64_t{w[3]} << 32};
}

Scalar make_block(const Scalar* x, Flags&) {
  Words w{};
  for (std::size_t i = 0; i < 4; ++i) w[i] = static_cast<std::uint32_t>(x[i].bits);
  return block(w);
}
Scalar word(const Scalar* x, Flags&) { return {Type::u32, words(x[0])[x[1].bits % 4]}; }
Scalar equal(const Scalar* x, Flags&) { return bool_scalar(x[0] == x[1]); }
Scalar unequal(const Scalar* x, Flags&) { return bool_scalar(!(x[0] == x[1])); }

Scalar threefry_crypto(const Scalar* x, Flags&) { return block(threefry<5>(words(x[0]), words(x[1]))); }
Scalar threefry_light(const Scalar* x, Flags&) { return block(threefry<0>(words(x[0]), words(x[1]))); }

/// `width` bits of the block from lane `lane` on, lanes counted cyclically.
std::uint64_t lane_bits(const Scalar& b, int width, std::uint64_t lane) {
  const std::uint64_t bit = lane % static_cast<std::uint64_t>(128 / width) * static_cast<std::uint64_t>(width);
  const std::uint64_t half = bit < 64 ? b.bits : b.high;
  return half >> bit % 64 & ~std::uint64_t{0} >> (64 - width);
}

/// RN(n · 2^-bits) at T, where n is below 2^bits.
template <Type T>
Scalar fraction(std::uint64_t n, int bits, Flags& flags) {
  Rounded r = narrow_integer<Type::f64>(false, n);  // exact but for 64 bits, whose only type is f64 itself
  const double scaled = widen<Type::f64>(r.bits) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - bits) << 52);
  const Rounded result = narrow<T>(scaled);
  flags.inexact = flags.inexact || r.inexact || result.inexact;
  return {T, result.bits};
}

/// The value of one lane of the vector conversion.
template <Type T>
Scalar from_lane(std::uint64_t bits, Flags& flags) {
  if constexpr (T == Type::f64) return fraction<T>(bits, 64, flags);
  if constexpr (T == Type::f32) return fraction<T>(bits >> 8, 24, flags);
  if constexpr (T == Type::f16 || T == Type::bf16) return fraction<T>(bits, 16, flags);
  if constexpr (is_f8(T)) return {T, is_nan_bits<T>(bits) ? nan_bits<T> : bits};
  return {T, bits};
}
template <Type T>
Scalar uniform_lane(const Scalar* x, Flags& flags) {
  return from_lane<T>(lane_bits(x[0], width(T), x[1].bits), flags);
}
template <Type T>
Scalar uniform(const Scalar* x, Flags& flags) {
  if constexpr (T == Type::bf16) return fraction<T>((x[0].bits & 0xffffffffU) >> 8, 24, flags);
  return from_lane<T>(lane_bits(x[0], width(T), 0), flags);
}

template <Type T>
Function find_at(Op op) {
  return op == Op::uniform ? uniform<T> : uniform_lane<T>;
}

Function find_uniform(Op op, Type type) {
  switch (type) {
    case Type::f64: return find_at<Type::f64>(op);
    case Type::f32: return find_at<Type::f32>(op);
    case Type::f16: return find_at<Type::f16>(op);
    case Type::bf16: return find_at<Type::bf16>(op);
    case Type::f8e5m2: return find_at<Type::f8e5m2>(op);
    case Type::f8e4m3fn: return find_at<Type::f8e4m3fn>(op);
    case Type::i8: return find_at<Type::i8>(op);
    case Type::i16: return find_at<Type::i16>(op);
    case Type::i32: return find_at<Type::i32>(op);
    case Type::i64: return find_at<Type::i64>(op);
    case Type::u8: return find_at<Type::u8>(op);
    case Type::u16: return find_at<Type::u16>(op);
    case Type::u32: return find_at<Type::u32>(op);
    case Type::u64: return find_at<Type::u64>(op);
    default: return nullptr;
  }
}

}  // namespace

Function find_random_function(Op op, Type type) {
  switch (op) {
    case Op::uniform:
    case Op::uniform_lane: return find_uniform(op, type);
    case Op::block: return type == Type::u32 ? make_block : nullptr;
    case Op::word: return type == Type::u32x4 ? word : nullptr;
    case Op::eq: return type == Type::u32x4 ? equal : nullptr;
    case Op::ne: return type == Type::u32x4 ? unequal : nullptr;
    case Op::threefry_crypto: return type == Type::u32x4 ? threefry_crypto : nullptr;
    case Op::threefry_light: return type == Type::u32x4 ? threefry_light : nullptr;
    default: return nullptr;
  }
}

}  // namespace assay::numerics
