// What one question to the native prover is about: its variables, its budget, and, for tests, a planted fault.
//
// Variables are numbered densely. A quotient variable q stands for floordiv(e, c), defined by 0 <= e − c·q < c; equal
// (e, c) share one variable, and floormod(e, c) is e − c·q. Definitions are total, so that adding one never loses a point.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/index.hpp"
#include "proofs/native/faults.hpp"
#include "proofs/native/linear.hpp"

namespace assay::native {

struct Variable {
  Linear dividend{};         // of a quotient
  std::int64_t divisor = 0;  // of a quotient; 0 for any other variable
  bool is_quotient() const { return divisor != 0; }
};

class Context : public Algebra {
 public:
  Context(std::uint64_t budget, Fault planted) : Algebra(budget), fault_(planted) {}

  bool planted(Fault f) const { return fault_ == f; }

  Var fresh() {
    variables_.emplace_back();
    return static_cast<Var>(variables_.size() - 1);
  }
  std::size_t size() const { return variables_.size(); }
  const Variable& variable(Var v) const { return variables_[static_cast<std::size_t>(v)]; }

  /// floordiv(e, c), c >= 1: what divides evenly is taken out, the rest becomes a quotient variable.
  Linear quotient(const Linear& e, std::int64_t c);
  /// The two rows that define a quotient variable.
  std::pair<Row, Row> definition(Var q);

 private:
  Fault fault_;
  std::vector<Variable> variables_;
};

}  // namespace assay::native
