// Index values: canonical quasi-affine integer expressions over symbols (loop symbols and parameters).
//
// An Index is  constant + Σ coefficient · atom.  An atom is a symbol, floordiv(e, c), floormod(e, c) with c > 0, or the
// minimum or maximum of several Index values. Construction is canonical: terms are coalesced and sorted, zero terms are
// dropped, multiples of the divisor leave a floordiv and disappear from a floormod (coefficients keep their sign, so that
// ceildiv(e, c) stays -floordiv(-e, c)), constants fold. So structural
// equality is the equality that the rest of the code may rely on (it is sufficient, not necessary, for equal values).
// Arithmetic is checked: an Index whose construction overflowed int64 is `overflowed()`, and so is all that is built of it.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// A loop symbol, a parameter or a variable: its name, unique among the binders of a program.
using Symbol = std::string;

class Index;
struct IndexAtom;
using IndexTerm = std::pair<std::shared_ptr<const IndexAtom>, std::int64_t>;

class Index {
 public:
  Index() = default;
  Index(std::int64_t constant) : constant_(constant) {}  // NOLINT: an integer is an index value
  static Index symbol(Symbol s);

  std::int64_t constant() const { return constant_; }
  const std::vector<IndexTerm>& terms() const { return terms_; }
  bool is_constant() const { return terms_.empty() && !overflowed_; }
  /// The symbol, when the whole value is one bare symbol.
  const Symbol* as_symbol() const;
  bool overflowed() const { return overflowed_; }

  Index operator+(const Index& other) const;
  Index operator-(const Index& other) const;
  Index operator-() const { return *this * -1; }
  Index operator*(std::int64_t factor) const;
  friend Index floordiv(const Index& e, std::int64_t divisor);
  friend Index floormod(const Index& e, std::int64_t divisor);
  friend Index ceildiv(const Index& e, std::int64_t divisor);
  friend Index min(const std::vector<Index>& args);
  friend Index max(const std::vector<Index>& args);

  /// Total structural order; 0 exactly for equal values.
  int compare(const Index& other) const;
  bool operator==(const Index& other) const { return compare(other) == 0; }
  bool operator<(const Index& other) const { return compare(other) < 0; }

  void collect_symbols(std::set<Symbol>& into) const;
  bool mentions(const Symbol& s) const;
  /// Replaces symbols; those that the map lacks stay.
  Index substitute(const std::map<Symbol, Index>& map) const;
  /// The mathematical value, or nothing when a symbol has no value or an Index subterm leaves int64 (IDX-2).
  std::optional<std::int64_t> evaluate(const std::function<std::optional<std::int64_t>(const Symbol&)>& value) const;
  /// The text form of the language.
  std::string text() const;
  struct Finisher;  // ir/index.cpp: turns checked sums into values

 private:
  static Index of_atom(IndexAtom atom);
  static Index sum(const Index& a, const Index& b, std::int64_t sign);
  std::int64_t constant_ = 0;
  bool overflowed_ = false;
  std::vector<IndexTerm> terms_;  // sorted by atom, coefficients nonzero
};

struct IndexAtom {
  enum class Kind : std::uint8_t { symbol, floordiv, floormod, min, max };
  Kind kind = Kind::symbol;
  Symbol symbol{};            // kind symbol
  std::vector<Index> args{};  // one for floordiv and floormod, at least two (sorted, distinct) for min and max
  std::int64_t divisor = 1;   // floordiv, floormod: at least 2
  int compare(const IndexAtom& other) const;
};

Index floordiv(const Index& e, std::int64_t divisor);
Index floormod(const Index& e, std::int64_t divisor);
Index ceildiv(const Index& e, std::int64_t divisor);
Index min(const std::vector<Index>& args);
Index max(const std::vector<Index>& args);

/// Mathematical floor division and its remainder for a positive divisor.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  return a % b < 0 ? a % b + b : a % b;
}  // floor_div(a, b) * b may leave int64

}  // namespace assay
