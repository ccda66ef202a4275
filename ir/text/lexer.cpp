// The scanner of program text. A token that is wrong becomes a token of kind `bad` with its message, which the parser
// reports when it meets it.
#include "ir/text/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace assay::text {

Location Token::where() const {
  return {begin.line, static_cast<int>(begin.offset - begin.line_start) + 1,
          std::max(1, static_cast<int>(text.size()))};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_character(char c) { return is_name_start(c) || is_digit(c); }

bool has_name_form(std::string_view text) {
  if (text.empty() || !is_name_start(text[0])) return false;
  std::size_t i = 1;
  while (i < text.size() && is_name_character(text[i])) ++i;
  if (i == text.size()) return true;
  if (text[i] != '.' || i + 1 == text.size()) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i) + 1, text.end(), is_digit);
}

namespace {

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::unordered_map<std::string_view, Reserved> make_reserved() {
  std::unordered_map<std::string_view, Reserved> words;
  for (const std::string_view w :
       {"air",     "program", "param", "in",    "require",  "for",     "step", "if",  "else", "zero",
        "barrier", "launch",  "var",   "scope", "schedule", "swizzle", "inf",  "nan", "true", "false"}) {
    words[w] = {};
  }
  for (const Type t : storage_types) words[name(t)].type = t;
  for (const BufferKind k : {BufferKind::input, BufferKind::inout, BufferKind::output, BufferKind::temp,
                             BufferKind::shared, BufferKind::local, BufferKind::constant}) {
    words[name(k)].kind = k;
  }
  for (std::size_t i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    if (info(op).function) words[info(op).text].function = op;
  }
  return words;
}

const std::unordered_map<std::string_view, Reserved>& reserved() {
  static const auto words = make_reserved();
  return words;
}

}  // namespace

const Reserved* find_reserved(std::string_view word) {
  const auto it = reserved().find(word);
  return it == reserved().end() ? nullptr : &it->second;
}

const std::vector<std::string>& reserved_words() {
  static const auto words = [] {
    std::vector<std::string> all;
    for (const auto& [word, what] : reserved()) all.emplace_back(word);
    std::sort(all.begin(), all.end());
    return all;
  }();
  return words;
}

// Skips white space and comments; says whether a line ended.
bool Lexer::skip_blank() {
  bool new_line = at_.offset == at_.line_start;
  while (at_.offset < text_.size()) {
    const char c = text_[at_.offset];
    if (c == '\n') {
      ++at_.offset;
      ++at_.line;
      at_.line_start = at_.offset;
      new_line = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_.offset;
    } else if (c == '#') {
      const auto end = text_.find('\n', at_.offset);
      at_.offset = end == std::string_view::npos ? text_.size() : end;
    } else {
      break;
    }
  }
  return new_line;
}

Token Lexer::take(Token::Kind kind, std::size_t length) {
  Token t;
  t.kind = kind;
  t.text = text_.substr(at_.offset, length);
  t.begin = at_;
  at_.offset += length;
  return t;
}

Token Lexer::bad(std::size_t length, std::string code, std::string message, std::string help) {
  Token t = take(Token::Kind::bad, length);
  t.code = std::move(code);
  t.message = std::move(message);
  t.help = std::move(help);
  return t;
}

Token Lexer::next() {
  const bool first_on_line = skip_blank();
  const auto token = [&]() -> Token {
    if (at_.offset >= text_.size()) return take(Token::Kind::end, 0);
    const char c = peek();
    if (is_name_start(c)) {
      std::size_t n = 1;
      while (is_name_character(peek(n))) ++n;
      const std::string_view word = text_.substr(at_.offset, n);
      if ((word == "max" || word == "min") && peek(n) == '=' && peek(n + 1) != '=')
        return take(Token::Kind::punctuation, n + 1);
      std::size_t suffix = n;
      if (peek(n) == '.' && is_digit(peek(n + 1))) {
        suffix = n + 1;
        while (is_digit(peek(suffix))) ++suffix;
      }
      if (suffix > n) return take(Token::Kind::name, suffix);
      return take(find_reserved(word) != nullptr ? Token::Kind::word : Token::Kind::name, n);
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    static constexpr std::array<std::string_view, 9> pairs{"..", "==", "!=", "<=", ">=", "&&", "||", "+=", "*="};
    const std::string_view two = text_.substr(at_.offset, 2);
    if (std::find(pairs.begin(), pairs.end(), two) != pairs.end()) return take(Token::Kind::punctuation, 2);
    if (std::string_view("{}[](),:;?=<>+-*/!@").find(c) != std::string_view::npos)
      return take(Token::Kind::punctuation, 1);
    return stray();
  }();
  Token result = token;
  result.first_on_line = first_on_line;
  return result;
}

// An integer, a float, or something that only starts like one.
Token Lexer::number() {
  const auto digits = [&](std::size_t from, bool (*accept)(char)) {
    std::size_t n = from;
    while (accept(peek(n))) ++n;
    return n;
  };
  std::size_t n = 0;
  bool floating = false;
  bool good = true;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    floating = true;
    good = peek(1) == 'x';
    n = digits(2, is_hex_digit);
    good = good && n > 2;
    if (peek(n) == '.' && peek(n + 1) != '.') {
      const std::size_t end = digits(n + 1, is_hex_digit);
      good = good && end > n + 1;
      n = end;
    }
    if (peek(n) == 'p' || peek(n) == 'P') {
      const std::size_t sign = peek(n + 1) == '+' || peek(n + 1) == '-' ? 1 : 0;
      const std::size_t end = digits(n + 1 + sign, is_digit);
      good = good && end > n + 1 + sign;
      n = end;
    }
  } else {
    n = digits(0, is_digit);
    good = n > 0;
    if (peek(n) == '.' && peek(n + 1) != '.') {
      floating = true;
      const std::size_t end = digits(n + 1, is_digit);
      good = good && end > n + 1;
      n = end;
    }
    if (peek(n) == 'e' || peek(n) == 'E') {
      const std::size_t sign = peek(n + 1) == '+' || peek(n + 1) == '-' ? 1 : 0;
      const std::size_t end = digits(n + 1 + sign, is_digit);
      if (end > n + 1 + sign) {
        floating = true;
        n = end;
      }
    }
  }
  const bool glued = is_name_character(peek(n)) || (floating && peek(n) == '.' && peek(n + 1) != '.');
  if (good && !glued) return take(floating ? Token::Kind::floating : Token::Kind::integer, n);
  while (is_name_character(peek(n)) || (peek(n) == '.' && peek(n + 1) != '.')) ++n;
  const std::string_view written = text_.substr(at_.offset, std::min<std::size_t>(n, 40));
  return bad(
      n, "SYN-2", fmt::format("`{}` is not a number", written),
      "a float has digits on both sides of its point or an exponent (0.5, 1.0, 1e-3), or is hexadecimal (0x1.8p3)");
}

// A character that begins no token.
Token Lexer::stray() {
  const auto c = static_cast<unsigned char>(peek());
  if (c >= 0x80) {
    std::size_t n = 1;
    while (static_cast<unsigned char>(peek(n)) >= 0x80 && n < 64) ++n;
    return bad(n, "SYN-1", "a character outside ASCII", "only comments may hold other characters");
  }
  std::string help;
  switch (c) {
    case '%': help = "the remainder is named: floormod(a, b), truncmod(a, b) or eucmod(a, b)"; break;
    case '&': help = "logical and is `&&`"; break;
    case '|': help = "logical or is `||`"; break;
    case '.': help = "a range is written with two points, `0..n`; a float has digits on both sides of its point"; break;
    case '^':
    case '~': help = "there are no bit operations"; break;
    default: break;
  }
  const std::string shown =
      c >= 0x20 && c < 0x7f ? fmt::format("`{}`", static_cast<char>(c)) : fmt::format("the byte 0x{:02x}", c);
  return bad(1, "SYN-1", fmt::format("{} begins no token", shown), help);
}

}  // namespace assay::text
