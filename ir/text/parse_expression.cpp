// The grammar of expressions (SYN-12): one function climbs the levels of the binary operators.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/text/parser.hpp"
#include "ir/traverse.hpp"

namespace assay::text {
namespace {

struct BinaryOperator {
  std::string_view text;
  Op op;
  int level;  // 1 || · 2 && · 3 comparisons · 4 + - · 5 * /
};
constexpr std::size_t max_float_characters = 4096;
constexpr int comparison_level = 3;
constexpr int tightest_level = 5;
constexpr std::array<BinaryOperator, 12> binary_operators{{{"||", Op::lor, 1},
                                                           {"&&", Op::land, 2},
                                                           {"==", Op::eq, 3},
                                                           {"!=", Op::ne, 3},
                                                           {"<", Op::lt, 3},
                                                           {"<=", Op::le, 3},
                                                           {">", Op::gt, 3},
                                                           {">=", Op::ge, 3},
                                                           {"+", Op::add, 4},
                                                           {"-", Op::sub, 4},
                                                           {"*", Op::mul, 5},
                                                           {"/", Op::div, 5}}};

const BinaryOperator* binary_operator(const Token& t, int level) {
  if (t.kind != Token::Kind::punctuation) return nullptr;
  for (const BinaryOperator& b : binary_operators) {
    if (b.level == level && b.text == t.text) return &b;
  }
  return nullptr;
}

}  // namespace

Expr Parser::expression_over(const Program& p) {
  names_.emplace(reporter_);
  elaborator_.emplace(*names_, reporter_);
  for (const Parameter& x : p.parameters)
    names_->declare_global(x.name, {Binding::Kind::parameter, x.name, Type::index, 0, x.where});
  for (const Buffer& b : p.buffers)
    names_->declare_global(b.name, {Binding::Kind::buffer, b.name, b.type, b.dims.size(), b.where});
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) names_->introduce(s->name, Binding::Kind::loop, Type::index, s->where);
    if (s->kind == StmtKind::declare) names_->introduce(s->name, Binding::Kind::variable, s->type, s->where);
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::scope) names_->introduce(e->name, Binding::Kind::variable, e->type, e->where);
    return true;
  };
  visit(p.body, v);
  const Syntax* s = expression();
  if (s == nullptr) return {};
  if (tok_.kind != Token::Kind::end) {
    unexpected("the end of the expression");
    return {};
  }
  Expr e = elaborator_->typed(*s);
  return reporter_.count() == 0 ? e : Expr();
}

// Puts a node into the arena; its place runs from `start` to the token before the current one.
const Syntax* Parser::make(Syntax s, const Token& start) {
  s.where = span(start);
  for (const Syntax* a : s.args) s.height = std::max(s.height, a->height + 1);
  if (s.height > max_syntax_height) {
    too_high(start.where());
    return nullptr;
  }
  arena_.push_back(std::move(s));
  return &arena_.back();
}

void Parser::too_high(Location where) {
  if (!stopped())
    reporter_.fatal("LIM-3", where, fmt::format("an expression is more than {} operations high", max_expression_height),
                    "put a part of it into a variable");
}

const Syntax* Parser::operation(Op op, std::vector<const Syntax*> args, const Token& start, Type written) {
  Syntax s;
  s.type = written;
  s.kind = Syntax::Kind::operation;
  s.op = op;
  s.args = std::move(args);
  return make(std::move(s), start);
}

const Syntax* Parser::nested() {
  const Nest nest(*this);
  return stopped() ? nullptr : expression();
}

const Syntax* Parser::expression() {
  const Token start = tok_;
  const Syntax* condition = binary(1);
  // What begins no token was meant to go on with the expression: the part before it is not judged (SYN-11).
  if (condition != nullptr && tok_.kind == Token::Kind::bad && !tok_.first_on_line) {
    stray("an operator");
    return nullptr;
  }
  if (condition == nullptr || !accept("?")) return condition;
  const Syntax* yes = nested();
  if (yes == nullptr || !expect(":")) return nullptr;
  const Syntax* no = nested();
  if (no == nullptr) return nullptr;
  return operation(Op::choice, {condition, yes, no}, start);
}

const Syntax* Parser::binary(int level) {
  if (level > tightest_level) return unary();
  const Token start = tok_;
  const Syntax* left = binary(level + 1);
  bool compared = false;
  while (left != nullptr) {
    const BinaryOperator* b = binary_operator(tok_, level);
    if (b == nullptr) return left;
    if (compared) {
      reporter_.error("SYN-4", tok_.where(), "comparisons do not chain", "write `a < b && b < c`");
      return nullptr;
    }
    compared = level == comparison_level;
    advance();
    const Syntax* right = binary(level + 1);
    if (right == nullptr) return nullptr;
    left = operation(b->op, {left, right}, start);
  }
  return left;
}

bool Parser::at_literal() const {
  return tok_.kind == Token::Kind::integer || tok_.kind == Token::Kind::floating || at("inf") || at("nan");
}

// Prefixes are collected, not recursed into: only the height of the tree bounds their number.
const Syntax* Parser::unary() {
  std::vector<Token> prefixes;
  const Syntax* operand = nullptr;
  while (at("-") || at("!")) {
    const Token prefix = tok_;
    advance();
    if (prefix.is("-") && at_literal()) {
      operand = literal(true, prefix);
      if (operand == nullptr) return nullptr;
      break;
    }
    prefixes.push_back(prefix);
    if (prefixes.size() > max_syntax_height) {
      too_high(prefix.where());
      return nullptr;
    }
  }
  if (operand == nullptr) operand = primary();
  while (operand != nullptr && !prefixes.empty()) {
    const Token& prefix = prefixes.back();
    operand = operation(prefix.is("-") ? Op::neg : Op::lnot, {operand}, prefix);
    prefixes.pop_back();
  }
  return operand;
}

const Syntax* Parser::literal(bool negative, const Token& start) {
  Syntax s;
  s.negative = negative;
  s.text = tok_.text;
  if (tok_.kind == Token::Kind::integer) {
    constexpr auto greatest = static_cast<Int128>((~static_cast<UInt128>(0)) >> 1);
    for (const char c : tok_.text) {
      const int digit = c - '0';
      if (s.integer > (greatest - digit) / 10) {
        reporter_.error("LIM-6", tok_.where(), "an integer literal is greater than 2^127 - 1",
                        "a great float is written as `1e40`");
        advance();
        return nullptr;
      }
      s.integer = s.integer * 10 + digit;
    }
    if (negative) s.integer = -s.integer;
    s.kind = Syntax::Kind::integer;
  } else {
    if (tok_.text.size() > max_float_characters) {
      reporter_.error("LIM-6", tok_.where(),
                      fmt::format("a float literal has more than {} characters", max_float_characters));
      advance();
      return nullptr;
    }
    s.kind = Syntax::Kind::floating;
  }
  advance();
  return make(std::move(s), start);
}

const Syntax* Parser::primary() {
  const Token start = tok_;
  if (at_literal()) return literal(false, start);
  if (at("true") || at("false")) {
    Syntax s;
    s.kind = Syntax::Kind::boolean;
    s.truth = at("true");
    advance();
    return make(std::move(s), start);
  }
  if (tok_.kind == Token::Kind::name) return name_or_element();
  if (accept("(")) {
    const Syntax* inner = nested();
    if (inner == nullptr || !expect(")")) return nullptr;
    Syntax s = *inner;
    s.parenthesised = true;
    arena_.push_back(std::move(s));
    return &arena_.back();
  }
  if (at("scope")) return scope();
  if (tok_.kind == Token::Kind::word) {
    const Reserved* word = find_reserved(tok_.text);
    if (word != nullptr && word->function) return call(*word->function);
    if (word != nullptr && word->type) return conversion();
  }
  unexpected("an expression");
  return nullptr;
}

// Expressions separated by commas up to `close`, which is consumed.
bool Parser::arguments(std::string_view close, std::vector<const Syntax*>& into) {
  if (accept(close)) return true;
  while (true) {
    const Syntax* e = nested();
    if (e == nullptr) return false;
    into.push_back(e);
    if (accept(close)) return true;
    if (!accept(",")) {
      unexpected(fmt::format("`,` or `{}`", close));
      return false;
    }
  }
}

const Syntax* Parser::name_or_element() {
  const Token start = tok_;
  Syntax s;
  s.text = tok_.text;
  s.name_where = tok_.where();
  advance();
  if (at("(")) {
    std::vector<std::string> functions;
    for (const std::string& word : reserved_words()) {
      const Reserved* r = find_reserved(word);
      if (r->function || r->type) functions.push_back(word);
    }
    const std::string close = suggest(start.text, functions);
    reporter_.error("NAME-1", start.where(), fmt::format("unknown function `{}`", start.text.substr(0, 40)),
                    close.empty() ? std::string() : fmt::format("did you mean `{}`?", close));
    return nullptr;
  }
  if (!accept("[")) {
    s.kind = Syntax::Kind::name;
    return make(std::move(s), start);
  }
  s.kind = Syntax::Kind::element;
  if (!arguments("]", s.args)) return nullptr;
  return make(std::move(s), start);
}

const Syntax* Parser::call(Op function) {
  const Token start = tok_;
  advance();
  if (!expect("(", at("=") ? "`max=` and `min=` are written without a space" : "")) return nullptr;
  std::optional<Type> written;
  if (has_written_type(function)) {
    written = type();
    if (!written || !expect(",", fmt::format("the type comes first, as in `{}(f32, …)`", start.text))) return nullptr;
  }
  std::vector<const Syntax*> args;
  if (!arguments(")", args)) return nullptr;
  const auto arity = static_cast<std::size_t>(info(function).arity);
  const bool variadic = function == Op::max || function == Op::min;
  if (args.size() < arity || (args.size() > arity && !variadic)) {
    reporter_.error("SYN-10", span(start),
                    fmt::format("`{}` takes {} operand{}{} and gets {}", start.text, arity, arity == 1 ? "" : "s",
                                written ? " after the type" : "", args.size()));
    return nullptr;
  }
  return operation(function, std::move(args), start, written.value_or(Type::index));
}

const Syntax* Parser::conversion() {
  const Token start = tok_;
  const std::optional<Type> to = type();
  if (!expect("(", "a type here converts a value, as in `f32(x)`")) return nullptr;
  const Syntax* operand = nested();
  if (operand == nullptr || !expect(")") || !to) return nullptr;
  Syntax s;
  s.kind = Syntax::Kind::convert;
  s.type = *to;
  s.args = {operand};
  return make(std::move(s), start);
}

// The body is elaborated at once: what it means does not depend on the expression around it.
const Syntax* Parser::scope() {
  const Token start = tok_;
  advance();
  const auto name = expect_name("the name of a variable");
  if (!name || !expect(":")) return nullptr;
  const std::optional<Type> t = type();
  const Location where = span(start);
  if (!at("{")) {
    unexpected("`{`");
    return nullptr;
  }
  const std::size_t errors = reporter_.count();
  const std::size_t mark = names_->mark();
  const Symbol symbol = names_->introduce(name->text, t ? Binding::Kind::variable : Binding::Kind::broken,
                                          t.value_or(Type::f32), name->where());
  ++scope_depth_;
  Parsed body = block();
  --scope_depth_;
  names_->release(mark);
  if (stopped() || reporter_.count() != errors || !t) return nullptr;
  Syntax s;
  s.kind = Syntax::Kind::scope;
  s.scope = make_scope(symbol, *t, std::move(body.block), where);
  s.scope_height = body.height + 1;
  return make(std::move(s), start);
}

}  // namespace assay::text
