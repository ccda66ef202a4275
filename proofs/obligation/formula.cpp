// Construction of formulas with constant folding and gcd tightening, and their extraction from loops and conditions.
#include "proofs/obligation/formula.hpp"

#include <algorithm>

#include "ir/common_divisor.hpp"

namespace assay {

struct Formula::Node {
  Kind kind = Kind::truth;
  Index expression{};
  std::vector<Formula> parts{};
  std::vector<Symbol> variables{};
  std::pair<Index, Index> factors{};
  bool has_products = false;
};

namespace {
bool any_products(const std::vector<Formula>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Formula& p) { return p.has_products(); });
}
}  // namespace

Formula Formula::truth() {
  static const auto node = std::make_shared<const Node>(Node{Kind::truth});
  return Formula(node);
}
Formula Formula::falsity() {
  static const auto node = std::make_shared<const Node>(Node{Kind::falsity});
  return Formula(node);
}

Formula Formula::nonneg(Index e) {
  if (e.is_constant()) return e.constant() >= 0 ? truth() : falsity();
  return Formula(std::make_shared<const Node>(Node{Kind::nonneg, std::move(e)}));
}

Formula Formula::zero(Index e) {
  if (e.is_constant()) return e.constant() == 0 ? truth() : falsity();
  std::int64_t g = 0;
  for (const auto& [atom, coefficient] : e.terms()) g = common_divisor(g, coefficient);
  if (g > 1 && e.constant() % g != 0) return falsity();
  return Formula(std::make_shared<const Node>(Node{Kind::zero, std::move(e)}));
}

Formula Formula::product(Index e, Index a, Index b) {
  if (a.is_constant()) return zero(e - b * a.constant());
  if (b.is_constant()) return zero(e - a * b.constant());
  if (b < a) std::swap(a, b);
  return Formula(
      std::make_shared<const Node>(Node{Kind::product, std::move(e), {}, {}, {std::move(a), std::move(b)}, true}));
}

Formula Formula::all(std::vector<Formula> parts) {
  std::vector<Formula> kept;
  for (Formula& p : parts) {
    if (p.is_false()) return falsity();
    if (p.is_true()) continue;
    if (p.kind() == Kind::conjunction) {
      kept.insert(kept.end(), p.parts().begin(), p.parts().end());
    } else {
      kept.push_back(std::move(p));
    }
  }
  if (kept.empty()) return truth();
  if (kept.size() == 1) return kept[0];
  const bool products = any_products(kept);
  return Formula(std::make_shared<const Node>(Node{Kind::conjunction, {}, std::move(kept), {}, {}, products}));
}

Formula Formula::any(std::vector<Formula> parts) {
  std::vector<Formula> kept;
  for (Formula& p : parts) {
    if (p.is_true()) return truth();
    if (p.is_false()) continue;
    if (p.kind() == Kind::disjunction) {
      kept.insert(kept.end(), p.parts().begin(), p.parts().end());
    } else {
      kept.push_back(std::move(p));
    }
  }
  if (kept.empty()) return falsity();
  if (kept.size() == 1) return kept[0];
  const bool products = any_products(kept);
  return Formula(std::make_shared<const Node>(Node{Kind::disjunction, {}, std::move(kept), {}, {}, products}));
}

Formula Formula::exists(std::vector<Symbol> variables, Formula body) {
  if (variables.empty() || body.is_true() || body.is_false()) return body;
  const bool products = body.has_products();
  return Formula(
      std::make_shared<const Node>(Node{Kind::exists, {}, {std::move(body)}, std::move(variables), {}, products}));
}

Formula Formula::operator!() const {
  switch (kind()) {
    case Kind::truth: return falsity();
    case Kind::falsity: return truth();
    case Kind::negation: return parts()[0];
    case Kind::nonneg: return nonneg(-expression() - 1);
    case Kind::zero: return any({nonneg(expression() - 1), nonneg(-expression() - 1)});
    case Kind::conjunction:
    case Kind::disjunction: {
      std::vector<Formula> negated;
      for (const Formula& p : parts()) negated.push_back(!p);
      return kind() == Kind::conjunction ? any(std::move(negated)) : all(std::move(negated));
    }
    case Kind::product:
    case Kind::exists: break;
  }
  return Formula(std::make_shared<const Node>(Node{Kind::negation, {}, {*this}, {}, {}, has_products()}));
}

Formula::Kind Formula::kind() const { return node_->kind; }
const Index& Formula::expression() const { return node_->expression; }
const std::pair<Index, Index>& Formula::factors() const { return node_->factors; }
bool Formula::has_products() const { return node_->has_products; }
const std::vector<Formula>& Formula::parts() const { return node_->parts; }
const std::vector<Symbol>& Formula::variables() const { return node_->variables; }

Formula Formula::substitute(const std::map<Symbol, Index>& map) const {
  switch (kind()) {
    case Kind::truth:
    case Kind::falsity: return *this;
    case Kind::nonneg: return nonneg(expression().substitute(map));
    case Kind::zero: return zero(expression().substitute(map));
    case Kind::product:
      return product(expression().substitute(map), factors().first.substitute(map), factors().second.substitute(map));
    case Kind::negation: return !parts()[0].substitute(map);
    case Kind::exists: {
      // A bound variable hides a free one of its name. One that a value of the map mentions stands for the same there: names
      // are either fresh or say what they stand for.
      const auto hidden = [&](const Symbol& v) { return map.count(v) != 0; };
      if (std::none_of(variables().begin(), variables().end(), hidden))
        return exists(variables(), parts()[0].substitute(map));
      std::map<Symbol, Index> outer = map;
      for (const Symbol& v : variables()) outer.erase(v);
      return exists(variables(), parts()[0].substitute(outer));
    }
    case Kind::conjunction:
    case Kind::disjunction: break;
  }
  std::vector<Formula> out;
  for (const Formula& p : parts()) out.push_back(p.substitute(map));
  return kind() == Kind::conjunction ? all(std::move(out)) : any(std::move(out));
}

void Formula::collect_free(std::set<Symbol>& into) const {
  node_->expression.collect_symbols(into);
  node_->factors.first.collect_symbols(into);
  node_->factors.second.collect_symbols(into);
  std::set<Symbol> inner;
  for (const Formula& p : parts()) p.collect_free(inner);
  for (const Symbol& s : variables()) inner.erase(s);
  into.insert(inner.begin(), inner.end());
}

std::string Formula::text() const {
  const auto join = [this](const char* separator) {
    std::string out = "(";
    for (std::size_t i = 0; i < parts().size(); ++i) out += (i == 0 ? "" : separator) + parts()[i].text();
    return out + ")";
  };
  switch (kind()) {
    case Kind::truth: return "true";
    case Kind::falsity: return "false";
    case Kind::nonneg: return expression().text() + " >= 0";
    case Kind::zero: return expression().text() + " == 0";
    case Kind::product:
      return expression().text() + " == (" + factors().first.text() + ")*(" + factors().second.text() + ")";
    case Kind::conjunction: return join(" && ");
    case Kind::disjunction: return join(" || ");
    case Kind::negation: return "!(" + parts()[0].text() + ")";
    case Kind::exists: {
      std::string out = "exists";
      for (const Symbol& s : variables()) out += " " + s;
      return out + ": " + parts()[0].text();
    }
  }
  return {};
}

Formula loop_domain(const Stmt& loop) {
  const Index s = Index::symbol(loop->name);
  Formula f = Formula::le(loop->lo, s) & Formula::lt(s, canonical_end(*loop));
  if (loop->step > 1) f = f & Formula::zero(floormod(s - loop->lo, loop->step));
  return f;
}

Formula parameter_domain(const Program& p) {
  std::vector<Formula> parts;
  for (const Parameter& q : p.parameters) {
    const Index s = Index::symbol(q.name);
    parts.push_back(Formula::le(Index(q.lo), s));
    parts.push_back(Formula::lt(s, Index(q.hi)));
  }
  for (const Expr& r : p.requirements) {
    if (auto f = affine_condition(r)) parts.push_back(*std::move(f));
  }
  return Formula::all(std::move(parts));
}

Formula compared(Op comparison, const Index& a, const Index& b) {
  switch (comparison) {
    case Op::eq: return Formula::eq(a, b);
    case Op::ne: return Formula::ne(a, b);
    case Op::lt: return Formula::lt(a, b);
    case Op::le: return Formula::le(a, b);
    case Op::gt: return Formula::lt(b, a);
    default: return Formula::le(b, a);
  }
}

std::optional<Formula> affine_condition(const Expr& c) {
  const auto part = [&](std::size_t i) { return affine_condition(c->args[i]); };
  switch (c->op) {
    case Op::literal: return c->literal.bits != 0 ? Formula::truth() : Formula::falsity();
    case Op::lnot: {
      const auto a = part(0);
      if (!a) return std::nullopt;
      return !*a;
    }
    case Op::land:
    case Op::lor: {
      const auto a = part(0);
      const auto b = part(1);
      if (!a || !b) return std::nullopt;
      return c->op == Op::land ? *a & *b : *a | *b;
    }
    case Op::choice:
    case Op::select: {
      const auto test = part(0);
      const auto yes = part(1);
      const auto no = part(2);
      if (c->type != Type::boolean || !test || !yes || !no) return std::nullopt;
      return (*test & *yes) | ((!*test) & *no);
    }
    default: break;
  }
  if (!is_comparison(c->op) || c->args[0]->type != Type::index || c->args[0]->op != Op::index ||
      c->args[1]->op != Op::index) {
    return std::nullopt;
  }
  return compared(c->op, c->args[0]->index, c->args[1]->index);
}

}  // namespace assay
