// Rewrite rules on scalars as data.
//
// A law says: at every value of its variables that meets its condition, both sides give the same value (NaN is one
// value) or fault alike. Each row of the table claims at which types that is true and at which it is not; the laws
// that are not are kept on purpose: they are what a simplifier must never do (LAW-3). Whether a row is right is decided
// elsewhere: by running both sides (interp/laws.hpp) and by proofs (tests/rules).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "ir/expr.hpp"

namespace assay::laws {

/// A set of storage types.
class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (const Type t : types) bits_ |= bit(t);
  }
  constexpr bool contains(Type t) const { return (bits_ & bit(t)) != 0; }
  constexpr TypeSet operator|(TypeSet other) const { return TypeSet(bits_ | other.bits_); }
  constexpr TypeSet operator-(TypeSet other) const { return TypeSet(bits_ & ~other.bits_); }
  constexpr TypeSet operator&(TypeSet other) const { return TypeSet(bits_ & other.bits_); }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  explicit constexpr TypeSet(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(Type t) { return std::uint32_t{1} << static_cast<unsigned>(t); }
  std::uint32_t bits_ = 0;
};

/// The two sides at one type, over variables named x, y, z (of that type unless the law says otherwise) and c (bool).
struct Sides {
  Expr left{}, right{};
  Expr condition{};  // bool; empty: always
};

struct Law {
  std::string_view rule;  // the rule of spec/numerics.md that it belongs to
  std::string_view name;  // unique, kebab-case
  TypeSet exact{};        // types at which it holds, with a proof (LAW-20) …
  TypeSet refuted{};      // … and not to hold; at the others it cannot be written or is not claimed
  Sides (*sides)(Type){};
};

/// The table. Names are unique.
std::span<const Law> all_laws();
const Law* find_law(std::string_view name);

/// "x * 0.0 = 0.0", or "… where CONDITION".
std::string text(const Sides& s);

}  // namespace assay::laws
