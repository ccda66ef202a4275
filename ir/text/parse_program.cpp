// Programs and their declarations.
#include <fmt/format.h>

#include <limits>

#include "ir/literal.hpp"
#include "ir/text/parser.hpp"

namespace assay::text {
namespace {

constexpr bool fits_int64(Int128 v) {
  return v >= std::numeric_limits<std::int64_t>::min() && v <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace

// A type keyword; nothing after a message.
std::optional<Type> Parser::type() {
  const Token word = tok_;
  const Reserved* reserved = word.kind == Token::Kind::word ? find_reserved(word.text) : nullptr;
  if (reserved != nullptr && reserved->type) {
    advance();
    return reserved->type;
  }
  std::string help;
  if (word.kind == Token::Kind::name) {
    std::vector<std::string> types;
    for (const Type t : storage_types) types.emplace_back(name(t));
    if (const std::string close = suggest(word.text, types); !close.empty())
      help = fmt::format("did you mean `{}`?", close);
  }
  unexpected("a type", help);
  if (word.kind == Token::Kind::name) advance();
  return std::nullopt;
}

std::optional<Int128> Parser::signed_integer() {
  const Token start = tok_;
  const bool negative = accept("-");
  if (tok_.kind != Token::Kind::integer) {
    unexpected("an integer");
    return std::nullopt;
  }
  const Syntax* s = literal(negative, start);
  if (s == nullptr) return std::nullopt;
  return s->integer;
}

std::optional<Program> Parser::program() {
  const Token start = tok_;
  const std::size_t errors = reporter_.count();
  advance();
  Program p;
  if (const auto name = expect_name("the name of a program")) {
    p.name = std::string(name->text);
  } else if (tok_.kind == Token::Kind::word && !at("program") && !at("schedule")) {
    advance();
  }
  p.where = span(start);
  const Token brace = tok_;
  if (!expect("{")) {
    skip_to_program();
    return std::nullopt;
  }
  names_.emplace(reporter_);
  elaborator_.emplace(*names_, reporter_);
  arena_.clear();

  while (!stopped()) {
    const Reserved* word = tok_.kind == Token::Kind::word ? find_reserved(tok_.text) : nullptr;
    if (at("param")) {
      parameter(p);
    } else if (at("require")) {
      requirement(p);
    } else if (word != nullptr && word->kind) {
      buffer(p);
    } else if (!accept(";") && !misspelt_declaration()) {
      if (begins_statement() || at("}") || at("program") || at("schedule") || tok_.kind == Token::Kind::end) break;
      no_statement();  // what follows a declaration is not yet the body
    }
    release_syntax();
  }
  Parsed body;
  while (!stopped() && !at("}") && tok_.kind != Token::Kind::end) {
    if (at("program") || at("schedule")) break;  // a missing brace: what follows is read as what it says
    statement(body);
  }
  close(brace, "a program ends with `}`");
  p.body = std::move(body.block);
  if (stopped() || reporter_.count() != errors) return std::nullopt;
  std::vector<Diagnostic> faults = check_well_formed(p);
  if (!faults.empty()) {
    reporter_.add(std::move(faults));
    return std::nullopt;
  }
  return p;
}

void Parser::parameter(Program& p) {
  const Token start = tok_;
  advance();
  const auto name = expect_name("the name of a parameter");
  if (!name) return skip_to_statement();
  Parameter parameter;
  parameter.name = std::string(name->text);
  const auto bounds = [&]() -> bool {
    if (!expect("in", "a parameter has a range: `param n in 1..65`")) return false;
    const auto lo = signed_integer();
    if (!lo || !expect("..")) return false;
    const auto hi = signed_integer();
    if (!hi) return false;
    if (!fits_int64(*lo) || !fits_int64(*hi)) {
      reporter_.error("IDX-1", span(start), "the range of a parameter does not fit 64 bits");
      return true;
    }
    parameter.lo = static_cast<std::int64_t>(*lo);
    parameter.hi = static_cast<std::int64_t>(*hi);
    return true;
  };
  const bool parsed = bounds();
  parameter.where = span(start);
  Binding binding{Binding::Kind::parameter, {}, Type::index, 0, name->where()};
  if (names_->declare_global(name->text, binding)) p.parameters.push_back(std::move(parameter));
  if (!parsed) skip_to_statement();
}

// `ouput Y: f32[4]`: no statement begins with two names, and what the second one names is known from here on (SYN-11).
bool Parser::misspelt_declaration() {
  if (tok_.kind != Token::Kind::name) return false;
  Lexer ahead = lexer_;
  const Token name = ahead.next();
  if (name.kind != Token::Kind::name || name.first_on_line) return false;
  std::vector<std::string> words{"param", "require"};
  for (const std::string& w : reserved_words()) {
    if (find_reserved(w) != nullptr && find_reserved(w)->kind) words.push_back(w);
  }
  const std::string close = suggest(tok_.text, words);
  if (close.empty() && !ahead.next().is(":")) return false;
  reporter_.error("SYN-3", tok_.where(),
                  fmt::format("`{}` stands here where a declaration or a statement begins", tok_.text.substr(0, 40)),
                  close.empty() ? std::string() : fmt::format("did you mean `{}`?", close));
  advance();
  if (close != "require" && names_->find(name.text) == nullptr)
    names_->declare_global(name.text, {Binding::Kind::broken, {}, Type::index, 0, name.where()});
  advance();
  skip_to_statement();
  return true;
}

void Parser::requirement(Program& p) {
  advance();
  const Syntax* s = expression();
  if (s == nullptr) return skip_to_statement();
  const bool ends = tok_.first_on_line || at(";") || at("}");
  if (!ends && (tok_.kind == Token::Kind::punctuation || at_literal())) {
    stray("the end of the requirement", at("=") ? "equality is `==`" : "");
    return skip_to_statement();
  }
  if (const Expr e = elaborator_->requirement(*s)) p.requirements.push_back(e);
}

void Parser::buffer(Program& p) {
  const Token start = tok_;
  Buffer b;
  b.kind = *find_reserved(start.text)->kind;
  advance();
  const auto name = expect_name("the name of a buffer");
  if (!name) return skip_to_statement();
  b.name = std::string(name->text);
  bool parsed = expect(":", "a buffer has an element type and dimensions: `A: f32[16]`");
  bool good = false;
  if (parsed) {
    const auto element = type();
    good = element.has_value();
    if (element) b.type = *element;
    parsed = (good || at("[")) && expect("[") && dimensions(b);
  }
  b.where = span(start);
  if (parsed && accept("in")) parsed = range(b);
  if (parsed && accept("swizzle")) parsed = swizzle(b);
  if (parsed && accept("=")) parsed = good && data(b);
  Binding binding{
      parsed && good ? Binding::Kind::buffer : Binding::Kind::broken, {}, b.type, b.dims.size(), name->where()};
  if (names_->declare_global(name->text, binding)) p.buffers.push_back(std::move(b));
  if (!parsed) skip_to_statement();
}

bool Parser::dimensions(Buffer& b) {
  std::vector<const Syntax*> dims;
  if (!arguments("]", dims)) return false;
  for (const Syntax* s : dims) b.dims.push_back(elaborator_->bound(*s, "a dimension").value_or(Index(1)));
  return true;
}

bool Parser::range(Buffer& b) {
  const auto lo = signed_integer();
  if (!lo || !expect("..")) return false;
  const auto hi = signed_integer();
  if (!hi) return false;
  b.range = std::pair(*lo, *hi);
  return true;
}

bool Parser::swizzle(Buffer& b) {
  const auto kind = tok_.kind == Token::Kind::name ? parse_swizzle(tok_.text) : std::nullopt;
  if (!kind) {
    unexpected("`elem` or `b128`");
    return false;
  }
  b.swizzle = *kind;
  advance();
  return true;
}

bool Parser::data(Buffer& b) {
  if (!expect("{")) return false;
  if (elements(b)) return true;
  skip_block();  // its `}` is not the program's
  return false;
}

// What stands between the braces, and the second one.
bool Parser::elements(Buffer& b) {
  do {
    const Token start = tok_;
    Expr value;
    const Syntax* s = nullptr;
    const bool negative = accept("-");
    if (negative && !at_literal()) {
      unexpected("a number");
      return false;
    }
    if (at("true") || at("false") || at_literal()) {
      s = at_literal() ? literal(negative, start) : primary();
    } else {
      unexpected("a literal");
    }
    if (s == nullptr) return false;
    value = elaborator_->value(*s, b.type);
    if (value) b.data.push_back(value->literal);
    release_syntax();
  } while (accept(","));
  return expect("}");
}

}  // namespace assay::text
