// Random formulas for comparing engines, and their value at a point.
#pragma once

#include <cstdint>

#include "proofs/obligation/formula.hpp"

namespace assay::test {

/// A small, portable generator of numbers: one seed, one sequence of formulas on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::int64_t between(std::int64_t lo, std::int64_t hi);  // both inclusive
  bool chance(int percent) { return between(0, 99) < percent; }

 private:
  std::uint64_t state_;
};

/// Any formula over a, b, c: every kind of atom, nested; and, or, not; exists over a variable in 0..3.
Formula random_boxed_formula(Dice& dice);
/// Like obligations: loops with parameters, strides and tiles, an equation of two cells, an order. Also unbounded variables,
/// exists without bounds, equalities without unit coefficients.
Formula random_open_formula(Dice& dice);

}  // namespace assay::test
