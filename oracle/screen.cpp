// Laying out a report in lines.
//
// A screen is a list of lines: the table of steps or obligations, what ran, what did not, the findings, the verdict. When it
// is too long, the middle goes and is counted; the verdict always stays.
#include "oracle/screen.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "oracle/thread_table.hpp"

namespace assay::oracle {
namespace {

using Lines = std::vector<std::string>;
using Status = Obligation::Status;

constexpr std::size_t widest_quote = 160;

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end == std::string::npos ? end : end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return out;
}

const std::string& text_of(const Report& r, const std::string& file) {
  static const std::string none;
  for (const SourceText& t : r.texts) {
    if (t.file == file) return t.text;
  }
  return none;
}

std::string paint(const std::string& text, const char* code, bool colour) {
  return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

// --- tables ------------------------------------------------------------------------------------------------------------------

std::string obligations_text(const std::vector<ObligationReport>& list) {
  std::map<Status, int> n;
  for (const ObligationReport& o : list) ++n[o.obligation.status];
  std::vector<std::string> parts;
  if (n[Status::proved] > 0 || list.empty()) parts.push_back(fmt::format("{} proved", n[Status::proved]));
  if (n[Status::violated] > 0) parts.push_back(fmt::format("{} violated", n[Status::violated]));
  if (n[Status::undecided] > 0) parts.push_back(fmt::format("{} undecided", n[Status::undecided]));
  return join(parts);
}

/// Every engine once, in the order in which they are asked; an obligation may name several ("native, isl").
std::string engines_text(const std::vector<ObligationReport>& list) {
  static constexpr std::string_view order[] = {"structure", "intervals", "table", "gf2", "native", "isl", "z3", "cvc5"};
  std::vector<std::string> engines;
  for (const ObligationReport& o : list) {
    std::string_view rest = o.obligation.engine;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(", "), rest.size());
      const std::string engine(rest.substr(0, end));
      if (std::find(engines.begin(), engines.end(), engine) == engines.end()) engines.push_back(engine);
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
  }
  const auto rank = [&](const std::string& e) { return std::find(std::begin(order), std::end(order), e) - order; };
  std::stable_sort(engines.begin(), engines.end(), [&](const std::string& a, const std::string& b) {
    return std::make_pair(rank(a), a) < std::make_pair(rank(b), b);
  });
  return join(engines);
}

void add_steps(Lines& lines, const Report& r, bool verbose) {
  if (r.steps.empty()) return;
  // The table is for what holds; a step that does not has a finding of its own.
  const std::size_t most = verbose ? r.steps.size() : 14;
  std::size_t width = 9;
  for (const StepReport& s : r.steps) width = std::max(width, s.text.size());
  width = std::min<std::size_t>(width, 60);
  lines.push_back(
      fmt::format("step  {:<{}}  {:<12}  {:<24} {}", "operation", width, "licence", "obligations", "engine"));
  std::size_t shown = 0;
  for (const StepReport& s : r.steps) {
    if (shown == most) break;
    ++shown;
    const std::string what = s.judged ? obligations_text(s.obligations) : "not judged (--only)";
    const std::string licence = s.judged && s.status == Verdict::legal ? std::string(name(s.licence))
                                : s.judged                             ? std::string(word(s.status))
                                                                       : "-";
    lines.push_back(fmt::format("{:>4}  {:<{}}  {:<12}  {:<24} {}", s.number, s.text, width, licence, what,
                                engines_text(s.obligations)));
    if (!verbose) continue;
    for (const ObligationReport& o : s.obligations) {
      static constexpr const char* words[] = {"proved", "violated", "undecided"};
      lines.push_back(fmt::format("      {:<6} {:<9} {}: {} ({}{})", o.id,
                                  words[static_cast<std::size_t>(o.obligation.status)], o.obligation.kind,
                                  o.obligation.claim, o.obligation.engine, o.obligation.vacuous ? ", vacuous" : ""));
    }
  }
  if (shown < r.steps.size())
    lines.push_back(fmt::format("      ... {} more steps (-v shows them)", r.steps.size() - shown));
}

/// "proved  bounds 4, coverage 1 (isl)", one line per status; with -v one line per obligation.
void add_obligations(Lines& lines, const Report& r, bool verbose) {
  static constexpr std::pair<Status, const char*> statuses[] = {
      {Status::proved, "proved"}, {Status::violated, "violated"}, {Status::undecided, "open"}};
  for (const auto& [status, title] : statuses) {
    std::map<std::string, int> kinds;
    std::vector<ObligationReport> these;
    for (const ObligationReport& o : r.obligations) {
      if (o.obligation.status != status) continue;
      ++kinds[o.obligation.kind];
      these.push_back(o);
    }
    if (kinds.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& [kind, n] : kinds) parts.push_back(fmt::format("{} {}", kind, n));
    const std::string engines = engines_text(these);
    lines.push_back(fmt::format("{:<9} {}{}", title, join(parts),
                                engines.empty() ? std::string() : fmt::format("   ({})", engines)));
    if (!verbose) continue;
    for (const ObligationReport& o : r.obligations) {
      if (o.obligation.status == status)
        lines.push_back(fmt::format("          {:>3} {}: {}", o.id, o.obligation.kind, o.obligation.claim));
    }
  }
}

void add_titled(Lines& lines, std::string_view title, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    for (const std::string& line : split_lines(item)) {
      lines.push_back(fmt::format("{:<5} {}", title, line));
      title = "";
    }
  }
}

// --- findings ----------------------------------------------------------------------------------------------------------------

/// Underlined spans of related places: one header and source line per line of the text, then the labels.
void add_labels(Lines& lines, const Report& r, const Finding& f) {
  std::string last;
  for (const Label& l : f.labels) {
    if (!l.where.known()) {
      lines.push_back(fmt::format("   = {}", l.text));
      continue;
    }
    const std::string number = std::to_string(l.where.line);
    const std::string place = fmt::format("{}:{}", l.file, l.where.line);
    std::vector<std::string> source = split_lines(text_of(r, l.file));
    const std::size_t index = static_cast<std::size_t>(l.where.line) - 1;
    if (index < source.size() && source[index].size() > widest_quote) {
      lines.push_back(fmt::format("   = {}:{}: {}", place, l.where.column, l.text));
      continue;
    }
    if (index < source.size()) {
      // One column for each byte: tabs would move the marks below.
      std::replace_if(
          source[index].begin(), source[index].end(), [](unsigned char c) { return c < 0x20; }, ' ');
    }
    if (place != last) {
      lines.push_back(fmt::format("  ::: {}:{}", place, l.where.column));
      if (index < source.size()) lines.push_back(fmt::format(" {} | {}", number, source[index]));
      last = place;
    }
    const std::size_t column = static_cast<std::size_t>(std::max(l.where.column, 1)) - 1;
    const std::size_t length = static_cast<std::size_t>(std::max(l.where.length, 1));
    const std::size_t room = index < source.size() && source[index].size() > column ? source[index].size() - column : 1;
    lines.push_back(fmt::format(" {} | {}{} {}", std::string(number.size(), ' '), std::string(column, ' '),
                                std::string(std::min(length, room), '-'), l.text));
  }
}

void add_finding(Lines& lines, const Report& r, const Finding& f, const ScreenStyle& style) {
  Diagnostic head = f.diagnostic;
  head.help.clear();
  if (f.kind == FindingKind::warning) head.severity = Severity::warning;
  if (f.kind == FindingKind::note) head.severity = Severity::note;
  std::string text = render(head, text_of(r, head.file), style.colour, style.unicode);
  if (f.kind == FindingKind::unknown) {
    // `unknown` is a severity of verdicts alone: the renderer of texts does not have it.
    if (const std::size_t at = text.find("error"); at != std::string::npos) text.replace(at, 5, "unknown");
  }
  for (std::string& line : split_lines(text)) lines.push_back(std::move(line));
  if (f.threads) {
    for (std::string& line : table_lines(*f.threads)) lines.push_back(std::move(line));
  }
  add_labels(lines, r, f);
  for (const std::string& remark : f.remarks) lines.push_back("   = " + remark);
  if (!f.diagnostic.help.empty()) lines.push_back("   = help: " + f.diagnostic.help);
}

void add_findings(Lines& lines, const Report& r, const ScreenStyle& style) {
  const std::size_t most = style.verbose ? r.findings.size() : 4;
  std::size_t shown = 0;
  std::set<std::string> codes;
  for (const Finding& f : r.findings) {
    if (shown++ < most) add_finding(lines, r, f, style);
    if (!f.diagnostic.code.empty()) codes.insert(f.diagnostic.code);
  }
  if (shown > most) lines.push_back(fmt::format("... {} more messages (-v shows them)", shown - most));
  if (!codes.empty() && r.verdict != Verdict::error)
    lines.push_back(fmt::format("   more: assay explain {}", *codes.begin()));
}

void add_expectations(Lines& lines, const Report& r, bool verbose) {
  for (const ExpectationReport& e : r.expectations) {
    if (e.passed) {
      if (verbose) lines.push_back(fmt::format("{}:{}: {} as expected", e.file, e.line, word(e.verdict)));
      continue;
    }
    lines.push_back(fmt::format("{}:{}: expected {}, got {}{}{}", e.file, e.line, e.expected, word(e.verdict),
                                e.codes.empty() ? "" : " ", join(e.codes, " ")));
    for (const std::string& d : e.details) lines.push_back("    " + d);
  }
}

void add_outputs(Lines& lines, const Report& r) {
  for (const OutputReport& o : r.outputs) {
    lines.push_back(fmt::format("{}: {}[{}] = {}{}", o.buffer, name(o.type), fmt::join(o.dims, ", "), o.values,
                                o.file.empty() ? std::string() : "   -> " + o.file));
  }
}

/// Bytes beyond ASCII as `?`, for terminals that cannot show them.
void make_ascii(std::string& line) {
  std::string out;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      out += c;
    else if ((byte & 0xC0U) == 0xC0U)
      out += '?';
  }
  line = std::move(out);
}

const char* verdict_colour(Verdict v) {
  if (is_success(v)) return "1;32";
  return v == Verdict::undecided || v == Verdict::inapplicable ? "1;33" : "1;31";
}

}  // namespace

std::string verdict_line(const Report& r) {
  std::string out(word(r.verdict));
  if (r.verdict == Verdict::legal && r.licence) out += fmt::format(" ({})", name(*r.licence));
  out += ": " + r.claim;
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

std::string to_screen(const Report& r, const ScreenStyle& style) {
  Lines lines;
  add_steps(lines, r, style.verbose);
  add_obligations(lines, r, style.verbose);
  add_outputs(lines, r);
  add_expectations(lines, r, style.verbose);
  add_titled(lines, "ran", r.ran);
  add_titled(lines, "not", r.omissions);
  add_findings(lines, r, style);
  if (!style.verbose && lines.size() + 1 > screen_lines) {
    // Keep the beginning; the verdict and the line that counts the rest are the last two.
    const std::size_t kept = screen_lines - 2;
    const std::size_t lost = lines.size() - kept;
    lines.resize(kept);
    lines.push_back(fmt::format("... {} more lines (-v shows them)", lost));
  }
  std::string last = verdict_line(r);
  if (r.seconds) last += fmt::format("   [{:.1f} s]", *r.seconds);
  const std::string head(word(r.verdict));
  std::string out;
  for (std::string& line : lines) {
    if (!style.unicode) make_ascii(line);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  if (!style.unicode) make_ascii(last);
  return out + paint(head, verdict_colour(r.verdict), style.colour) + last.substr(head.size()) + "\n";
}

}  // namespace assay::oracle
