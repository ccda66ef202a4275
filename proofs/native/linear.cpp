// Checked linear arithmetic: merges of sorted term lists into an arena.
#include "proofs/native/linear.hpp"

#include <algorithm>

#include "ir/common_divisor.hpp"

namespace assay::native {

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

Linear plus(Linear e, std::int64_t k) {
  e.constant = checked_add(e.constant, k);
  return e;
}

bool same_terms(const Linear& a, const Linear& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end());
}

bool opposite_terms(const Linear& a, const Linear& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const Term& x, const Term& y) { return x.var == y.var && -x.coefficient == y.coefficient; });
}

Term* Algebra::allocate(std::size_t n) {
  if (blocks_.empty() || capacity_ - used_ < n) {
    capacity_ = std::max<std::size_t>(n, blocks_.empty() ? 1024 : 16384);
    blocks_.push_back(std::make_unique_for_overwrite<Term[]>(capacity_));
    used_ = 0;
  }
  used_ += n;
  return blocks_.back().get() + (used_ - n);
}

Linear Algebra::make(std::span<const Term> terms, std::int64_t constant) {
  Term* to = allocate(terms.size());
  std::copy(terms.begin(), terms.end(), to);
  return {{to, terms.size()}, constant};
}

Linear Algebra::term(Var v, std::int64_t coefficient, std::int64_t constant) {
  Term* to = allocate(1);
  *to = {v, coefficient};
  return {{to, 1}, constant};
}

Linear Algebra::combine(const Linear& a, std::int64_t ka, const Linear& b, std::int64_t kb) {
  const std::size_t most = a.terms.size() + b.terms.size();
  spend(most + 1);
  Term* const out = allocate(most);
  Term* to = out;
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
    if (c != 0) *to++ = {var, c};
  }
  const auto size = static_cast<std::size_t>(to - out);
  give_back(most - size);
  return {{out, size}, checked_add(checked_mul(ka, a.constant), checked_mul(kb, b.constant))};
}

Linear Algebra::scaled(const Linear& a, std::int64_t k) {
  if (k == 0) return {};
  if (k == 1) return a;
  return combine(a, k, {}, 0);
}

Linear Algebra::without(const Linear& e, Var v) {
  Term* const out = allocate(e.terms.size());
  Term* const end = std::copy_if(e.terms.begin(), e.terms.end(), out, [&](const Term& t) { return t.var != v; });
  const auto size = static_cast<std::size_t>(end - out);
  give_back(e.terms.size() - size);
  return {{out, size}, e.constant};
}

Linear Algebra::replaced(const Linear& e, Var v, const Linear& value) {
  const std::int64_t c = e.coefficient(v);
  if (c == 0) return e;
  return combine(without(e, v), 1, value, c);
}

RowState Algebra::normalise(Row& row) {
  Linear& e = row.e;
  if (e.terms.empty()) {
    const bool holds = row.equality ? e.constant == 0 : e.constant >= 0;
    return holds ? RowState::trivial : RowState::contradiction;
  }
  std::int64_t g = 0;
  for (const Term& t : e.terms) {
    g = common_divisor(g, t.coefficient);
    if (g == 1) return RowState::proper;
  }
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no coefficient is zero
  if (row.equality && e.constant % g != 0) return RowState::contradiction;
  Term* const out = allocate(e.terms.size());
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  std::transform(e.terms.begin(), e.terms.end(), out, [&](const Term& t) { return Term{t.var, t.coefficient / g}; });
  e = {{out, e.terms.size()}, floor_quotient(e.constant, g)};
  return RowState::proper;
}

}  // namespace assay::native
