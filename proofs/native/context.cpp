// Quotient variables and their definitions.
#include "proofs/native/context.hpp"

namespace assay::native {

Linear Context::quotient(const Linear& e, std::int64_t c) {
  if (c == 1) return e;
  spend(e.terms.size() + 1);
  std::vector<Term> whole;
  std::vector<Term> rest;
  for (const Term& t : e.terms) {
    if (t.coefficient % c == 0) {
      whole.push_back({t.var, t.coefficient / c});
    } else {
      rest.push_back(t);
    }
  }
  const std::int64_t constant = floor_quotient(e.constant, c);
  const Linear quotient = make(whole, constant);
  if (rest.empty()) return quotient;
  const Linear dividend = make(rest, e.constant - constant * c);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Variable& known = variables_[v];
    if (known.divisor == c && known.dividend.constant == dividend.constant && same_terms(known.dividend, dividend))
      return combine(quotient, 1, term(static_cast<Var>(v)), 1);
  }
  const Var q = fresh();
  variables_.back() = {dividend, c};
  return combine(quotient, 1, term(q), 1);
}

std::pair<Row, Row> Context::definition(Var q) {
  const Variable& v = variable(q);
  const std::int64_t largest = planted(Fault::remainder_may_reach_divisor) ? v.divisor : v.divisor - 1;
  const Linear remainder = combine(v.dividend, 1, term(q), -v.divisor);
  return {{remainder, false}, {plus(scaled(remainder, -1), largest), false}};
}

}  // namespace assay::native
