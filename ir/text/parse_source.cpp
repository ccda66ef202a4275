// Decides what sort of text it is given, parses it, and assigns what follows each `# expect:` line to it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/text/json.hpp"
#include "ir/text/parser.hpp"
#include "ir/text/schedule_parser.hpp"
#include "ir/text/source.hpp"

namespace assay {
namespace text {
namespace {

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < line.size()) {
    const std::size_t from = line.find_first_not_of(" \t\r", i);
    if (from == std::string_view::npos) break;
    i = std::min(line.find_first_of(" \t\r", from), line.size());
    words.emplace_back(line.substr(from, i - from));
  }
  return words;
}

struct PlacedExpectation {
  Expectation value;
  std::size_t offset = 0;
};

std::vector<PlacedExpectation> find_expectations(std::string_view text) {
  constexpr std::array<std::string_view, 6> commands{"parse", "run", "lint", "check", "apply", "prove"};
  std::vector<PlacedExpectation> found;
  std::size_t start = 0;
  for (int line = 1; start < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view content = text.substr(start, end - start);
    const std::size_t hash = content.find_first_not_of(" \t");
    if (hash != std::string_view::npos && content[hash] == '#') {
      const std::size_t word = content.find_first_not_of(" \t", hash + 1);
      constexpr std::string_view keyword = "expect:";
      if (word != std::string_view::npos && content.substr(word, keyword.size()) == keyword) {
        const auto words = split_words(content.substr(word + keyword.size()));
        PlacedExpectation e;
        e.offset = start;
        e.value.where = {line, static_cast<int>(hash) + 1, static_cast<int>(content.size() - hash)};
        std::size_t next = 0;
        if (!words.empty() && std::find(commands.begin(), commands.end(), words[0]) != commands.end())
          e.value.command = words[next++];
        if (next < words.size()) e.value.verdict = words[next++];
        if (next < words.size()) e.value.code = words[next++];
        found.push_back(std::move(e));
      }
    }
    start = end + 1;
  }
  return found;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// SYN-15.
TextSort sort_of(std::string_view text, std::string_view path) {
  const Token first = Lexer(text).next();
  const bool structured = ends_with(path, ".air") || first.is("air") || first.is("program") || first.is("schedule");
  return structured ? TextSort::structured : TextSort::bare;
}

}  // namespace

Result<SourceFile> parse_text(std::string_view text, std::string path, TextSort sort) {
  Reporter reporter(path);
  Items items;
  if (sort == TextSort::structured) {
    items = Parser(text, reporter).file();
  } else {
    Schedule bare;
    Position at;
    bool closed = false;
    bare.lines = schedule_lines(text, at, false, closed, reporter);
    items.schedules.push_back({std::move(bare), text.size()});
  }
  if (reporter.count() > 0) return tl::unexpected(reporter.take());

  SourceFile file;
  file.path = std::move(path);
  file.text = std::string(text);
  std::vector<PlacedExpectation> expectations = find_expectations(text);
  // The last expectation before an offset judges what stands there.
  const auto judge = [&](std::size_t offset) -> Expectation* {
    const auto after = std::partition_point(expectations.begin(), expectations.end(),
                                            [&](const auto& e) { return e.offset < offset; });
    return after == expectations.begin() ? nullptr : &std::prev(after)->value;
  };
  for (auto& p : items.programs) {
    if (Expectation* e = judge(p.offset)) e->programs.push_back(file.programs.size());
    file.programs.push_back(std::move(p.value));
  }
  for (auto& s : items.schedules) {
    if (Expectation* e = judge(s.offset)) e->schedules.push_back(file.schedules.size());
    file.schedules.push_back(std::move(s.value));
  }
  for (auto& e : expectations) file.expectations.push_back(std::move(e.value));
  return file;
}

}  // namespace text

Result<SourceFile> parse_source(std::string_view text, std::string path) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string_view::npos && text[start] == '{';
  const std::size_t limit = json ? max_json_bytes : max_source_bytes;
  if (text.size() > limit) {
    return fail({"LIM-1",
                 fmt::format("the text has more than the {} bytes that are read", limit),
                 {},
                 {},
                 std::move(path),
                 Severity::error});
  }
  if (json) return text::parse_json(text, std::move(path));
  const text::TextSort sort = text::sort_of(text, path);
  return text::parse_text(text, std::move(path), sort);
}

Result<Expr> parse_expression(std::string_view text, const Program& p) {
  text::Reporter reporter{std::string()};
  Expr e = text::Parser(text, reporter).expression_over(p);
  if (!e) return tl::unexpected(reporter.take());
  return e;
}

}  // namespace assay
