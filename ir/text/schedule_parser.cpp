// A line is scanned by itself; after an error the rest of the line is skipped.
#include "ir/text/schedule_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::text {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

class LineScanner {
 public:
  LineScanner(std::string_view text, Position at, bool block, Reporter& reporter)
      : text_(text), at_(at), block_(block), reporter_(reporter) {}

  Position position() const { return at_; }
  char peek(std::size_t ahead = 0) const {
    return at_.offset + ahead < text_.size() ? text_[at_.offset + ahead] : '\0';
  }
  bool at_text_end() const { return at_.offset >= text_.size(); }
  /// Blanks inside a line.
  void skip_blanks() {
    while (is_blank(peek())) ++at_.offset;
  }
  /// At a newline, a comment, the end of the text or the closing brace of a block.
  bool at_line_end() {
    skip_blanks();
    return at_text_end() || peek() == '\n' || peek() == '#' || (block_ && peek() == '}');
  }
  void skip_rest() {
    while (!at_text_end() && peek() != '\n' && !(block_ && peek() == '}')) {
      if (peek() == '#') {
        skip_comment();
        return;
      }
      ++at_.offset;
    }
  }
  void skip_comment() {
    if (peek() != '#') return;
    const auto end = text_.find('\n', at_.offset);
    at_.offset = end == std::string_view::npos ? text_.size() : end;
  }
  void next_line() {
    ++at_.offset;
    ++at_.line;
    at_.line_start = at_.offset;
  }
  void step() { ++at_.offset; }

  std::optional<ScheduleLine> line();

 private:
  Location place(std::size_t from, std::size_t length) const {
    return {at_.line, static_cast<int>(from - at_.line_start) + 1, std::max(1, static_cast<int>(length))};
  }
  std::optional<ScheduleWord> expression();
  std::optional<ScheduleWord> word(std::string_view wanted);
  bool words(std::vector<ScheduleWord>& into, std::string_view wanted);

  std::string_view text_;
  Position at_;
  bool block_;
  Reporter& reporter_;
};

// From `(` to the parenthesis that closes it, in this line.
std::optional<ScheduleWord> LineScanner::expression() {
  const std::size_t from = at_.offset;
  int open = 0;
  for (std::size_t n = 0; from + n < text_.size() && peek(n) != '\n' && peek(n) != '#'; ++n) {
    if (peek(n) == '(') ++open;
    if (peek(n) != ')' || --open > 0) continue;
    at_.offset += n + 1;
    return ScheduleWord{std::string(text_.substr(from, n + 1)), place(from, n + 1)};
  }
  reporter_.error("SCH-2", place(from, 1), "this `(` is not closed in its line");
  return std::nullopt;
}

// A name with an optional star, a number with an optional sign, or an expression in parentheses.
std::optional<ScheduleWord> LineScanner::word(std::string_view wanted) {
  const std::size_t before = at_.offset;
  skip_blanks();
  if (peek() == '(') return expression();
  const std::size_t from = at_.offset;
  std::size_t n = 0;
  if (is_name_start(peek())) {
    while (is_name_character(peek(n)) || (peek(n) == '.' && is_name_character(peek(n + 1)))) ++n;
    if (peek(n) == '*') ++n;
  } else {
    if (peek() == '-' && is_digit(peek(1))) n = 1;
    while (is_name_character(peek(n)) || (n > 0 && peek(n) == '.' && is_digit(peek(n + 1)))) ++n;
  }
  if (n == 0) {
    std::string help;
    if (peek() == ';') help = "a newline ends an operation";
    if (peek() == '{') help = "a program begins with `program NAME {`";
    const char c = peek();
    const bool ended = at_line_end();
    const std::string found = ended                  ? "the line ends"
                              : c > 0x20 && c < 0x7f ? fmt::format("`{}` stands here", c)
                                                     : "a stray character stands here";
    reporter_.error("SCH-2", place(ended ? before : from, 1), fmt::format("{} where {} is expected", found, wanted),
                    help);
    return std::nullopt;
  }
  at_.offset += n;
  return ScheduleWord{std::string(text_.substr(from, n)), place(from, n)};
}

bool LineScanner::words(std::vector<ScheduleWord>& into, std::string_view wanted) {
  do {
    auto w = word(wanted);
    if (!w) return false;
    into.push_back(*std::move(w));
    skip_blanks();
    if (peek() != ',') return true;
    step();
  } while (true);
}

std::optional<ScheduleLine> LineScanner::line() {
  const std::size_t from = at_.offset;
  ScheduleLine line;
  auto op = word("an operation");
  if (!op) return std::nullopt;
  if (!is_name_start(op->text[0]) || op->text.back() == '*') {
    reporter_.error("SCH-2", op->where, fmt::format("`{}` is not the name of an operation", op->text.substr(0, 40)));
    return std::nullopt;
  }
  line.op = op->text;
  while (!at_line_end()) {
    if (peek() == '-' && peek(1) == '>') {
      step();
      step();
      if (!words(line.results, "a new name")) return std::nullopt;
      if (!at_line_end()) {
        reporter_.error("SCH-1", place(at_.offset, 1), "something follows the new names",
                        "the names after `->` end the line");
        return std::nullopt;
      }
      break;
    }
    auto w = word("an operand, `key=value` or `->`");
    if (!w) return std::nullopt;
    skip_blanks();
    if (peek() == '=') {
      step();
      const auto same = [&](const auto& key) { return key.first.text == w->text; };
      if (std::any_of(line.keys.begin(), line.keys.end(), same)) {
        reporter_.error("SCH-3", w->where, fmt::format("`{}` is given twice", w->text.substr(0, 40)));
        return std::nullopt;
      }
      std::vector<ScheduleWord> values;
      if (at_line_end()) {
        reporter_.error("SCH-3", w->where, fmt::format("`{}` has no value", w->text.substr(0, 40)));
        return std::nullopt;
      }
      if (!words(values, "a value")) return std::nullopt;
      line.keys.emplace_back(*std::move(w), std::move(values));
      continue;
    }
    line.operands.push_back(*std::move(w));
    if (peek() == ',') {
      step();
      if (at_line_end()) {
        reporter_.error("SCH-2", place(at_.offset, 1), "the line ends where an operand is expected");
        return std::nullopt;
      }
    }
  }
  std::string_view written = text_.substr(from, at_.offset - from);
  while (!written.empty() && is_blank(written.back())) written.remove_suffix(1);
  line.text = std::string(written);
  line.where = place(from, written.size());
  return line;
}

}  // namespace

std::vector<ScheduleLine> schedule_lines(std::string_view text, Position& at, bool block, bool& closed,
                                         Reporter& reporter) {
  std::vector<ScheduleLine> lines;
  LineScanner scanner(text, at, block, reporter);
  closed = false;
  while (!reporter.exhausted()) {
    if (!scanner.at_line_end()) {
      if (auto line = scanner.line()) {
        lines.push_back(*std::move(line));
      } else {
        scanner.skip_rest();
      }
      continue;
    }
    if (scanner.at_text_end()) break;
    if (scanner.peek() == '#') {
      scanner.skip_comment();
    } else if (scanner.peek() == '\n') {
      scanner.next_line();
    } else {
      scanner.step();  // the closing brace
      closed = true;
      break;
    }
  }
  at = scanner.position();
  return lines;
}

}  // namespace assay::text
