// Formulas as SMT-LIB 2 text: what the solvers Z3 and cvc5 are given, and what `--dump` writes.
//
// The text is a function of the formula alone. Integers are mathematical ones. A floordiv or floormod by a constant becomes
// a quotient q with c*q <= e < c*q + c, never `div` or `mod`; minima and maxima become `ite`; a product is `*`. An `exists`
// in positive position becomes free constants; one below a negation stays a quantifier.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "proofs/obligation/formula.hpp"

namespace assay::smtlib {

struct Script {
  std::string logic{};  // "QF_LIA", "QF_NIA", "LIA" or "NIA"
  std::string body{};   // declarations and assertions
  bool nonlinear = false, quantified = false;
  /// Without its positive `exists`, whose variables are free symbols now. What a solver's values are checked against.
  Formula formula{};
  std::vector<Symbol> symbols{};  // the free symbols, each declared under quoted(symbol)

  /// A whole file: the logic, the body and (check-sat).
  std::string text() const;
};

Script script(const Formula& f);
/// The SMT-LIB name of a symbol: `|i'1|`.
std::string quoted(const Symbol& s);

}  // namespace assay::smtlib
