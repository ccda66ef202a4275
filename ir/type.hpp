// Scalar types, loop axes and buffer kinds: the closed enumerations of the language, and the bit layout of its values.
//
// A value of any scalar type is carried as the bit pattern of its storage, zero-extended (`Scalar`), so that every component (interpreter, code generation, files) means the same bits. What operations do with those bits is not
// defined here: interpreter and generated code each have their own arithmetic (spec/numerics.md).
#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

/// Scalar types. `index` is the type of loop symbols, parameters and integer literals in index positions: mathematical
/// integers, held in a checked int64 (IDX-1). The rest are storage types.
enum class Type : std::uint8_t {
  index,
  boolean,
  f64,
  f32,
  f16,
  bf16,
  f8e5m2,
  f8e4m3fn,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  u32x4  // an opaque block of 128 bits, of the random functions
};
inline constexpr std::size_t type_count = static_cast<std::size_t>(Type::u32x4) + 1;

/// Every type that a buffer can have; the first ones are numbers and truth values, the last is the opaque block.
inline constexpr Type storage_types[] = {Type::boolean,  Type::f64, Type::f32, Type::f16,  Type::bf16, Type::f8e5m2,
                                         Type::f8e4m3fn, Type::i8,  Type::i16, Type::i32,  Type::i64,  Type::u8,
                                         Type::u16,      Type::u32, Type::u64, Type::u32x4};
/// Those of them that literals, arithmetic and conversions know.
inline constexpr std::span<const Type> scalar_types(storage_types, std::size(storage_types) - 1);

constexpr bool is_float(Type t) { return t >= Type::f64 && t <= Type::f8e4m3fn; }
constexpr bool is_f8(Type t) { return t == Type::f8e5m2 || t == Type::f8e4m3fn; }
/// Whether a float type has infinities: f8e4m3fn has none, and what would be one is its NaN (NUM-36).
constexpr bool has_infinity(Type t) { return is_float(t) && t != Type::f8e4m3fn; }
constexpr bool is_signed_int(Type t) { return t >= Type::i8 && t <= Type::i64; }
constexpr bool is_unsigned_int(Type t) { return t >= Type::u8 && t <= Type::u64; }
/// Storage integers (neither `index` nor `boolean`).
constexpr bool is_int(Type t) { return is_signed_int(t) || is_unsigned_int(t); }
/// Bits of storage (boolean: 8, one byte that holds 0 or 1; index: 64; u32x4: 128).
int bit_width(Type t);
inline int byte_width(Type t) { return bit_width(t) / 8; }
/// The keyword in program text: "f32", "bool", … ("index" for Type::index, which text cannot write).
std::string_view name(Type t);
std::optional<Type> parse_type(std::string_view text);

/// How a loop's iterations map to hardware. `serial` is written without an annotation. The iterations of a `tile` loop are
/// lanes that compute the nest inside together, once (ir/tile_product.hpp).
enum class Axis : std::uint8_t { serial, grid, workgroup, reduce, unrolled, vectorized, tile };
constexpr bool is_hardware(Axis a) { return a == Axis::grid || a == Axis::workgroup; }
std::string_view name(Axis a);
std::optional<Axis> parse_axis(std::string_view text);

enum class BufferKind : std::uint8_t { input, inout, output, temp, shared, local, constant };
std::string_view name(BufferKind k);
std::optional<BufferKind> parse_buffer_kind(std::string_view text);
constexpr bool is_writable(BufferKind k) { return k != BufferKind::input && k != BufferKind::constant; }
/// Defined when the program starts.
constexpr bool is_defined_on_entry(BufferKind k) {
  return k == BufferKind::input || k == BufferKind::inout || k == BufferKind::constant;
}
/// Compared at the end of a run.
constexpr bool is_observed(BufferKind k) { return k == BufferKind::inout || k == BufferKind::output; }
/// One copy per thread or workgroup rather than one per device.
constexpr bool is_private(BufferKind k) { return k == BufferKind::local; }

/// How the elements of a buffer lie in memory: row major, or with the elements (`elem`) or the units of 16 bytes (`b128`)
/// of each row permuted (spec/layout.md). A storage map: no value and no order depends on it.
enum class Swizzle : std::uint8_t { none, elem, b128 };
/// The keyword in program text; empty for none.
std::string_view name(Swizzle s);
std::optional<Swizzle> parse_swizzle(std::string_view text);
/// How many elements of type `t` a swizzle moves together.
inline std::int64_t swizzle_unit(Swizzle s, Type t) { return s == Swizzle::b128 ? 16 / byte_width(t) : 1; }

/// A scalar value: bits of storage, zero-extended. `index`: two's complement int64. `boolean`: 0 or 1. `u32x4`: words 0
/// and 1 are `bits`, words 2 and 3 are `high`, the lower word in the lower half; for every other type `high` is 0.
struct Scalar {
  Type type = Type::index;
  std::uint64_t bits = 0;
  std::uint64_t high = 0;
  auto operator<=>(const Scalar&) const = default;
};

inline Scalar index_scalar(std::int64_t v) { return {Type::index, static_cast<std::uint64_t>(v)}; }
inline Scalar bool_scalar(bool v) { return {Type::boolean, v ? 1U : 0U}; }
/// The value of an integer scalar of signed, index or boolean type, sign-extended.
std::int64_t signed_value(Scalar s);
/// The smallest and largest value of a storage integer type as 128-bit integers.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
struct IntRange {
  Int128 lo, hi;  // both inclusive
};
IntRange int_range(Type t);
/// Sign- or zero-extends an integer, index or boolean scalar to 128 bits.
Int128 int_value(Scalar s);
/// Wraps a 128-bit integer into a storage integer type (two's complement).
Scalar wrap_int(Type t, Int128 v);

}  // namespace assay
