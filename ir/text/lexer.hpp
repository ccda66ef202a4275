// Tokens of program text (SYN-1, SYN-2), one at a time: schedule blocks inside a file are read by another scanner, which
// takes over at an offset and hands back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ir/diagnostic.hpp"
#include "ir/expr.hpp"
#include "ir/type.hpp"

namespace assay::text {

/// A place in the text that the scanners share.
struct Position {
  std::size_t offset = 0;
  int line = 1;
  std::size_t line_start = 0;  // offset of the line's first byte
};

struct Token {
  enum class Kind { end, name, word, integer, floating, punctuation, bad };
  Kind kind = Kind::end;
  std::string_view text{};
  Position begin{};
  bool first_on_line = false;
  // Kind bad: what is wrong.
  std::string code{}, message{}, help{};

  bool is(std::string_view spelling) const {
    return (kind == Kind::word || kind == Kind::punctuation) && text == spelling;
  }
  std::size_t end_offset() const { return begin.offset + text.size(); }
  Location where() const;
};

/// What a reserved word is, beside a word of the grammar.
struct Reserved {
  std::optional<Type> type{};
  std::optional<BufferKind> kind{};
  std::optional<Op> function{};
};
/// Nothing for words that may be names.
const Reserved* find_reserved(std::string_view word);
/// All reserved words, for suggestions.
const std::vector<std::string>& reserved_words();

bool is_name_start(char c);
bool is_name_character(char c);
bool is_digit(char c);
/// Whether `text` has the form of NAME (reserved or not).
bool has_name_form(std::string_view text);

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token; `end` again and again at the end of the text.
  Token next();
  Position position() const { return at_; }
  void seek(Position p) { at_ = p; }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_.offset + ahead < text_.size() ? text_[at_.offset + ahead] : '\0';
  }
  bool skip_blank();
  Token take(Token::Kind kind, std::size_t length);
  Token bad(std::size_t length, std::string code, std::string message, std::string help);
  Token number();
  Token stray();

  std::string_view text_;
  Position at_{};
};

}  // namespace assay::text
