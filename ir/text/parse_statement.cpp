// Statements and blocks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/text/parser.hpp"
#include "ir/traverse.hpp"

namespace assay::text {

void Parser::add(Parsed& into, Stmt s, int height) {
  into.block.push_back(std::move(s));
  into.height = std::max(into.height, height + 1);
}

// `{ … }`; what is introduced inside is visible to its end.
Parser::Parsed Parser::block() {
  Parsed result;
  const Nest nest(*this);
  const Token brace = tok_;
  if (stopped() || !expect("{")) return result;
  const std::size_t mark = names_->mark();
  while (!stopped() && !at("}") && !at("program") && !at("schedule") && tok_.kind != Token::Kind::end)
    statement(result);
  names_->release(mark);
  close(brace, "a block ends with `}`");
  return result;
}

// One statement; after a syntax error the rest of it is skipped.
void Parser::statement(Parsed& into) {
  if (accept(";")) return;
  const Position before = tok_.begin;
  if (at("for")) {
    loop(into);
  } else if (at("if")) {
    branch(into);
  } else if (at("var")) {
    declare(into);
  } else if (at("zero")) {
    zero(into);
  } else if (at("barrier") || at("launch")) {
    const Token word = tok_;
    advance();
    add(into, word.text == "barrier" ? make_barrier(word.where()) : make_launch(word.where()), 0);
  } else if (tok_.kind == Token::Kind::name) {
    assign_or_store(into);
  } else {
    no_statement();
  }
  release_syntax();
  // Every path above consumed something; this guards the promise that parsing ends.
  if (tok_.begin.offset == before.offset && tok_.kind != Token::Kind::end) advance();
}

bool Parser::begins_statement() const {
  return tok_.kind == Token::Kind::name || at("for") || at("if") || at("var") || at("zero") || at("barrier") ||
         at("launch");
}

// Says that what stands here begins none, and skips it. A declaration is known from here on all the same.
void Parser::no_statement() {
  const Reserved* word = tok_.kind == Token::Kind::word ? find_reserved(tok_.text) : nullptr;
  if (at("param") || (word != nullptr && word->kind)) {
    reporter_.error("SYN-6", tok_.where(), fmt::format("`{}` stands after the first statement", tok_.text),
                    "declarations come first in a program");
    advance();
    if (tok_.kind == Token::Kind::name && names_->find(tok_.text) == nullptr)
      names_->declare_global(tok_.text, {Binding::Kind::broken, {}, Type::index, 0, tok_.where()});
  } else if (at("require")) {
    reporter_.error("SYN-6", tok_.where(), "`require` stands after the first statement",
                    "declarations come first in a program");
    advance();
  } else if (word != nullptr) {
    reporter_.error("SYN-5", tok_.where(), fmt::format("`{}` is a reserved word and begins no statement", tok_.text));
    advance();
  } else {
    stray("a statement");
    advance();
  }
  skip_to_statement();
}

// Bounds, step and axis after `for NAME in`; false after a syntax error.
bool Parser::loop_header(Loop& l) {
  const auto bound = [&](Index& into) {
    const Syntax* s = expression();
    if (s == nullptr) return false;
    const auto value = elaborator_->bound(*s, "a loop bound");
    if (value) into = *value;
    l.good = l.good && value.has_value();
    return true;
  };
  if (!bound(l.lo) || !expect("..", "a loop runs over a half-open range, `lo..hi`") || !bound(l.hi)) return false;
  if (accept("step")) {
    const Token written = tok_;
    const auto step = signed_integer();
    if (!step) return false;
    if (*step <= 0 || *step > std::numeric_limits<std::int64_t>::max()) {
      reporter_.error("WF-14", written.where(), "the step of a loop is a positive 64-bit integer");
      l.good = false;
    } else {
      l.step = static_cast<std::int64_t>(*step);
    }
  }
  if (accept("@")) {
    if (tok_.kind != Token::Kind::name) {
      unexpected("an axis");
      return false;
    }
    const auto axis = parse_axis(tok_.text);
    if (!axis || *axis == Axis::serial) {
      static const std::vector<std::string> axes{"grid", "workgroup", "reduce", "unrolled", "vectorized", "tile"};
      const std::string close = suggest(tok_.text, axes);
      std::string help = "the axes are grid, workgroup, reduce, unrolled, vectorized, tile";
      if (tok_.text == "serial") help = "a serial loop has no annotation";
      if (!close.empty()) help = fmt::format("did you mean `@{}`?", close);
      reporter_.error("SYN-8", tok_.where(), fmt::format("`@{}` is not the axis of a loop", tok_.text.substr(0, 40)),
                      help);
      l.good = false;
    } else {
      l.axis = *axis;
    }
    advance();
  }
  return true;
}

void Parser::loop(Parsed& into) {
  const Token start = tok_;
  advance();
  const auto name = expect_name("the symbol of a loop");
  if (!name) return skip_to_statement();
  Loop l;
  const bool parsed = expect("in") && loop_header(l);
  const Location where = span(start);
  release_syntax();
  if (!parsed) {
    skip_to_body();
    if (!at("{")) return skip_to_statement();
    l.good = false;
  }
  const std::size_t mark = names_->mark();
  const Symbol symbol = names_->introduce(name->text, Binding::Kind::loop, Type::index, name->where());
  Parsed body = block();
  names_->release(mark);
  if (l.good) add(into, make_loop(symbol, l.lo, l.hi, l.step, l.axis, std::move(body.block), where), body.height);
}

// After an error in a header: the body is still read when it begins on this line, so that its errors are found too.
void Parser::skip_to_body() {
  while (!stopped() && !at("{") && !at("}") && !tok_.first_on_line && tok_.kind != Token::Kind::end) advance();
}

void Parser::branch(Parsed& into) {
  const Token start = tok_;
  advance();
  const Syntax* syntax = expression();
  const Location where = span(start);
  if (syntax == nullptr) {
    skip_to_body();
  } else if (!at("{")) {
    unexpected("`{`", at("=") ? "equality is `==`" : "");
    return skip_to_statement();
  }
  if (!at("{")) return skip_to_statement();
  const Expr condition = syntax == nullptr ? Expr() : elaborator_->condition(*syntax);
  const int height = elaborator_->take_height();
  release_syntax();
  Parsed then = block();
  Parsed other;
  if (accept("else")) {
    if (at("if")) {
      const Nest nest(*this);  // an `else if` nests without a brace
      if (!stopped()) branch(other);
    } else {
      other = block();
    }
  }
  if (condition) {
    add(into, make_branch(condition, std::move(then.block), std::move(other.block), where),
        std::max({height, then.height, other.height}));
  }
}

void Parser::declare(Parsed& into) {
  const Token start = tok_;
  advance();
  const auto name = expect_name("the name of a variable");
  if (!name) return skip_to_statement();
  const bool typed = expect(":");
  const std::optional<Type> t = typed ? type() : std::nullopt;
  const Location where = span(start);
  // The value does not see the variable.
  const Syntax* syntax = nullptr;
  Expr value;
  bool good = t.has_value();
  bool parsed = typed;
  if (accept("=")) {
    syntax = expression();
    parsed = parsed && syntax != nullptr;
    if (syntax != nullptr && t) value = elaborator_->value(*syntax, *t);
    good = good && value;
  }
  const int height = elaborator_->take_height();
  const Symbol symbol = names_->introduce(name->text, t ? Binding::Kind::variable : Binding::Kind::broken,
                                          t.value_or(Type::f32), name->where());
  if (!parsed) skip_to_statement();
  if (good) add(into, make_declare(symbol, *t, value, where), height);
}

void Parser::zero(Parsed& into) {
  const Token start = tok_;
  advance();
  const auto name = expect_name("the name of a buffer");
  if (!name) return skip_to_statement();
  const Binding* b = names_->find(name->text);
  if (b == nullptr) return names_->report_unknown(name->text, name->where());
  if (b->kind == Binding::Kind::broken) return;
  if (b->kind != Binding::Kind::buffer) {
    reporter_.error("NAME-4", name->where(), fmt::format("`{}` is not a buffer and cannot be zeroed", name->text));
    return;
  }
  add(into, make_zero(b->symbol, span(start)), 0);
}

void Parser::assign_or_store(Parsed& into) {
  const Token start = tok_;
  advance();
  if (accept("=")) {
    const Syntax* syntax = expression();
    if (syntax == nullptr) return skip_to_statement();
    const Binding* b = elaborator_->variable(start.text, start.where());
    if (b == nullptr) return;
    const Expr value = elaborator_->value(*syntax, b->type);
    if (value) add(into, make_assign(b->symbol, value, start.where()), elaborator_->take_height());
    return;
  }
  if (at("+=") || at("*=") || at("max=") || at("min=")) {
    reporter_.error("SYN-7", tok_.where(), fmt::format("`{}` applies to buffer elements only", tok_.text),
                    fmt::format("write `{} = …` in full", start.text.substr(0, 40)));
    return skip_to_statement();
  }
  if (!at("[")) {
    std::vector<std::string> starts{"for", "if", "zero", "barrier", "launch", "var"};
    const std::string close = suggest(start.text, starts);
    unexpected("`=` or `[`", close.empty() ? std::string() : fmt::format("did you mean `{}`?", close));
    // `vra s: f32`: the name is known from here on.
    const Token name = tok_;
    if (name.kind == Token::Kind::name && !name.first_on_line) {
      advance();
      if (at(":") && names_->find(name.text) == nullptr)
        names_->introduce(name.text, Binding::Kind::broken, Type::f32, name.where());
    }
    return skip_to_statement();
  }
  advance();
  std::vector<const Syntax*> subscripts;
  if (!arguments("]", subscripts)) return skip_to_statement();
  const Location where = span(start);
  Op op = Op::literal;  // plain
  if (at("+=")) op = Op::add;
  if (at("*=")) op = Op::mul;
  if (at("max=")) op = Op::max;
  if (at("min=")) op = Op::min;
  if (op == Op::literal && !at("=")) {
    unexpected("`=`, `+=`, `*=`, `max=` or `min=`",
               at("max") || at("min") ? "`max=` and `min=` are written without a space" : "");
    return skip_to_statement();
  }
  advance();
  const Syntax* syntax = expression();
  if (syntax == nullptr) return skip_to_statement();
  std::vector<Expr> indices;
  bool good = true;
  for (const Syntax* s : subscripts) {
    indices.push_back(elaborator_->subscript(*s));
    good = good && indices.back();
  }
  const Binding* b = elaborator_->buffer(start.text, subscripts.size(), start.where(), where);
  if (b == nullptr) return;
  Expr value = elaborator_->value(*syntax, b->type);
  int height = elaborator_->take_height();
  if (!good || !value) return;
  if (op != Op::literal) {
    // The loaded element has subscripts of its own: binders inside them need names of their own.
    std::vector<Expr> copies;
    for (const Expr& e : indices) {
      Block refreshed = refresh_binders({make_assign({}, e)}, names_->supply());
      copies.push_back(refreshed.front()->value);
    }
    const Expr element = make_load(b->symbol, b->type, std::move(copies), where);
    value = elaborator_->build(op, b->type, {element, value}, span(start));
    if (!value) return;
    ++height;
  }
  add(into, make_store(b->symbol, std::move(indices), value, where), height);
}

}  // namespace assay::text
