// Tokens, nesting, recovery, and the file level of the parser.
#include "ir/text/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text/schedule_parser.hpp"

namespace assay::text {

Parser::Parser(std::string_view text, Reporter& reporter) : text_(text), reporter_(reporter), lexer_(text) {
  tok_ = lexer_.next();
}

void Parser::advance() {
  previous_end_ = tok_.begin;
  previous_end_.offset = tok_.end_offset();
  tok_ = lexer_.next();
}

bool Parser::accept(std::string_view spelling) {
  if (!at(spelling)) return false;
  advance();
  return true;
}

// Where a message about the current token points: at the end of the text it is just after the last token.
Location Parser::here() const { return tok_.kind == Token::Kind::end ? after_previous() : tok_.where(); }

Location Parser::after_previous() const {
  return {previous_end_.line, static_cast<int>(previous_end_.offset - previous_end_.line_start) + 1, 1};
}

// From `from` to the token before the current one; only the first token when that is on a later line.
Location Parser::span(const Token& from) const {
  Location where = from.where();
  if (previous_end_.line == from.begin.line && previous_end_.offset > from.begin.offset) {
    where.length = static_cast<int>(previous_end_.offset - from.begin.offset);
  }
  return where;
}

// Inside a statement, a token that begins a line is most likely the next statement, and what is missing belongs to the line
// before.
void Parser::unexpected(std::string_view wanted, std::string_view help) {
  if (stopped()) return;
  if (tok_.kind != Token::Kind::end && tok_.begin.line != previous_end_.line && previous_end_.offset > 0) {
    reporter_.error("SYN-3", after_previous(), fmt::format("the line ends where {} is expected", wanted),
                    std::string(help));
    return;
  }
  stray(wanted, help);
}

void Parser::stray(std::string_view wanted, std::string_view help) {
  if (stopped()) return;
  if (tok_.kind == Token::Kind::bad) {
    reporter_.error(tok_.code, tok_.where(), tok_.message, tok_.help);
    return;
  }
  if (tok_.kind == Token::Kind::end)
    unclosed_ = tok_.begin.offset + 1;  // what is open here needs no message of its own
  const std::string found =
      tok_.kind == Token::Kind::end ? "the text ends" : fmt::format("`{}` stands here", tok_.text.substr(0, 40));
  reporter_.error("SYN-3", here(), fmt::format("{} where {} is expected", found, wanted), std::string(help));
}

bool Parser::expect(std::string_view spelling, std::string_view help) {
  if (accept(spelling)) return true;
  unexpected(fmt::format("`{}`", spelling), help);
  return false;
}

std::optional<Token> Parser::expect_name(std::string_view what) {
  if (tok_.kind == Token::Kind::name) {
    const Token name = tok_;
    advance();
    return name;
  }
  if (tok_.kind == Token::Kind::word) {
    reporter_.error("SYN-5", here(), fmt::format("`{}` is a reserved word and cannot be {}", tok_.text, what),
                    "choose another name");
  } else {
    unexpected(what);
  }
  return std::nullopt;
}

Parser::Nest::Nest(Parser& p) : parser_(p) {
  ++parser_.depth_;
  if (parser_.depth_ > max_nesting && !parser_.stopped()) {
    parser_.reporter_.fatal("LIM-2", parser_.here(),
                            fmt::format("blocks and expressions nest more than {} deep", max_nesting));
  }
}

// Skips the rest of a block whose `{` was consumed.
void Parser::skip_block() {
  int open = 1;
  while (!stopped() && tok_.kind != Token::Kind::end) {
    if (at("{")) ++open;
    if (at("}") && --open == 0) {
      advance();
      return;
    }
    advance();
  }
}

// To the next token that may begin a statement or a declaration, or to the end of the block.
void Parser::skip_to_statement() {
  while (!stopped() && tok_.kind != Token::Kind::end && !at("}")) {
    if (accept(";")) return;
    if (tok_.first_on_line && (tok_.kind == Token::Kind::name || tok_.kind == Token::Kind::word)) return;
    for (const std::string_view word :
         {"for", "if", "var", "barrier", "launch", "param", "require", "program", "schedule"}) {
      if (at(word)) return;
    }
    if (accept("{")) {
      skip_block();
    } else {
      advance();
    }
  }
}

// The `}` that ends what `brace` began. Of the blocks that one missing brace leaves open only the innermost is reported.
void Parser::close(const Token& brace, std::string_view help) {
  if (stopped() || accept("}") || unclosed_ == tok_.begin.offset + 1) return;
  unclosed_ = tok_.begin.offset + 1;
  reporter_.error("SYN-3", brace.where(), "this `{` is never closed", std::string(help));
}

void Parser::skip_to_program() {
  while (!stopped() && tok_.kind != Token::Kind::end && !at("program") && !at("schedule")) advance();
}

Items Parser::file() {
  Items items;
  if (at("air")) {
    advance();
    if (tok_.kind == Token::Kind::integer && tok_.text == "1") {
      advance();
    } else if (tok_.kind == Token::Kind::integer) {
      reporter_.error("SYN-9", tok_.where(),
                      fmt::format("version {} of the format is not known", tok_.text.substr(0, 40)), "write `air 1`");
      advance();
    } else {
      unexpected("the version `1`");
      skip_to_program();
    }
  }
  while (!stopped() && tok_.kind != Token::Kind::end) {
    const std::size_t offset = tok_.begin.offset;
    if (at("program")) {
      if (auto p = program()) items.programs.push_back({*std::move(p), offset});
    } else if (at("schedule")) {
      items.schedules.push_back({schedule(), offset});
    } else {
      stray("`program` or `schedule`",
            "operations of a schedule stand in `schedule NAME { … }`, or alone in a file of their own");
      advance();
      skip_to_program();
    }
  }
  return items;
}

// The lines of a schedule block are not made of program tokens: the schedule's scanner takes over after the brace.
Schedule Parser::schedule() {
  Schedule s;
  const Token start = tok_;
  advance();
  // A schedule may be named by any word.
  if (tok_.kind == Token::Kind::name) {
    s.name = std::string(tok_.text);
    advance();
  } else {
    expect_name("the name of a schedule");
    if (tok_.kind == Token::Kind::word) advance();
  }
  s.where = span(start);
  const Token brace = tok_;
  if (!at("{")) {
    unexpected("`{`");
    skip_to_program();
    return s;
  }
  Position after = brace.begin;
  ++after.offset;
  bool closed = false;
  s.lines = schedule_lines(text_, after, true, closed, reporter_);
  if (!closed && !stopped()) {
    reporter_.error("SYN-3", brace.where(), "this `{` is never closed", "a schedule ends with `}`");
  }
  lexer_.seek(after);
  tok_ = lexer_.next();
  return s;
}

void Parser::release_syntax() {
  if (scope_depth_ > 0) return;
  arena_.clear();
  elaborator_->clear();
}

}  // namespace assay::text
