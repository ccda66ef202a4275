// Literals, index values and parentheses.
#include "codegen/c/text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ir/literal.hpp"

namespace assay::codegen {

std::string within(const Text& t, Binding needed) { return t.binding <= needed ? t.s : "(" + t.s + ")"; }

std::string_view c_type(Type t) {
  switch (t) {
    case Type::boolean: return "uint8_t";
    case Type::f64: return "double";
    case Type::f32: return "float";
    case Type::f16:
    case Type::bf16:
    case Type::u16: return "uint16_t";
    case Type::f8e5m2:
    case Type::f8e4m3fn: return "uint8_t";
    case Type::i8: return "int8_t";
    case Type::i16: return "int16_t";
    case Type::i32: return "int32_t";
    case Type::u8: return "uint8_t";
    case Type::u32: return "uint32_t";
    case Type::u64: return "uint64_t";
    case Type::u32x4: return "u32x4";
    case Type::index:
    case Type::i64: return "int64_t";
  }
  return "int64_t";
}

namespace {

// A finite double: in decimal when a few digits are exact, else as a hexadecimal float.
std::string finite(double value) {
  const bool short_decimal = std::fabs(value) < 1e6 && std::fabs(value * 64) == std::floor(std::fabs(value * 64));
  if (!short_decimal) return fmt::format("{:a}", value);
  const std::string digits = fmt::format("{}", value);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

Text wide_float(double value, std::string_view suffix) {
  if (std::isnan(value)) return {"NAN", Binding::primary};
  const Binding binding = std::signbit(value) ? Binding::unary : Binding::primary;
  if (std::isinf(value)) return {value < 0 ? "-INFINITY" : "INFINITY", binding};
  return {finite(value) + std::string(suffix), binding};
}

}  // namespace

Text c_integer(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return {"(-INT64_C(9223372036854775807) - 1)"};
  const bool fits_int =
      value >= -std::numeric_limits<std::int32_t>::max() && value <= std::numeric_limits<std::int32_t>::max();
  return {fits_int ? fmt::format("{}", value)
                   : fmt::format("{}INT64_C({})", value < 0 ? "-" : "", value < 0 ? -value : value),
          value < 0 ? Binding::unary : Binding::primary};
}

Text c_literal(Scalar value) {
  switch (value.type) {
    case Type::boolean: return {value.bits != 0 ? "1" : "0"};
    case Type::f64: return wide_float(std::bit_cast<double>(value.bits), "");
    case Type::f32: return wide_float(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)), "f");
    case Type::f16:
    case Type::bf16: return {fmt::format("0x{:04x} /* {} */", value.bits, to_text(value))};
    case Type::f8e5m2:
    case Type::f8e4m3fn: return {fmt::format("0x{:02x} /* {} */", value.bits, to_text(value))};
    case Type::u64: return {fmt::format("UINT64_C({})", value.bits)};
    case Type::u32: return {fmt::format("{}u", value.bits)};
    case Type::i32: {
      const std::int64_t v = signed_value(value);
      if (v == std::numeric_limits<std::int32_t>::min()) return {"(-2147483647 - 1)"};
      return c_integer(v);
    }
    default: return c_integer(signed_value(value));
  }
}

namespace {

Text atom_text(const IndexAtom& a, const SymbolText& symbol, Helpers& helpers) {
  if (a.kind == IndexAtom::Kind::symbol) return {symbol(a.symbol)};
  const bool division = a.kind == IndexAtom::Kind::floordiv || a.kind == IndexAtom::Kind::floormod;
  std::string_view call = "index_max";
  if (a.kind == IndexAtom::Kind::min) call = "index_min";
  if (a.kind == IndexAtom::Kind::floordiv) call = "index_floordiv";
  if (a.kind == IndexAtom::Kind::floormod) call = "index_floormod";
  helpers.use(call);
  std::string s = c_index(a.args.front(), symbol, helpers).s;
  if (division) return {fmt::format("{}({}, {})", call, s, c_integer(a.divisor).s)};
  for (std::size_t i = 1; i < a.args.size(); ++i)
    s = fmt::format("{}({}, {})", call, s, c_index(a.args[i], symbol, helpers).s);
  return {s};
}

}  // namespace

Text c_index(const Index& e, const SymbolText& symbol, Helpers& helpers) {
  if (e.terms().empty()) return c_integer(e.constant());
  Text sum;
  for (const auto& [atom, coefficient] : e.terms()) {
    const Text value = atom_text(*atom, symbol, helpers);
    // The sign of a coefficient becomes that of the sum; the least int64 has no positive counterpart.
    const bool minus = coefficient < 0 && coefficient != std::numeric_limits<std::int64_t>::min();
    const std::int64_t factor = minus ? -coefficient : coefficient;
    Text term = factor == 1 ? value
                            : Text{within(value, Binding::unary) + " * " + within(c_integer(factor), Binding::unary),
                                   Binding::product};
    if (sum.s.empty()) {
      if (minus && factor == 1) {
        sum = {"-" + within(term, Binding::primary), Binding::unary};
      } else if (minus) {
        sum = {within(value, Binding::unary) + " * " + within(c_integer(coefficient), Binding::unary),
               Binding::product};
      } else {
        sum = std::move(term);
      }
    } else {
      sum = {sum.s + (minus ? " - " : " + ") + within(term, Binding::product), Binding::sum};
    }
  }
  const std::int64_t c = e.constant();
  if (c == 0) return sum;
  const bool minus = c < 0 && c != std::numeric_limits<std::int64_t>::min();
  return {sum.s + (minus ? " - " : " + ") + within(c_integer(minus ? -c : c), Binding::primary), Binding::sum};
}

}  // namespace assay::codegen
