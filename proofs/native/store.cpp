// Solved form, propagation and elimination; see the header.
#include "proofs/native/store.hpp"

#include <algorithm>

namespace assay::native {

namespace {
constexpr std::size_t most_rows = 4096;
constexpr int propagation_rounds = 4;
std::size_t at(Var v) { return static_cast<std::size_t>(v); }
}  // namespace

// A variable of this branch only: a change of variables.
Var Store::fresh() {
  solved_.push_back(-1);
  bounds_.emplace_back();
  return static_cast<Var>(solved_.size() - 1);
}

Linear Store::reduce(const Linear& e) const {
  Linear out = e;
  for (const Term& t : e.terms) {
    const std::int32_t place = solved_[at(t.var)];
    if (place < 0) continue;
    out = context_->combine(context_->without(out, t.var), 1, values_[static_cast<std::size_t>(place)], t.coefficient);
  }
  return out;
}

void Store::define(const Linear& e) {
  for (const Term& t : e.terms) {
    if (at(t.var) >= defined_.size() || defined_[at(t.var)] || !context_->variable(t.var).is_quotient()) continue;
    defined_[at(t.var)] = true;
    const auto [above, below] = context_->definition(t.var);
    define(context_->variable(t.var).dividend);
    queue_.push_back(above);
    queue_.push_back(below);
  }
}

void Store::assume(const Row& r) {
  define(r.e);
  queue_.push_back(r);
  drain();
}

void Store::drain() {
  while (!queue_.empty() && !closed_) {
    Row r = std::move(queue_.back());
    queue_.pop_back();
    add(std::move(r));
  }
  queue_.clear();
}

void Store::add(Row r) {
  context_->spend(r.e.terms.size() + 1);
  r.e = reduce(r.e);
  const std::int64_t before = r.e.constant;
  const bool shared_divisor = r.equality && !r.e.terms.empty() &&
                              std::none_of(r.e.terms.begin(), r.e.terms.end(),
                                           [](const Term& t) { return t.coefficient == 1 || t.coefficient == -1; });
  const std::int64_t first = r.e.terms.empty() ? 1 : r.e.terms[0].coefficient;
  switch (context_->normalise(r)) {
    case RowState::trivial: return;
    case RowState::contradiction: closed_ = true; return;
    case RowState::proper: break;
  }
  if (!r.equality && r.e.terms[0].coefficient != first) {  // a common divisor was taken out
    const std::int64_t g = first / r.e.terms[0].coefficient;
    if (context_->planted(Fault::tighten_upwards)) r.e.constant = -floor_quotient(-before, g);
    if (context_->planted(Fault::tighten_without_dividing)) r.e.constant = floor_quotient(before, g + 1);
  }
  if (shared_divisor && r.e.terms[0].coefficient != first && context_->planted(Fault::gcd_contradiction_always)) {
    closed_ = true;
    return;
  }
  if (r.equality) {
    solve(std::move(r.e));
  } else {
    insert(std::move(r));
  }
}

void Store::insert(Row r) {
  context_->spend(rows_.size() / 8 + 1);
  for (std::size_t i = 0; i < rows_.size();) {
    const Linear& e = rows_[i].e;
    const bool alike = e.terms.size() == r.e.terms.size() && e.terms[0].var == r.e.terms[0].var;
    if (alike && same_terms(e, r.e)) {  // the tighter of the two; both were compared with the opposite one
      r.e.constant = std::min(e.constant, r.e.constant);
      rows_[i] = std::move(rows_.back());
      rows_.pop_back();
      continue;
    }
    if (alike && opposite_terms(e, r.e)) {
      const std::int64_t slack = checked_add(e.constant, r.e.constant);
      if (slack < 0 || (slack == 0 && context_->planted(Fault::opposite_rows_strict))) {
        closed_ = true;
        return;
      }
      if (slack == 0) {
        rows_[i] = std::move(rows_.back());
        rows_.pop_back();
        queue_.push_back({std::move(r.e), true});
        return;
      }
    }
    ++i;
  }
  if (rows_.size() >= most_rows) throw Exhausted{"too many inequalities"};
  rows_.push_back(std::move(r));
}

void Store::solve(Linear e) {
  for (;;) {
    const Term* least = nullptr;
    for (const Term& t : e.terms) {
      // Later variables (quotients, inner loops) go first among equals.
      if (!least || std::abs(t.coefficient) <= std::abs(least->coefficient)) least = &t;
    }
    const Var v = least->var;
    const std::int64_t a = least->coefficient;
    if (a == 1 || a == -1) return replace(v, context_->scaled(context_->without(e, v), -a));
    // v = t − Σ (a_i div a)·x_i − (k div a): the equation becomes a·t + Σ (a_i mod a)·x_i + (k mod a) == 0.
    const Var t = fresh();
    std::vector<Term> terms;
    for (const Term& other : e.terms) {
      if (other.var != v && other.coefficient / a != 0) terms.push_back({other.var, -(other.coefficient / a)});
    }
    terms.push_back({t, 1});  // the latest variable comes last
    const Linear value = context_->make(terms, -(e.constant / a));
    e = context_->replaced(e, v, value);
    replace(v, value);
    if (e.terms.size() == 1) {  // a·t + k == 0 with |k| < |a|
      if (e.constant % e.terms[0].coefficient != 0) {
        closed_ = true;
        return;
      }
      return replace(e.terms[0].var, {{}, -(e.constant / e.terms[0].coefficient)});
    }
  }
}

void Store::replace(Var v, const Linear& value) {
  for (Linear& known : values_) {
    context_->spend(1);
    known = context_->replaced(known, v, value);
  }
  solved_[at(v)] = static_cast<std::int32_t>(values_.size());
  values_.push_back(value);
  for (std::size_t i = 0; i < rows_.size();) {
    context_->spend(1);
    if (rows_[i].e.coefficient(v) == 0) {
      ++i;
      continue;
    }
    queue_.push_back({context_->replaced(rows_[i].e, v, value), false});
    rows_[i] = std::move(rows_.back());
    rows_.pop_back();
  }
}

void Store::propagate() {
  if (closed_) return;
  bounds_.assign(solved_.size(), {});
  bool changed = true;
  for (int round = 0; changed && round < propagation_rounds; ++round) {
    changed = false;
    for (const Row& r : rows_) {
      context_->spend(r.e.terms.size());
      // The largest value of the sum, and how many of its terms have none.
      Int128 largest = r.e.constant;
      int open = 0;
      for (const Term& t : r.e.terms) {
        const Bound& b = bounds_[at(t.var)];
        if (t.coefficient > 0 ? b.has_hi() : b.has_lo()) {
          largest += Int128{t.coefficient} * (t.coefficient > 0 ? b.hi : b.lo);
        } else {
          ++open;
        }
      }
      if (open == 0 && largest < 0) {
        closed_ = true;
        return;
      }
      if (open > 1) continue;
      for (const Term& t : r.e.terms) {
        Bound& b = bounds_[at(t.var)];
        const bool up = t.coefficient > 0;
        Int128 others = largest;
        if (up ? b.has_hi() : b.has_lo()) {
          if (open == 1) continue;
          others -= Int128{t.coefficient} * (up ? b.hi : b.lo);
        }
        // coefficient · v >= −others
        const Int128 a = up ? t.coefficient : -Int128{t.coefficient};
        const Int128 quotient = others / a - (others % a < 0 ? 1 : 0);  // floor
        if (quotient >= INT64_MAX || quotient <= -Int128{INT64_MAX}) continue;
        const auto limit = static_cast<std::int64_t>(quotient);
        if (up) {
          const std::int64_t lo = -limit + (context_->planted(Fault::bounds_one_too_tight) ? 1 : 0);
          if (b.has_lo() && b.lo >= lo) continue;
          b.lo = lo;
        } else {
          if (b.has_hi() && b.hi <= limit) continue;
          b.hi = limit;
        }
        changed = true;
        if (b.has_lo() && b.has_hi() && b.lo > b.hi) {
          closed_ = true;
          return;
        }
      }
    }
  }
  for (std::size_t v = 0; v < bounds_.size(); ++v) {
    const Bound b = bounds_[v];
    if (!b.has_lo() || b.lo != b.hi || solved_[v] >= 0) continue;
    queue_.push_back({context_->term(static_cast<Var>(v), 1, checked_mul(b.lo, -1)), true});
  }
  drain();
}

Bound Store::bound_of(const Linear& e) const { return interval(reduce(e)); }

Bound Store::interval(const Linear& e) const {
  Int128 least = e.constant;
  Int128 largest = e.constant;
  bool has_least = true;
  bool has_largest = true;
  for (const Term& t : e.terms) {
    const Bound& b = bounds_[at(t.var)];
    const bool up = t.coefficient > 0;
    has_least = has_least && (up ? b.has_lo() : b.has_hi());
    has_largest = has_largest && (up ? b.has_hi() : b.has_lo());
    if (has_least) least += Int128{t.coefficient} * (up ? b.lo : b.hi);
    if (has_largest) largest += Int128{t.coefficient} * (up ? b.hi : b.lo);
  }
  Bound out;
  if (has_least && least > INT64_MIN) out.lo = static_cast<std::int64_t>(std::min<Int128>(least, INT64_MAX - 1));
  if (has_largest && largest < INT64_MAX) out.hi = static_cast<std::int64_t>(std::max<Int128>(largest, INT64_MIN + 1));
  return out;
}

Truth Store::status(const Row& r) const {
  Row here{reduce(r.e), r.equality};
  context_->spend(here.e.terms.size() + 1);
  switch (context_->normalise(here)) {
    case RowState::trivial: return Truth::yes;
    case RowState::contradiction: return Truth::no;
    case RowState::proper: break;
  }
  const Bound b = interval(here.e);
  if (b.has_hi() && b.hi < 0) return Truth::no;
  if (here.equality && b.has_lo() && b.lo > 0) return Truth::no;
  if (!here.equality && b.has_lo() && b.lo >= 0) return Truth::yes;
  for (const Row& known : rows_) {
    if (known.e.terms.size() != here.e.terms.size() || known.e.terms[0].var != here.e.terms[0].var) continue;
    if (same_terms(known.e, here.e)) {
      // e' >= −k' and the row wants e' >= −k, or e' == −k
      if (!here.equality && known.e.constant <= here.e.constant) return Truth::yes;
      if (here.equality && here.e.constant > known.e.constant) return Truth::no;
    } else if (opposite_terms(known.e, here.e)) {
      if (Int128{known.e.constant} + here.e.constant < 0) return Truth::no;
    }
  }
  return Truth::open;
}

Truth Store::status(const Tree& tree, NodeId n) const {
  const TreeNode& here = tree.node(n);
  switch (here.kind) {
    case TreeNode::Kind::truth: return Truth::yes;
    case TreeNode::Kind::falsity: return Truth::no;
    case TreeNode::Kind::row: return status(here.row);
    case TreeNode::Kind::all:
    case TreeNode::Kind::any: break;
  }
  const bool every = here.kind == TreeNode::Kind::all;
  Truth out = every ? Truth::yes : Truth::no;
  for (const NodeId p : here.parts) {
    const Truth t = status(tree, p);
    if (t == (every ? Truth::no : Truth::yes)) return t;
    if (t == Truth::open) out = Truth::open;
  }
  return out;
}

void Store::prune() {
  if (rows_.size() < 6) return;
  std::vector<Bound> own(solved_.size());
  for (const Row& r : rows_) {
    if (r.e.terms.size() != 1) continue;
    Bound& b = own[at(r.e.terms[0].var)];
    (r.e.terms[0].coefficient > 0 ? b.lo : b.hi) = checked_mul(r.e.constant, -r.e.terms[0].coefficient);
  }
  std::erase_if(rows_, [&](const Row& r) {
    if (r.e.terms.size() == 1) return false;
    context_->spend(r.e.terms.size());
    Int128 least = r.e.constant;
    for (const Term& t : r.e.terms) {
      const Bound& b = own[at(t.var)];
      if (t.coefficient > 0 ? !b.has_lo() : !b.has_hi()) return false;
      least += Int128{t.coefficient} * (t.coefficient > 0 ? b.lo : b.hi);
    }
    return least >= 0;
  });
}

void Store::eliminate(Var v, bool dark) {
  auto gone = std::make_shared<Eliminated>(Eliminated{v, {}, eliminated_});
  for (std::size_t i = 0; i < rows_.size();) {
    if (rows_[i].e.coefficient(v) == 0) {
      ++i;
      continue;
    }
    gone->rows.push_back(std::move(rows_[i]));
    rows_[i] = std::move(rows_.back());
    rows_.pop_back();
  }
  for (const Row& low : gone->rows) {
    const std::int64_t a = low.e.coefficient(v);
    if (a <= 0) continue;
    for (const Row& high : gone->rows) {
      if (high.e.coefficient(v) >= 0) continue;
      const std::int64_t b = -high.e.coefficient(v);
      Row shadow{context_->combine(low.e, b, high.e, a), false};
      if (dark) shadow.e.constant = checked_add(shadow.e.constant, checked_mul(-(a - 1), b - 1));
      queue_.push_back(std::move(shadow));
    }
  }
  eliminated_ = std::move(gone);
  drain();
}

std::int64_t Store::value(Var v, std::vector<std::optional<std::int64_t>>& known) const {
  if (known[at(v)]) return *known[at(v)];
  std::int64_t out = 0;
  if (solved_[at(v)] >= 0) {
    out = evaluate(values_[static_cast<std::size_t>(solved_[at(v)])], known);
  } else if (at(v) < defined_.size() && !defined_[at(v)] && context_->variable(v).is_quotient()) {
    const Variable& variable = context_->variable(v);
    // A quotient that no row mentions has its defined value; one that the rows define and leave open is free.
    out = floor_quotient(evaluate(variable.dividend, known), variable.divisor);
  }
  known[at(v)] = out;
  return out;
}

std::int64_t Store::evaluate(const Linear& e, std::vector<std::optional<std::int64_t>>& known) const {
  std::int64_t sum = e.constant;
  for (const Term& t : e.terms) sum = checked_add(sum, checked_mul(t.coefficient, value(t.var, known)));
  return sum;
}

std::optional<Model> Store::model() const {
  std::vector<std::optional<std::int64_t>> known(solved_.size());
  for (const Eliminated* e = eliminated_.get(); e; e = e->earlier.get()) {
    std::optional<std::int64_t> lo;
    std::optional<std::int64_t> hi;
    for (const Row& r : e->rows) {
      const std::int64_t a = r.e.coefficient(e->v);
      const std::int64_t others = evaluate(context_->without(r.e, e->v), known);
      context_->spend(r.e.terms.size());
      if (a > 0) {  // v >= ceil(−others / a)
        const std::int64_t limit = checked_mul(floor_quotient(others, a), -1);
        lo = lo ? std::max(*lo, limit) : limit;
      } else {
        const std::int64_t limit = floor_quotient(others, -a);
        hi = hi ? std::min(*hi, limit) : limit;
      }
    }
    if (lo && hi && *lo > *hi) return std::nullopt;
    known[at(e->v)] = lo ? *lo : hi ? *hi : 0;
  }
  Model out(solved_.size());
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = value(static_cast<Var>(v), known);
  return out;
}

}  // namespace assay::native
