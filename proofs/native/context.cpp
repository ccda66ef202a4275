// Quotient variables and their definitions.
#include "proofs/native/context.hpp"

namespace assay::native {

Linear Context::quotient(const Linear& e, std::int64_t c) {
  if (c == 1) return e;
  meter.spend(e.terms.size() + 1);
  Linear whole;
  Linear rest;
  for (const Term& t : e.terms) {
    if (t.coefficient % c == 0) {
      whole.terms.push_back({t.var, t.coefficient / c});
    } else {
      rest.terms.push_back(t);
    }
  }
  whole.constant = floor_quotient(e.constant, c);
  rest.constant = e.constant - whole.constant * c;
  if (rest.is_constant()) return whole;
  for (Var v = 0; v < static_cast<Var>(variables_.size()); ++v) {
    const Variable& known = variables_[static_cast<std::size_t>(v)];
    if (known.divisor == c && known.dividend == rest) return combine(whole, 1, Linear::variable(v), 1);
  }
  const Var q = fresh();
  variables_.back() = {std::move(rest), c};
  return combine(whole, 1, Linear::variable(q), 1);
}

std::pair<Row, Row> Context::definition(Var q) const {
  const Variable& v = variable(q);
  const std::int64_t largest = planted(Fault::remainder_may_reach_divisor) ? v.divisor : v.divisor - 1;
  Row above{combine(v.dividend, 1, Linear::variable(q), -v.divisor), false};
  Row below{scaled(above.e, -1), false};
  below.e.constant = checked_add(below.e.constant, largest);
  return {std::move(above), std::move(below)};
}

}  // namespace assay::native
