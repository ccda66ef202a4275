// Texts about operations and codes. Operations describe themselves (transforms/operation.hpp); codes are rules of spec/.
#include "cli/reference.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cli/help.hpp"
#include "spec/rules_table.hpp"

namespace assay::cli {
namespace {

std::string usage(const Declaration& d) {
  std::string out = d.name;
  for (const ParameterInfo& p : d.parameters) {
    using Kind = ParameterInfo::Kind;
    if (p.kind == Kind::result || p.kind == Kind::results) continue;
    std::string word = p.name;
    if (p.kind == Kind::integer) word += "=INT";
    if (p.kind == Kind::integers)
      word += p.choices.empty() ? "=INT,..." : fmt::format("=INT,...|{}", fmt::join(p.choices, "|"));
    if (p.kind == Kind::boolean) word += "=true|false";
    if (p.kind == Kind::choice) word += fmt::format("={}", fmt::join(p.choices, "|"));
    if (p.kind == Kind::loops) word += "=LOOP,...";
    if (p.kind == Kind::storage) word += "=BUFFER";
    if (p.kind == Kind::names) word += "=NAME,...";
    out += p.required ? " " + word : " [" + word + "]";
  }
  std::vector<std::string> results;
  for (const ParameterInfo& p : d.parameters) {
    if (p.kind == ParameterInfo::Kind::result) results.push_back(p.name);
    if (p.kind == ParameterInfo::Kind::results) results.push_back(p.name + ",...");
  }
  if (!results.empty()) out += fmt::format(" [-> {}]", fmt::join(results, ", "));
  return out;
}

std::string licences(const Declaration& d) {
  return d.least == d.greatest ? std::string(name(d.least)) : fmt::format("{} to {}", name(d.least), name(d.greatest));
}

/// A word of a list and its explanation, wrapped beside it.
std::string entry(std::string_view word, const std::string& text) {
  return fmt::format("    {:<12} {}\n", word, wrap(text, text_columns, 17));
}

/// Every line of a text, behind six spaces.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("      {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string in_full_text(const Declaration& d) {
  std::string out;
  for (const ParameterInfo& p : d.parameters) {
    out +=
        entry(p.name, p.required || p.fallback.empty() ? p.help : fmt::format("{} (default: {})", p.help, p.fallback));
  }
  for (const PreconditionInfo& p : d.refusals) out += entry(p.code, p.text);
  if (!d.example_schedule.empty()) out += "    example:\n" + indented(d.example_program) + indented(d.example_schedule);
  return out;
}

/// A code without Markdown marks, wrapped.
std::string plain(std::string_view markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown[i] == '*' && i + 1 < markdown.size() && markdown[i + 1] == '*') {
      ++i;
      continue;
    }
    text += markdown[i];
  }
  return wrap(text, text_columns) + "\n";
}

}  // namespace

std::string operations_text(const std::vector<OperationEntry>& entries, bool in_full) {
  std::string out;
  for (const OperationEntry& e : entries) {
    const Declaration& d = e.declaration;
    const std::string facts =
        fmt::format("licence: {}; schema: {}; obligations: {}", licences(d), d.schema, fmt::join(d.obligations, ", "));
    out += fmt::format("{}\n    {}\n    {}\n", wrap(usage(d), text_columns, 0), wrap(d.summary, text_columns, 4),
                       wrap(facts, text_columns, 4));
    if (in_full) out += in_full_text(d);
  }
  return out;
}

std::optional<std::string> explain(const std::string& code) {
  if (const OperationEntry* operation = find_operation(code)) return operations_text({*operation}, true);
  std::string wanted = code;
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string out;
  if (const spec::Rule* rule = spec::find_rule(wanted)) {
    out += fmt::format("{} ({}:{})\n\n{}", rule->id, rule->file, rule->line, plain(rule->text));
  }
  for (const OperationEntry& e : operations()) {
    const Declaration& d = e.declaration;
    for (const PreconditionInfo& p : d.refusals) {
      if (p.code == wanted)
        out += fmt::format("{}{}\n\n{}", out.empty() ? "" : "\n",
                           wrap(fmt::format("`{}` refuses with {}: {}", d.name, p.code, p.text), text_columns),
                           operations_text({e}, false));
    }
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::string spelled_in_ascii(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
      {"−", "-"},   {"–", "-"},     {"—", "--"}, {"·", "*"},  {"×", "x"},  {"±", "+-"},
      {"…", "..."}, {"∞", "inf"},   {"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"⌊", "floor("},
      {"⌋", ")"},   {"⌈", "ceil("}, {"⌉", ")"},  {"→", "->"}, {"∈", "in"}, {"⊕", "(+)"}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      out += text[at++];
      continue;
    }
    const auto spelling = std::find_if(std::begin(spellings), std::end(spellings),
                                       [&](const auto& s) { return text.substr(at, s.first.size()) == s.first; });
    if (spelling != std::end(spellings)) {
      out += spelling->second;
      at += spelling->first.size();
      continue;
    }
    out += '?';  // one for the whole character
    for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;) ++at;
  }
  return out;
}

std::vector<std::string> known_codes() {
  std::vector<std::string> out;
  for (const spec::Rule& r : spec::all_rules()) out.emplace_back(r.id);
  for (const OperationEntry& e : operations()) {
    out.push_back(e.declaration.name);
    for (const PreconditionInfo& p : e.declaration.refusals) out.push_back(p.code);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace assay::cli
