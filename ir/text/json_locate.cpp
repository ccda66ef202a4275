// A scanner of well-formed JSON that skips values without recursion.
#include "ir/text/json_locate.hpp"

#include <algorithm>
#include <charconv>

namespace assay::text {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { blanks(); }
  std::size_t offset() const { return at_; }

  bool enter(char open) {
    if (peek() != open) return false;
    ++at_;
    blanks();
    return true;
  }
  /// Moves to the value of a member of the object that begins here.
  bool member(const std::string& name) {
    if (!enter('{')) return false;
    while (peek() == '"') {
      const std::size_t from = at_ + 1;
      skip_string();
      const std::string_view key = text_.substr(from, at_ - 1 - from);
      blanks();
      if (peek() == ':') ++at_;
      blanks();
      if (key == name) return true;  // the schema's names have no escapes
      skip_value();
      if (!enter(',')) return false;
    }
    return false;
  }
  bool element(std::size_t position) {
    if (!enter('[')) return false;
    for (std::size_t i = 0; i < position; ++i) {
      skip_value();
      if (!enter(',')) return false;
    }
    return peek() != ']' && peek() != '\0';
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }
  void skip_value() {
    std::size_t open = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++open;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (open == 0) return;
        --open;
        ++at_;
      } else if (open == 0) {
        while (at_ < text_.size() && std::string_view(",]} \n\t\r").find(text_[at_]) == std::string_view::npos) ++at_;
      } else {
        ++at_;
      }
    } while (open > 0 && at_ < text_.size());
    blanks();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string path_text(const JsonPath& path) {
  std::string out;
  for (const std::string& step : path) out += "/" + step;
  return out.empty() ? "/" : out;
}

Location place_at(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? offset + 1 : offset - start;
  return {static_cast<int>(line), static_cast<int>(column), 1};
}

Location locate(std::string_view text, const JsonPath& path) {
  Scanner scanner(text);
  std::size_t found = scanner.offset();
  for (const std::string& step : path) {
    std::size_t position = 0;
    const auto number = std::from_chars(step.data(), step.data() + step.size(), position);
    const bool is_position = number.ec == std::errc() && number.ptr == step.data() + step.size();
    if (!(is_position ? scanner.element(position) : scanner.member(step))) break;
    found = scanner.offset();
  }
  return place_at(text, found);
}

}  // namespace assay::text
