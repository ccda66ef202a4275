// A query that decides by trying all values: slow, bounded, and independent of every engine.
#pragma once

#include "proofs/obligation/query.hpp"

namespace assay::test {

/// Answers only formulas whose top conjunction bounds each free symbol by inequalities in symbols tried before;
/// otherwise, and beyond 200,000 points, unknown.
class EnumeratingQuery final : public Query {
 public:
  Answer solve(const Formula& f, const std::vector<Symbol>& minimise_first = {}) override;
  int asked = 0;
  int unknown = 0;
};

}  // namespace assay::test
