// Names and integer layouts of the scalar types.
#include "ir/type.hpp"

#include <array>
#include <utility>

namespace assay {
namespace {

template <typename T, std::size_t N>
std::optional<T> find_by_name(const std::array<std::pair<T, std::string_view>, N>& table, std::string_view text) {
  for (const auto& [value, label] : table) {
    if (label == text) return value;
  }
  return std::nullopt;
}
template <typename T, std::size_t N>
std::string_view find_name(const std::array<std::pair<T, std::string_view>, N>& table, T value) {
  for (const auto& [candidate, label] : table) {
    if (candidate == value) return label;
  }
  return "?";
}

constexpr std::array<std::pair<Type, std::string_view>, type_count> type_names{{{Type::index, "index"},
                                                                                {Type::boolean, "bool"},
                                                                                {Type::f64, "f64"},
                                                                                {Type::f32, "f32"},
                                                                                {Type::f16, "f16"},
                                                                                {Type::bf16, "bf16"},
                                                                                {Type::f8e5m2, "f8e5m2"},
                                                                                {Type::f8e4m3fn, "f8e4m3fn"},
                                                                                {Type::i8, "i8"},
                                                                                {Type::i16, "i16"},
                                                                                {Type::i32, "i32"},
                                                                                {Type::i64, "i64"},
                                                                                {Type::u8, "u8"},
                                                                                {Type::u16, "u16"},
                                                                                {Type::u32, "u32"},
                                                                                {Type::u64, "u64"},
                                                                                {Type::u32x4, "u32x4"}}};
constexpr std::array<std::pair<Axis, std::string_view>, 7> axis_names{{{Axis::serial, "serial"},
                                                                       {Axis::grid, "grid"},
                                                                       {Axis::workgroup, "workgroup"},
                                                                       {Axis::reduce, "reduce"},
                                                                       {Axis::unrolled, "unrolled"},
                                                                       {Axis::vectorized, "vectorized"},
                                                                       {Axis::tile, "tile"}}};
constexpr std::array<std::pair<BufferKind, std::string_view>, 7> kind_names{{{BufferKind::input, "input"},
                                                                             {BufferKind::inout, "inout"},
                                                                             {BufferKind::output, "output"},
                                                                             {BufferKind::temp, "temp"},
                                                                             {BufferKind::shared, "shared"},
                                                                             {BufferKind::local, "local"},
                                                                             {BufferKind::constant, "const"}}};
constexpr std::array<std::pair<Swizzle, std::string_view>, 2> swizzle_names{
    {{Swizzle::elem, "elem"}, {Swizzle::b128, "b128"}}};

}  // namespace

int bit_width(Type t) {
  switch (t) {
    case Type::boolean:
    case Type::f8e5m2:
    case Type::f8e4m3fn:
    case Type::i8:
    case Type::u8: return 8;
    case Type::f16:
    case Type::bf16:
    case Type::i16:
    case Type::u16: return 16;
    case Type::f32:
    case Type::i32:
    case Type::u32: return 32;
    case Type::index:
    case Type::f64:
    case Type::i64:
    case Type::u64: return 64;
    case Type::u32x4: return 128;
  }
  return 64;
}

std::string_view name(Type t) { return find_name(type_names, t); }
std::optional<Type> parse_type(std::string_view text) {
  if (text == "index") return std::nullopt;
  return find_by_name(type_names, text);
}
std::string_view name(Axis a) { return find_name(axis_names, a); }
std::optional<Axis> parse_axis(std::string_view text) { return find_by_name(axis_names, text); }
std::string_view name(BufferKind k) { return find_name(kind_names, k); }
std::optional<BufferKind> parse_buffer_kind(std::string_view text) { return find_by_name(kind_names, text); }
std::string_view name(Swizzle s) { return s == Swizzle::none ? "" : find_name(swizzle_names, s); }
std::optional<Swizzle> parse_swizzle(std::string_view text) { return find_by_name(swizzle_names, text); }

std::int64_t signed_value(Scalar s) { return static_cast<std::int64_t>(int_value(s)); }

IntRange int_range(Type t) {
  const int w = bit_width(t);
  if (t == Type::boolean) return {0, 1};
  if (is_unsigned_int(t)) return {0, (Int128{1} << w) - 1};
  return {-(Int128{1} << (w - 1)), (Int128{1} << (w - 1)) - 1};
}

Int128 int_value(Scalar s) {
  const int w = bit_width(s.type);
  if (is_unsigned_int(s.type) || s.type == Type::boolean) return static_cast<Int128>(s.bits);
  const int shift = 64 - w;
  return static_cast<Int128>(static_cast<std::int64_t>(s.bits << shift) >> shift);
}

Scalar wrap_int(Type t, Int128 v) {
  const int w = bit_width(t);
  const auto bits = static_cast<std::uint64_t>(v);
  return {t, w >= 64 ? bits : bits & ((std::uint64_t{1} << w) - 1)};
}

}  // namespace assay
