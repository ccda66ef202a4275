// The comparison with the loop symbol is found first, then the symbol is replaced wherever an integer expression may stand
// for it: as a whole index, and where it is converted.
#include "ir/one_hot.hpp"

#include <algorithm>
#include <functional>

#include "ir/analysis/access.hpp"
#include "ir/literal.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

bool mentions(const Expr& e, const Symbol& symbol) { return free_symbols({make_assign("e", e)}).count(symbol) != 0; }

bool is_symbol(const Expr& e, const Symbol& symbol) {
  if (e->op == Op::convert) return is_int(e->type) && is_symbol(e->args[0], symbol) && e->args[0]->op == Op::index;
  return e->op == Op::index && e->index.as_symbol() && *e->index.as_symbol() == symbol;
}

// e, where the condition is `k == e` in either order.
std::optional<Expr> selector(const Expr& c, const Symbol& k) {
  if (c->op != Op::eq) return std::nullopt;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Expr& other = c->args[1 - i];
    if (is_symbol(c->args[i], k) && !mentions(other, k) && (is_int(other->type) || other->op == Op::index))
      return other;
  }
  return std::nullopt;
}

// Puts an expression in the place of a loop symbol.
class Replacement {
 public:
  Replacement(const Symbol& symbol, const Expr& value) : symbol_(symbol), value_(value) {}
  bool failed = false;

  Expr in(const Expr& e, bool as_index = false) {
    if (!mentions(e, symbol_)) return e;
    if (value_->op == Op::index) return substitute(e, {{symbol_, value_->index}});
    if (e->op == Op::convert && is_symbol(e->args[0], symbol_))
      return e->type == value_->type ? value_ : make_convert(e->type, value_, e->where);
    if (as_index && is_symbol(e, symbol_)) return value_;
    if (e->op == Op::index || e->op == Op::scope) {
      failed = true;
      return e;
    }
    return with(e, [&](ExprNode& n) {
      for (Expr& a : n.args) a = in(a, e->op == Op::load);
    });
  }

 private:
  const Symbol& symbol_;
  const Expr& value_;
};

// A bound at the type of e.
Expr at_type_of(const Expr& e, const Index& bound) {
  if (e->type == Type::index) return make_index(bound);
  if (bound.is_constant()) return make_literal(wrap_int(e->type, bound.constant()));
  return make_convert(e->type, make_index(bound));
}

struct Choice {
  Expr at{}, value{};
  Scalar otherwise{};
};

// `k == e ? f : literal`, or at integers `T(k == e) * f`.
std::optional<Choice> choice(const Expr& e, const Symbol& k) {
  if ((e->op == Op::choice || e->op == Op::select) && e->args[2]->op == Op::literal) {
    if (const auto at = selector(e->args[0], k)) return Choice{*at, e->args[1], e->args[2]->literal};
  }
  if (e->op != Op::mul || !is_int(e->type)) return std::nullopt;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (e->args[i]->op != Op::convert) continue;
    if (const auto at = selector(e->args[i]->args[0], k)) return Choice{*at, e->args[1 - i], wrap_int(e->type, 0)};
  }
  return std::nullopt;
}

}  // namespace

tl::expected<OneHot, std::string> one_hot(const Stmt& loop) {
  const auto no = [](const char* why) { return tl::unexpected(std::string(why)); };
  if (loop->step != 1 || (loop->axis != Axis::serial && loop->axis != Axis::unrolled))
    return no("it is no serial loop of step 1");
  if (loop->body.size() != 1) return no("it holds more than one statement");
  OneHot out;
  const Symbol& k = loop->name;
  Stmt s = loop->body[0];
  const bool guarded = s->kind == StmtKind::branch;
  if (guarded) {
    const auto at = selector(s->value, k);
    if (!at || s->body.size() != 1 || !s->other.empty()) return no("its condition does not compare the loop symbol");
    out.at = *at;
    s = s->body[0];
  }
  if (s->kind != StmtKind::store && s->kind != StmtKind::assign) return no("it holds no store");
  out.source = s;
  Expr value = s->value;
  if (!guarded) {
    if (!accumulation(s) || value->args.size() != 2) return no("its statement is no accumulation of one term");
    const auto is_target = [&](const Expr& e) {
      return e->name == s->name && (e->op == Op::variable || (e->op == Op::load && e->args == s->indices));
    };
    const std::size_t term = is_target(value->args[0]) ? 1 : 0;
    const auto chosen = choice(value->args[term], k);
    if (!chosen) return no("what it accumulates is no choice by the loop symbol");
    out.at = chosen->at;
    out.otherwise = chosen->otherwise;
    out.op = value->op;
    value = with(value, [&](ExprNode& n) { n.args[term] = chosen->value; });
  }
  Replacement replacement(k, out.at);
  out.selected = with(s, [&](StmtNode& n) {
    n.value = replacement.in(value);
    for (Expr& e : n.indices) e = replacement.in(e, true);
  });
  if (replacement.failed) return no("the loop symbol occurs in a larger index value, or in a scope");
  out.lowest = make_op(Op::le, {at_type_of(out.at, loop->lo), out.at});
  out.last = make_op(Op::le, {out.at, at_type_of(out.at, loop->hi - 1)});
  out.below = make_op(Op::lt, {out.at, at_type_of(out.at, loop->hi)});
  return out;
}

std::optional<Expr> upper_condition(const OneHot& hot, const Stmt& loop, const Ranges& ranges) {
  if (hot.at->type == Type::index) return hot.last;
  const IntRange fits = int_range(hot.at->type);
  if (interval(loop->hi - 1, ranges).within(fits.lo, fits.hi)) return hot.last;
  if (interval(loop->hi, ranges).within(fits.lo, fits.hi)) return hot.below;
  return std::nullopt;
}

bool reads_other_cells(const OneHot& hot) {
  bool other = false;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    other = other || (e->op == Op::load && e->name == hot.source->name && !(e->args == hot.source->indices));
    return !other;
  };
  visit(hot.source, v);
  return other;
}

}  // namespace assay
