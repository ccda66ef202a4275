// Exact elimination of an existential quantifier, for use under a negation.
//
// The body becomes a disjunction of clauses (conjunctions of rows). In a clause a quantified variable x goes
//   by an equality:  unit coefficient → substitution;  c·x = e → x = floordiv(e, c), provided that c divides e;
//   by c·x in an interval of exactly c integers, e − c < c·x <= e → x = floordiv(e, c);
//   by combining all lower with all upper bounds where one side has unit coefficients only (Fourier–Motzkin is exact there);
//   otherwise by the least x that satisfies the lower bounds: one of them rounded up to a multiple of its coefficient.
// Quotients of quantified variables are quantified too, with their definitions as rows.
#include <algorithm>

#include "proofs/native/tree.hpp"

namespace assay::native {
namespace {

constexpr std::size_t most_clauses = 512;
constexpr std::size_t most_rows = 128;

using Clause = std::vector<Row>;

class Eliminator {
 public:
  Eliminator(Tree& tree, const std::vector<Var>& variables) : tree_(tree), context_(tree.context()) {
    for (const Var v : variables) mark(v);
  }

  NodeId run(NodeId body) {
    std::vector<NodeId> ways;
    for (Clause& c : clauses(body)) {
      define_quotients(c);
      reduce(std::move(c), ways);
      if (context_.planted(Fault::negated_exists_first_clause) && !ways.empty()) break;
    }
    return tree_.any(ways);
  }

 private:
  void mark(Var v) {
    if (quantified_.size() <= static_cast<std::size_t>(v)) quantified_.resize(static_cast<std::size_t>(v) + 1, false);
    quantified_[static_cast<std::size_t>(v)] = true;
  }
  bool is_quantified(Var v) const {
    return static_cast<std::size_t>(v) < quantified_.size() && quantified_[static_cast<std::size_t>(v)];
  }
  bool mentions_quantified(const Linear& e) const {
    return std::any_of(e.terms.begin(), e.terms.end(), [&](const Term& t) { return is_quantified(t.var); });
  }

  std::vector<Clause> clauses(NodeId n) {
    const TreeNode here = tree_.node(n);
    switch (here.kind) {
      case TreeNode::Kind::truth: return {{}};
      case TreeNode::Kind::falsity: return {};
      case TreeNode::Kind::row: return {{here.row}};
      case TreeNode::Kind::any: {
        std::vector<Clause> out;
        for (const NodeId p : here.parts) {
          for (Clause& c : clauses(p)) out.push_back(std::move(c));
        }
        return limited(std::move(out));
      }
      case TreeNode::Kind::all: break;
    }
    std::vector<Clause> out{{}};
    for (const NodeId p : here.parts) {
      const std::vector<Clause> factors = clauses(p);
      std::vector<Clause> product;
      for (const Clause& a : out) {
        for (const Clause& b : factors) {
          context_.spend(a.size() + b.size() + 1);
          product.push_back(a);
          product.back().insert(product.back().end(), b.begin(), b.end());
        }
      }
      out = limited(std::move(product));
    }
    return out;
  }
  static std::vector<Clause> limited(std::vector<Clause> c) {
    if (c.size() > most_clauses) throw Exhausted{"too many cases under a negated quantifier"};
    return c;
  }

  // Quotients that depend on a quantified variable become quantified; their definitions join the clause.
  void define_quotients(Clause& c) {
    std::vector<Var> done;
    const auto depends = [&](auto& self, Var v) -> bool {
      if (is_quantified(v)) return true;
      const Variable& variable = context_.variable(v);
      return variable.is_quotient() && std::any_of(variable.dividend.terms.begin(), variable.dividend.terms.end(),
                                                   [&](const Term& t) { return self(self, t.var); });
    };
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto terms = c[i].e.terms;
      for (const Term& t : terms) {
        if (!context_.variable(t.var).is_quotient() || !depends(depends, t.var)) continue;
        if (std::find(done.begin(), done.end(), t.var) != done.end()) continue;
        done.push_back(t.var);
        mark(t.var);
        auto [above, below] = context_.definition(t.var);
        c.push_back(std::move(above));
        c.push_back(std::move(below));
      }
    }
  }

  // Normalises; false when the clause is contradictory.
  bool tidy(Clause& c) {
    Clause kept;
    for (Row& r : c) {
      context_.spend(r.e.terms.size() + 1);
      switch (context_.normalise(r)) {
        case RowState::trivial: continue;
        case RowState::contradiction: return false;
        case RowState::proper: break;
      }
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const Row& k) {
        return k.equality == r.equality && k.e.constant == r.e.constant && same_terms(k.e, r.e);
      });
      if (!known) kept.push_back(r);
    }
    if (kept.size() > most_rows) throw Exhausted{"too many rows under a negated quantifier"};
    c = std::move(kept);
    return true;
  }

  void substitute(Clause& c, Var v, const Linear& value) {
    for (Row& r : c) {
      context_.spend(r.e.terms.size() + 1);
      r.e = context_.replaced(r.e, v, value);
    }
  }

  void reduce(Clause c, std::vector<NodeId>& ways) {
    for (;;) {
      if (!tidy(c)) return;
      if (ways.size() > most_clauses) throw Exhausted{"too many cases under a negated quantifier"};
      const auto equation =
          std::find_if(c.begin(), c.end(), [&](const Row& r) { return r.equality && mentions_quantified(r.e); });
      if (equation != c.end()) {
        const Row r = *equation;
        c.erase(equation);
        by_equation(c, r);
        continue;
      }
      const auto open = std::find_if(c.begin(), c.end(), [&](const Row& r) { return mentions_quantified(r.e); });
      if (open == c.end()) break;
      if (one_sided(c) || by_full_interval(c) || by_unit_bounds(c)) continue;
      for (Clause& slice : slices(c)) reduce(std::move(slice), ways);
      return;
    }
    std::vector<NodeId> rows;
    for (Row& r : c) rows.push_back(tree_.row(std::move(r)));
    ways.push_back(tree_.all(rows));
  }

  // Euclid's steps among the quantified variables of the equation until it holds one, or one with a unit coefficient.
  void by_equation(Clause& c, Row r) {
    for (;;) {
      const Term* least = nullptr;
      std::size_t others = 0;
      for (const Term& t : r.e.terms) {
        if (!is_quantified(t.var)) continue;
        ++others;
        if (!least || std::abs(t.coefficient) < std::abs(least->coefficient)) least = &t;
      }
      const Var v = least->var;
      const std::int64_t a = least->coefficient;
      const Linear rest = context_.without(r.e, v);
      if (a == 1 || a == -1) return substitute(c, v, context_.scaled(rest, -a));
      if (others == 1) {  // a·v + rest == 0
        const std::int64_t g = std::abs(a);
        const Linear q = context_.quotient(rest, g);
        substitute(c, v, context_.scaled(q, a > 0 ? -1 : 1));
        if (!context_.planted(Fault::divisibility_forgotten)) c.push_back({context_.combine(rest, 1, q, -g), true});
        return;
      }
      // v = t − Σ (a_i div a)·x_i over the other quantified variables
      const Var t = context_.fresh();
      mark(t);
      Linear value = context_.term(t);
      for (const Term& other : r.e.terms) {
        if (other.var == v || !is_quantified(other.var)) continue;
        value = context_.combine(value, 1, context_.term(other.var), -(other.coefficient / a));
      }
      r.e = context_.replaced(r.e, v, value);
      substitute(c, v, value);
    }
  }

  struct Sides {
    Var v = 0;
    std::size_t lower = 0, upper = 0;
    bool unit_lower = true, unit_upper = true;
  };
  std::vector<Sides> sides(const Clause& c) const {
    std::vector<Sides> out;
    for (const Row& r : c) {
      for (const Term& t : r.e.terms) {
        if (!is_quantified(t.var)) continue;
        auto s = std::find_if(out.begin(), out.end(), [&](const Sides& x) { return x.v == t.var; });
        if (s == out.end()) s = out.insert(out.end(), Sides{t.var});
        (t.coefficient > 0 ? s->lower : s->upper) += 1;
        if (t.coefficient > 1) s->unit_lower = false;
        if (t.coefficient < -1) s->unit_upper = false;
      }
    }
    return out;
  }

  bool one_sided(Clause& c) {
    for (const Sides& s : sides(c)) {
      if (s.lower != 0 && s.upper != 0) continue;
      std::erase_if(c, [&](const Row& r) { return r.e.coefficient(s.v) != 0; });
      return true;
    }
    return false;
  }

  bool by_unit_bounds(Clause& c) {
    std::optional<Sides> best;
    for (const Sides& s : sides(c)) {
      if (!s.unit_lower && !s.unit_upper) continue;
      if (!best || s.lower * s.upper < best->lower * best->upper) best = s;
    }
    if (!best) return false;
    Clause out;
    for (const Row& r : c) {
      if (r.e.coefficient(best->v) == 0) out.push_back(r);
    }
    for (const Row& low : c) {
      const std::int64_t a = low.e.coefficient(best->v);
      if (a <= 0) continue;
      for (const Row& high : c) {
        const std::int64_t b = high.e.coefficient(best->v);
        if (b >= 0) continue;
        context_.spend(low.e.terms.size() + high.e.terms.size() + 1);
        out.push_back({context_.combine(low.e, -b, high.e, a), false});
      }
    }
    c = std::move(out);
    return true;
  }

  bool by_full_interval(Clause& c) {
    for (const Row& low : c) {
      for (const Row& high : c) {
        if (!opposite_terms(low.e, high.e)) continue;
        for (const Term& t : low.e.terms) {
          if (!is_quantified(t.var) || t.coefficient <= 1) continue;
          if (checked_add(low.e.constant, high.e.constant) != t.coefficient - 1) continue;
          // high: −a·v + u >= 0, low: a·v − u + (a − 1) >= 0
          const Linear u = context_.without(high.e, t.var);
          if (!divides_quantified(u, t.coefficient)) continue;
          const Var v = t.var;
          const Linear value = context_.quotient(u, t.coefficient);
          substitute(c, v, value);
          return true;
        }
      }
    }
    return false;
  }

  // floordiv(e, a) is linear in the quantified variables: a divides their coefficients.
  bool divides_quantified(const Linear& e, std::int64_t a, Var except = -1) const {
    return std::all_of(e.terms.begin(), e.terms.end(), [&](const Term& t) {
      return t.var == except || !is_quantified(t.var) || t.coefficient % a == 0;
    });
  }

  // a·v + l >= 0 for all lower bounds: the least such v is −floordiv(l, a) for some of them. Where that is not linear in the
  // quantified variables, a·v + l is one of 0 … a − 1.
  std::vector<Clause> slices(const Clause& c) {
    std::optional<Var> best;
    std::int64_t fewest = 0;
    for (const Sides& s : sides(c)) {
      std::int64_t n = 0;
      for (const Row& r : c) {
        const std::int64_t a = r.e.coefficient(s.v);
        if (a > 0) n = checked_add(n, divides_quantified(r.e, a, s.v) ? 1 : a);
      }
      if (!best || n < fewest) {
        best = s.v;
        fewest = n;
      }
    }
    if (fewest > static_cast<std::int64_t>(most_clauses))
      throw Exhausted{"too wide a stride under a negated quantifier"};
    std::vector<Clause> out;
    for (const Row& r : c) {
      const std::int64_t a = r.e.coefficient(*best);
      if (a > 0 && divides_quantified(r.e, a, *best)) {
        out.push_back(c);
        substitute(out.back(), *best, context_.scaled(context_.quotient(context_.without(r.e, *best), a), -1));
        continue;
      }
      for (std::int64_t k = 0; k < a; ++k) {
        context_.spend(c.size() + 1);
        out.push_back(c);
        out.back().push_back({plus(r.e, -k), true});
      }
    }
    return out;
  }

  Tree& tree_;
  Context& context_;
  std::vector<bool> quantified_;
};

}  // namespace

NodeId eliminated(Tree& tree, const std::vector<Var>& variables, NodeId body) {
  return Eliminator(tree, variables).run(body);
}

}  // namespace assay::native
