// Small pieces of C text shared by the emitters: operands with their precedence, index values, types, literals.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "codegen/c/helpers.hpp"
#include "ir/index.hpp"
#include "ir/type.hpp"

namespace assay::codegen {

/// How tightly a piece of C text binds; smaller binds tighter.
enum class Binding { primary, unary, product, sum, comparison, conjunction, disjunction, conditional };

struct Text {
  std::string s;
  Binding binding = Binding::primary;
};
/// The text, in parentheses unless it binds at least as tightly as `needed`.
std::string within(const Text& t, Binding needed);

/// The C type that holds a value of `t`: f16 and bf16 are their bits in uint16_t, the floats of 8 bits in uint8_t, bool is
/// uint8_t, index is int64_t, u32x4 is the struct of that name (runtime helper `u32x4`).
std::string_view c_type(Type t);
/// A literal that a C compiler reads back as exactly these bits (NaN as some NaN for f32 and f64).
Text c_literal(Scalar value);
/// An int64_t constant.
Text c_integer(std::int64_t value);
/// The text of a symbol, an identifier or another primary expression.
using SymbolText = std::function<std::string(const Symbol&)>;
Text c_index(const Index& e, const SymbolText& symbol, Helpers& helpers);

}  // namespace assay::codegen
