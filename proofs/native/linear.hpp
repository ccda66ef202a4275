// Linear expressions and rows over dense integer variables, in checked 64-bit arithmetic: what the native prover computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::native {

/// A number left 64 bits. Never leaves the engine: its entry turns it into the answer "unknown".
struct Overflow {};
/// The operation budget or a cap was reached; likewise.
struct Exhausted {
  const char* what;
};

/// What the engine may still do, in units of one term handled.
class Meter {
 public:
  explicit Meter(std::uint64_t budget) : left_(budget) {}
  void spend(std::size_t units) {
    if (units > left_) throw Exhausted{"native operation budget reached"};
    left_ -= units;
  }

 private:
  std::uint64_t left_;
};

using Var = std::int32_t;

struct Term {
  Var var = 0;
  std::int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

/// Σ coefficient · var + constant; terms sorted by variable, coefficients nonzero.
struct Linear {
  std::vector<Term> terms{};
  std::int64_t constant = 0;

  static Linear variable(Var v) { return {{{v, 1}}, 0}; }
  bool is_constant() const { return terms.empty(); }
  std::int64_t coefficient(Var v) const;
  bool operator==(const Linear&) const = default;
};

std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_mul(std::int64_t a, std::int64_t b);
std::int64_t floor_quotient(std::int64_t a, std::int64_t b);  // b > 0

/// ka · a + kb · b
Linear combine(const Linear& a, std::int64_t ka, const Linear& b, std::int64_t kb);
Linear scaled(const Linear& a, std::int64_t k);
/// `e` with `v` replaced by `value` (which does not mention v).
Linear replaced(const Linear& e, Var v, const Linear& value);

/// e >= 0, or e == 0.
struct Row {
  Linear e{};
  bool equality = false;
  bool operator==(const Row&) const = default;
};

enum class RowState { proper, trivial, contradiction };
/// Divides by the gcd of the coefficients: an equality whose constant it does not divide is a contradiction, the constant of
/// an inequality is rounded down (integer tightening).
RowState normalise(Row& row);

/// a and b have the same terms, or those of b are those of a negated.
bool same_terms(const Linear& a, const Linear& b);
bool opposite_terms(const Linear& a, const Linear& b);

}  // namespace assay::native
