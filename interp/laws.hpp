// Rewrite rules on scalars as data, and a checker that decides by running both sides whether a rule is bit-exact at a
// type.
//
// A law says: at every value of its variables that meets its condition, both sides give the same value (NaN is one
// value) or fault alike. Each row of the table claims at which types that is true and at which it is not; the laws
// that are not are kept on purpose: they are what a simplifier must never do (LAW-3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  TypeSet exact{};        // types at which it is claimed to hold …
  TypeSet refuted{};      // … and not to hold; at the others it cannot be written or is not claimed
  Sides (*sides)(Type){};
};

/// The table. Names are unique.
std::span<const Law> all_laws();
const Law* find_law(std::string_view name);

/// "x * 0.0 = 0.0", or "… where CONDITION".
std::string text(const Sides& s);

/// The value of one side: nothing when it faults (an integer division by zero).
using Value = std::optional<Scalar>;

struct Finding {
  enum class Verdict { holds, refuted, vacuous } verdict = Verdict::vacuous;  // vacuous: no case met the condition
  bool exhaustive = false;                                                    // every value of every variable was tried
  std::uint64_t cases = 0;                                                    // that met the condition
  // Refuted: the first case that differs.
  std::vector<std::pair<Symbol, Scalar>> witness{};
  Value left{}, right{};
};

/// Tries all values where there are at most `budget` cases, otherwise telling values of each type against one
/// another, all values of a 16-bit variable against telling ones, and random and related ones, up to about as many.
/// Deterministic. Both sides must be expressions of operations, literals and variables (no loads, no scopes).
Finding check_law(const Sides& sides, std::uint64_t budget = std::uint64_t{1} << 18);

}  // namespace assay::laws
