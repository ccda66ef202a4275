// Text equality for steps that move values to other storage: the new statement computes what its source computes from what
// it reads, wherever it reads it, and stores the result, wherever it stores it. Where these values come from, and who sees
// the result, is the matter of the flow obligations.
#pragma once

#include <string>
#include <vector>

#include "proofs/validate/instance.hpp"

namespace assay::derive {

class FlowText {
 public:
  FlowText(const Instance& source, const Instance& now) : source_(source), now_(now) {}
  /// Loads, variables and the target may differ in storage and cell. A storage of a wider type is read through a narrowing
  /// and written through a widening that lose nothing. Afterwards accesses of the two nodes correspond one to one, in order.
  bool same_statement();
  /// Formulas over the new instance's symbols that must have no solution within its domain: index values that differ.
  const std::vector<Formula>& index_violations() const { return index_violations_; }
  const std::string& mismatch() const { return mismatch_; }
  /// The statement is an accumulation that goes on in a wider type: its value is rounded elsewhere than its source's.
  bool rounds() const { return rounds_; }

 private:
  bool same(const Expr& before, const Expr& after);
  bool same_list(const std::vector<Expr>& before, const std::vector<Expr>& after);
  bool same_target();
  bool widened(const Expr& before, const Expr& after, Type wide);
  bool widened_term(const Expr& before, const Expr& after, Type wide);
  bool differ(std::string what);

  const Instance& source_;
  const Instance& now_;
  std::vector<Formula> index_violations_;
  std::string mismatch_;
  bool rounds_ = false;
};

/// A load at index values only, or a variable: what a flow step may redirect.
bool is_plain_read(const Expr& e);

}  // namespace assay::derive
