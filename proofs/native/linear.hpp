// Linear expressions and rows over dense integer variables, in checked 64-bit arithmetic: what the native prover computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace assay::native {

/// A number left 64 bits. Never leaves the engine: its entry turns it into the answer "unknown".
struct Overflow {};
/// The operation budget or a cap was reached; likewise.
struct Exhausted {
  const char* what;
};

using Var = std::int32_t;

struct Term {
  Var var = 0;
  std::int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

/// Σ coefficient · var + constant; terms sorted by variable, coefficients nonzero and not INT64_MIN. A value that refers to
/// terms in an arena: cheap to copy, valid as long as the Algebra that made it.
struct Linear {
  std::span<const Term> terms{};
  std::int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  std::int64_t coefficient(Var v) const {
    for (const Term& t : terms) {
      if (t.var == v) return t.coefficient;
    }
    return 0;
  }
};

/// The same value plus `k`.
Linear plus(Linear e, std::int64_t k);

std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_mul(std::int64_t a, std::int64_t b);
std::int64_t floor_quotient(std::int64_t a, std::int64_t b);  // b > 0

/// e >= 0, or e == 0.
struct Row {
  Linear e{};
  bool equality = false;
};

enum class RowState { proper, trivial, contradiction };
/// a and b have the same terms, or those of b are those of a negated.
bool same_terms(const Linear& a, const Linear& b);
bool opposite_terms(const Linear& a, const Linear& b);

/// Arithmetic with linear expressions: owns their terms and counts the work.
class Algebra {
 public:
  /// `budget`: the number of terms that may be handled; then Exhausted is thrown.
  explicit Algebra(std::uint64_t budget) : left_(budget) {}
  Algebra(const Algebra&) = delete;
  Algebra& operator=(const Algebra&) = delete;

  void spend(std::size_t units) {
    if (units > left_) throw Exhausted{"native operation budget reached"};
    left_ -= units;
  }

  Linear term(Var v, std::int64_t coefficient = 1, std::int64_t constant = 0);
  Linear make(std::span<const Term> terms, std::int64_t constant);
  /// ka · a + kb · b
  Linear combine(const Linear& a, std::int64_t ka, const Linear& b, std::int64_t kb);
  Linear scaled(const Linear& a, std::int64_t k);
  Linear without(const Linear& e, Var v);
  /// `e` with `v` replaced by `value` (which does not mention v).
  Linear replaced(const Linear& e, Var v, const Linear& value);
  /// Divides by the gcd of the coefficients: an equality whose constant it does not divide is a contradiction, the constant
  /// of an inequality is rounded down (integer tightening).
  RowState normalise(Row& row);

 private:
  Term* allocate(std::size_t n);
  void give_back(std::size_t n) { used_ -= n; }

  std::uint64_t left_;
  std::vector<std::unique_ptr<Term[]>> blocks_;
  std::size_t used_ = 0, capacity_ = 0;  // of the last block
};

}  // namespace assay::native
