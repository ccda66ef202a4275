// Checked linear arithmetic: merges of sorted term lists.
#include "proofs/native/linear.hpp"

#include <algorithm>
#include <numeric>

namespace assay::native {

std::int64_t Linear::coefficient(Var v) const {
  for (const Term& t : terms) {
    if (t.var == v) return t.coefficient;
  }
  return 0;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) throw Overflow{};
  return out;
}

std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) throw Overflow{};
  return out;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Linear combine(const Linear& a, std::int64_t ka, const Linear& b, std::int64_t kb) {
  Linear out;
  out.terms.reserve(a.terms.size() + b.terms.size());
  auto i = a.terms.begin();
  auto j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    const bool left = j == b.terms.end() || (i != a.terms.end() && i->var <= j->var);
    const bool right = i == a.terms.end() || (j != b.terms.end() && j->var <= i->var);
    const Var var = left ? i->var : j->var;
    std::int64_t c = 0;
    if (left) c = checked_mul(ka, i++->coefficient);
    if (right) c = checked_add(c, checked_mul(kb, j++->coefficient));
    if (c == INT64_MIN) throw Overflow{};  // so that coefficients can be negated
    if (c != 0) out.terms.push_back({var, c});
  }
  out.constant = checked_add(checked_mul(ka, a.constant), checked_mul(kb, b.constant));
  return out;
}

Linear scaled(const Linear& a, std::int64_t k) {
  if (k == 0) return {};
  Linear out = a;
  for (Term& t : out.terms) {
    t.coefficient = checked_mul(t.coefficient, k);
    if (t.coefficient == INT64_MIN) throw Overflow{};
  }
  out.constant = checked_mul(out.constant, k);
  return out;
}

Linear replaced(const Linear& e, Var v, const Linear& value) {
  const std::int64_t c = e.coefficient(v);
  if (c == 0) return e;
  Linear rest = e;
  rest.terms.erase(std::find_if(rest.terms.begin(), rest.terms.end(), [&](const Term& t) { return t.var == v; }));
  return combine(rest, 1, value, c);
}

RowState normalise(Row& row) {
  Linear& e = row.e;
  if (e.terms.empty()) {
    const bool holds = row.equality ? e.constant == 0 : e.constant >= 0;
    return holds ? RowState::trivial : RowState::contradiction;
  }
  std::uint64_t gcd = 0;
  for (const Term& t : e.terms) {
    const auto magnitude =
        t.coefficient < 0 ? 0 - static_cast<std::uint64_t>(t.coefficient) : static_cast<std::uint64_t>(t.coefficient);
    gcd = std::gcd(gcd, magnitude);
    if (gcd == 1) return RowState::proper;
  }
  if (gcd > INT64_MAX) throw Overflow{};
  const auto g = static_cast<std::int64_t>(gcd);
  if (row.equality && e.constant % g != 0) return RowState::contradiction;
  for (Term& t : e.terms) t.coefficient /= g;
  e.constant = floor_quotient(e.constant, g);
  return RowState::proper;
}

bool same_terms(const Linear& a, const Linear& b) { return a.terms == b.terms; }

bool opposite_terms(const Linear& a, const Linear& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), [](const Term& x, const Term& y) {
    return x.var == y.var && x.coefficient != INT64_MIN && -x.coefficient == y.coefficient;
  });
}

}  // namespace assay::native
