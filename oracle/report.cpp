// Small texts that screens, JSON and sentences share.
#include "oracle/report.hpp"

#include <fmt/format.h>

namespace assay::oracle {

std::string_view name(InputChoice::Kind k) {
  switch (k) {
    case InputChoice::Kind::zero: return "zero";
    case InputChoice::Kind::exact: return "exact";
    case InputChoice::Kind::adversarial: return "adversarial";
    case InputChoice::Kind::special: return "special";
    case InputChoice::Kind::enumerated: return "enumerated";
    case InputChoice::Kind::given: return "given";
  }
  return "zero";
}

std::string text(const InputChoice& c) {
  if (c.kind == InputChoice::Kind::zero) return "all-zero input";
  if (c.kind == InputChoice::Kind::given) return "the given input";
  if (c.kind == InputChoice::Kind::enumerated) return fmt::format("input number {} of the enumeration", c.seed);
  return fmt::format("{} input (seed {})", name(c.kind), c.seed);
}

std::string_view name(FindingKind k) {
  switch (k) {
    case FindingKind::error: return "error";
    case FindingKind::warning: return "warning";
    case FindingKind::note: return "note";
    case FindingKind::unknown: return "unknown";
  }
  return "error";
}

Report error_report(std::string command, std::vector<Diagnostic> diagnostics) {
  Report r;
  r.command = std::move(command);
  r.verdict = Verdict::error;
  const std::size_t n = diagnostics.size();
  r.claim = n == 1 ? diagnostics.front().message : fmt::format("{} errors; nothing was judged", n);
  for (Diagnostic& d : diagnostics) {
    FindingKind kind = FindingKind::error;
    if (d.severity == Severity::warning) kind = FindingKind::warning;
    if (d.severity == Severity::note) kind = FindingKind::note;
    r.findings.push_back({kind, std::move(d), {}, {}});
  }
  return r;
}

void add_text(Report& r, SourceText text) {
  for (const SourceText& t : r.texts) {
    if (t.file == text.file) return;
  }
  r.texts.push_back(std::move(text));
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string text(const ParameterMap& parameters) {
  std::vector<std::string> parts;
  for (const auto& [symbol, value] : parameters) parts.push_back(fmt::format("{} = {}", symbol, value));
  return join(parts);
}

std::string text(const std::vector<std::pair<Symbol, std::int64_t>>& iteration) {
  std::vector<std::string> parts;
  for (const auto& [symbol, value] : iteration) parts.push_back(fmt::format("{}={}", symbol, value));
  return join(parts);
}

std::string cell_text(const Symbol& buffer, const std::vector<std::int64_t>& cell) {
  if (cell.empty()) return buffer;
  return fmt::format("{}[{}]", buffer, fmt::join(cell, ", "));
}

std::string count(std::int64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

}  // namespace assay::oracle
