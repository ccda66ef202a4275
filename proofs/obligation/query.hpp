// The question that obligations, and transforms that fold guards, ask of an engine.
#pragma once

#include <map>
#include <string>

#include "proofs/obligation/formula.hpp"

namespace assay {

struct Answer {
  enum class Kind { empty, solution, unknown } kind = Kind::unknown;
  std::map<Symbol, std::int64_t> solution{};  // of the free symbols; smallest in `minimise_first` where stated
  std::string reason{};                       // why unknown: "operation quota", "int64", …
  std::string engine{};                       // which engine gave this answer: "native", "isl", "z3", …
};

class Query {
 public:
  virtual ~Query() = default;
  /// Does `f` have an integer solution? `minimise_first`: symbols to make small, in this order, in a solution.
  virtual Answer solve(const Formula& f, const std::vector<Symbol>& minimise_first = {}) = 0;
  /// Whether `f` holds whenever `facts` do; false when unknown.
  bool implied(const Formula& facts, const Formula& f) { return solve(facts & !f).kind == Answer::Kind::empty; }
};

}  // namespace assay
