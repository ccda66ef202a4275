// Formulas over integers: the engine-independent language of obligations.
//
// A Formula is a tree of conditions `e >= 0`, `e == 0` and `e == a * b` on Index values, joined by and, or, not and exists.
// Free symbols are integer variables; parameters are variables too. Construction folds constants. An obligation says that a
// violation formula has no solution; an engine answers with "none", a solution, or "don't know". Engines of linear
// arithmetic see products through proofs/obligation/products.hpp.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/program.hpp"

namespace assay {

class Formula {
 public:
  enum class Kind : std::uint8_t { truth, falsity, nonneg, zero, product, conjunction, disjunction, negation, exists };

  Formula() : Formula(truth()) {}
  static Formula truth();
  static Formula falsity();
  static Formula nonneg(Index e);  // e >= 0
  static Formula zero(Index e);    // e == 0
  /// e == a * b; linear again as soon as a factor is constant.
  static Formula product(Index e, Index a, Index b);
  static Formula all(std::vector<Formula> parts);
  static Formula any(std::vector<Formula> parts);
  static Formula exists(std::vector<Symbol> variables, Formula body);
  Formula operator!() const;
  Formula operator&(const Formula& o) const { return all({*this, o}); }
  Formula operator|(const Formula& o) const { return any({*this, o}); }

  static Formula le(const Index& a, const Index& b) { return nonneg(b - a); }
  static Formula lt(const Index& a, const Index& b) { return nonneg(b - a - 1); }
  static Formula eq(const Index& a, const Index& b) { return zero(a - b); }
  static Formula ne(const Index& a, const Index& b) { return !zero(a - b); }

  Kind kind() const;
  const Index& expression() const;                 // nonneg, zero, product
  const std::pair<Index, Index>& factors() const;  // product
  const std::vector<Formula>& parts() const;       // conjunction, disjunction, negation (one), exists (one)
  const std::vector<Symbol>& variables() const;    // exists
  bool is_true() const { return kind() == Kind::truth; }
  bool is_false() const { return kind() == Kind::falsity; }

  Formula substitute(const std::map<Symbol, Index>& map) const;
  bool has_products() const;
  void collect_free(std::set<Symbol>& into) const;
  /// For people and dumps: `i >= 0 && (j == 3 || …)`.
  std::string text() const;

 private:
  struct Node;
  explicit Formula(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// lo <= symbol < hi, and the step's congruence.
Formula loop_domain(const Stmt& loop);
/// The parameter ranges and requirements of a program (what every verdict may assume).
Formula parameter_domain(const Program& p);
/// a `comparison` b, for one of == != < <= > >=.
Formula compared(Op comparison, const Index& a, const Index& b);
/// A bool expression built from comparisons of Index values, literals, && || ! and choices of such: as a formula. Nothing
/// for any other condition (one that reads data).
std::optional<Formula> affine_condition(const Expr& condition);

}  // namespace assay
