// Text equality under a claim: the new statement must be the old one with its loop symbols replaced by the iteration map.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// Compares texts of one pair (source instance, new instance). Two liberties, each of which yields a condition to prove:
/// index values may differ in form, and a condition that is constant where it stands may have been folded away.
class Comparison {
 public:
  /// `variables` maps the new program's variables to the old ones; with `collect` set, unknown pairs are entered, not refused.
  Comparison(const Instance& source, const Instance& now, std::map<Symbol, Symbol>& variables, bool collect)
      : source_(source), now_(now), variables_(variables), collect_(collect) {}

  bool same_statement();
  /// Formulas over the new instance's symbols that must have no solution within its domain.
  const std::vector<Formula>& index_violations() const { return index_violations_; }
  const std::vector<Formula>& fold_violations() const { return fold_violations_; }
  /// A choice by data was taken for one of its arms, which no formula allows.
  bool folds_data() const { return folds_data_; }
  /// What did not match, for people.
  const std::string& mismatch() const { return mismatch_; }

 private:
  bool same(const Expr& before, const Expr& after, const Formula& context);
  bool same_list(const std::vector<Expr>& before, const std::vector<Expr>& after, const Formula& context);
  bool folded(const Expr& before, const Expr& after, const Formula& context);
  bool same_guards();
  bool same_variable(const Symbol& before, const Symbol& after);
  bool differ(std::string what);

  const Instance& source_;
  const Instance& now_;
  std::map<Symbol, Symbol>& variables_;
  bool collect_;
  bool folds_data_ = false;
  std::vector<Formula> index_violations_, fold_violations_;
  std::string mismatch_;
};

}  // namespace assay::derive
