// Judging expectations. A section is cut out of its file with everything else blanked, so that places stay those of the file.
#include "oracle/expect.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "oracle/check.hpp"
#include "oracle/files.hpp"
#include "oracle/lint.hpp"
#include "oracle/prove.hpp"
#include "oracle/run.hpp"
#include "oracle/screen.hpp"

namespace assay::oracle {
namespace {

namespace fs = std::filesystem;

struct CommandVerdicts {
  std::string_view command;
  std::vector<std::string_view> verdicts;
};
const std::vector<CommandVerdicts>& command_verdicts() {
  static const std::vector<CommandVerdicts> table{
      {"parse", {"ok", "error"}},
      {"run", {"ok", "faulty", "undecided", "error"}},
      {"lint", {"clean", "faulty", "undecided", "error"}},
      {"check", {"legal", "illegal", "inapplicable", "faulty", "undecided", "error"}},
      {"apply", {"legal", "illegal", "inapplicable", "faulty", "undecided", "error"}},
      {"prove", {"equivalent", "different", "faulty", "undecided", "error"}},
  };
  return table;
}

const CommandVerdicts* find_command(std::string_view command) {
  for (const CommandVerdicts& c : command_verdicts()) {
    if (c.command == command) return &c;
  }
  return nullptr;
}

bool can_answer(std::string_view command, std::string_view verdict) {
  const CommandVerdicts* c = find_command(command);
  return c != nullptr && std::find(c->verdicts.begin(), c->verdicts.end(), verdict) != c->verdicts.end();
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    at = end;
  }
  return out;
}

struct Section {
  int line = 0;  // of the comment
  ExpectLine expected{};
  std::string text{};
};
struct TestFile {
  std::string path{};
  std::vector<Section> sections{};
};

/// The sections of a text; a malformed comment is a diagnostic.
Result<std::vector<Section>> cut(const std::string& text, const std::string& path) {
  std::vector<Section> out;
  std::vector<Diagnostic> faults;
  std::string blank;  // as many line ends as were passed
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    ++number;
    const auto expectation = read_expect_line(line);
    if (expectation && !*expectation) {
      const int column = static_cast<int>(line.find('#')) + 1;
      faults.push_back({"TEST-4",
                        expectation->error(),
                        {number, column, static_cast<int>(line.size()) - column + 1},
                        "the form is `# expect: [COMMAND] VERDICT [CODE]`",
                        path});
    } else if (expectation) {
      out.push_back({number, **expectation, blank});
    }
    if (!out.empty()) {
      if (!expectation) out.back().text += line;
      out.back().text += '\n';
    }
    blank += '\n';
    at = end + 1;
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return out;
}

bool named_like_test(const fs::path& p) { return p.extension() == ".air" || p.extension() == ".sched"; }

Result<TestFile> open_file(const std::string& path) {
  auto text = read_file(path, max_source_bytes + 1);
  if (!text) return tl::unexpected(text.error());
  auto sections = cut(*text, path);
  if (!sections) return tl::unexpected(sections.error());
  return TestFile{path, std::move(*sections)};
}

/// All files below a folder, by path (TEST-1).
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code e;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, e), end;
       it != end && !e; it.increment(e)) {
    if (it->is_regular_file(e) && named_like_test(it->path())) out.push_back(it->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// The only `.air` file beside a `.sched` file (TEST-6).
Result<std::string> program_beside(const std::string& path) {
  std::vector<std::string> found;
  std::error_code e;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  for (fs::directory_iterator it(folder, e), end; it != end && !e; it.increment(e)) {
    if (it->path().extension() == ".air") found.push_back(it->path().string());
  }
  if (found.size() == 1) return found.front();
  std::sort(found.begin(), found.end());
  return fail({"TEST-6",
               fmt::format("{} needs exactly one .air file in its folder; there {} {}", path,
                           found.size() == 1 ? "is" : "are", found.empty() ? "none" : join(found)),
               {},
               {},
               path});
}

/// What a section is judged on.
struct Material {
  SourceFile file{};
  SourceText program_text{}, schedule_text{};
};

Result<Material> gather(const TestFile& file, const Section& section) {
  Material m;
  m.schedule_text = {file.path, section.text};
  auto own = parse_source(section.text, file.path);
  if (!own) return tl::unexpected(own.error());
  m.file = std::move(*own);
  if (fs::path(file.path).extension() != ".sched") {
    m.program_text = m.schedule_text;
    return m;
  }
  const auto beside = program_beside(file.path);
  if (!beside) return tl::unexpected(beside.error());
  auto text = read_file(*beside, max_source_bytes + 1);
  if (!text) return tl::unexpected(text.error());
  auto program = parse_source(*text, *beside);
  if (!program) return tl::unexpected(program.error());
  m.program_text = {*beside, std::move(*text)};
  m.file.programs = std::move(program->programs);
  if (m.file.programs.size() > 1) m.file.programs.resize(1);
  return m;
}

/// TEST-3.
std::string implied_command(const SourceFile& f) {
  if (f.programs.size() == 1 && f.schedules.empty()) return "lint";
  if (f.programs.size() == 1 && f.schedules.size() == 1) return "check";
  if (f.programs.size() == 2 && f.schedules.empty()) return "prove";
  return {};
}

Report lacking(const std::string& command, const Section& section, const std::string& path, const std::string& what) {
  return error_report(command, {{"TEST-3", what, {section.line, 1, 1}, "see spec/testing.md", path}});
}

Report judge(const std::string& command, const Material& m, const Section& section, const std::string& path,
             const ExpectOptions& options) {
  if (command == "parse") {
    Report r;
    r.command = "parse";
    r.claim = "the text is well formed";
    return r;
  }
  if (m.file.programs.empty()) return lacking(command, section, path, "the section holds no program");
  const Program& p = m.file.programs.front();
  if (command == "lint") return lint(p, m.program_text, {options.budgets, options.judges});
  if (command == "run") {
    RunOptions run_options;
    run_options.judges = options.judges;
    return run(p, m.program_text, run_options).report;
  }
  if (command == "prove") {
    if (m.file.programs.size() < 2) return lacking(command, section, path, "`prove` needs two programs in the section");
    return prove(p, m.program_text, m.file.programs[1], m.program_text, {options.budgets, options.judges});
  }
  CheckOptions check_options;
  check_options.execute = command == "check";
  check_options.budgets = options.budgets;
  check_options.judges = options.judges;
  check_options.keep_folder = options.keep_folder;
  return check(p, m.program_text, m.file.schedules.empty() ? Schedule{} : m.file.schedules.front(), m.schedule_text,
               check_options)
      .report;
}

/// Every code that the answer holds: messages, faults, and obligations that do not hold (TEST-5).
std::vector<std::string> codes_of(const Report& r) {
  std::set<std::string> codes;
  for (const Finding& f : r.findings) codes.insert(f.diagnostic.code);
  if (r.observation && r.observation->fault) codes.insert(r.observation->fault->code);
  const auto add = [&](const std::vector<ObligationReport>& list) {
    for (const ObligationReport& o : list) {
      if (o.obligation.status != Obligation::Status::proved) codes.insert(o.obligation.code);
    }
  };
  add(r.obligations);
  for (const StepReport& s : r.steps) add(s.obligations);
  codes.erase("");
  return {codes.begin(), codes.end()};
}

ExpectationReport judge_section(const TestFile& file, const Section& section, const ExpectOptions& options) {
  ExpectationReport out;
  out.file = file.path;
  out.line = section.line;
  out.expected = section.expected.words;
  out.command = section.expected.command;
  Report answer;
  const auto material = gather(file, section);
  const bool implied = out.command.empty();
  if (!material) {
    answer = error_report(implied ? "parse" : out.command, material.error());
  } else {
    if (implied) out.command = implied_command(material->file);
    answer = out.command.empty() ? lacking("test", section, file.path,
                                           "the command does not follow from the section: it holds neither one "
                                           "program, nor a program and a schedule, nor two programs")
                                 : judge(out.command, *material, section, file.path, options);
  }
  out.verdict = answer.verdict;
  out.codes = codes_of(answer);
  const bool code_held = section.expected.code.empty() ||
                         std::find(out.codes.begin(), out.codes.end(), section.expected.code) != out.codes.end();
  out.passed =
      word(answer.verdict) == section.expected.verdict && code_held && answer.verdict != Verdict::contradiction;
  if (!out.passed) {
    out.details.push_back(verdict_line(answer));
    for (const Finding& f : answer.findings)
      out.details.push_back(fmt::format("{}: {}", f.diagnostic.code, f.diagnostic.message));
  }
  return out;
}

Result<std::vector<TestFile>> collect(const std::vector<std::string>& paths) {
  std::vector<TestFile> files;
  std::vector<Diagnostic> faults;
  const auto take = [&](const std::string& path, bool named) {
    auto file = open_file(path);
    if (!file) {
      faults.insert(faults.end(), file.error().begin(), file.error().end());
    } else if (!file->sections.empty()) {
      files.push_back(std::move(*file));
    } else if (named) {
      faults.push_back({"TEST-1", fmt::format("{} holds no `# expect:` line", path), {}, {}, path});
    }
  };
  for (const std::string& path : paths) {
    std::error_code e;
    if (!fs::is_directory(path, e)) {
      take(path, true);
      continue;
    }
    for (const std::string& below : files_below(path)) take(below, false);
  }
  if (faults.empty() && files.empty())
    faults.push_back({"TEST-1", "no `# expect:` line in " + join(paths), {}, {}, {}});
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return files;
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

}  // namespace

std::optional<tl::expected<ExpectLine, std::string>> read_expect_line(std::string_view line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string_view::npos || line[hash] != '#') return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t", hash + 1);
  constexpr std::string_view key = "expect:";
  if (begin == std::string_view::npos || line.substr(begin, key.size()) != key) return std::nullopt;
  const std::vector<std::string> all = words(line.substr(begin + key.size()));
  ExpectLine out;
  out.words = join(all, " ");
  std::size_t at = 0;
  if (at < all.size() && find_command(all[at]) != nullptr) out.command = all[at++];
  if (at == all.size()) return tl::unexpected<std::string>("a verdict is missing");
  out.verdict = all[at++];
  if (out.verdict == "contradiction")
    return tl::unexpected<std::string>("`contradiction` cannot be expected: it is always a bug");
  const bool possible = out.command.empty() ? std::any_of(command_verdicts().begin(), command_verdicts().end(),
                                                          [&](const auto& c) {
                                                            return c.command != "parse" && c.command != "run" &&
                                                                   can_answer(c.command, out.verdict);
                                                          })
                                            : can_answer(out.command, out.verdict);
  if (!possible)
    return tl::unexpected(out.command.empty() ? fmt::format("`{}` is no verdict of lint, check or prove", out.verdict)
                                              : fmt::format("`{}` cannot answer `{}`", out.command, out.verdict));
  if (at < all.size()) out.code = all[at++];
  if (at < all.size()) return tl::unexpected<std::string>(fmt::format("unexpected `{}` after the code", all[at]));
  return out;
}

Report test_paths(const std::vector<std::string>& paths, const ExpectOptions& options) {
  const auto files = collect(paths);
  if (!files) return error_report("test", files.error());
  Report r;
  r.command = "test";
  bool contradiction = false;
  std::size_t failed = 0;
  for (const TestFile& file : *files) {
    for (const Section& section : file.sections) {
      r.expectations.push_back(judge_section(file, section, options));
      const ExpectationReport& e = r.expectations.back();
      if (!e.passed) ++failed;
      contradiction = contradiction || e.verdict == Verdict::contradiction;
      if (options.on_section) options.on_section(e);
    }
  }
  const auto total = static_cast<std::int64_t>(r.expectations.size());
  if (failed == 0) {
    r.verdict = Verdict::ok;
    r.claim = fmt::format("{} in {} {}", count(total, "expectation"),
                          count(static_cast<std::int64_t>(files->size()), "file"), total == 1 ? "holds" : "hold");
  } else {
    r.verdict = contradiction ? Verdict::contradiction : Verdict::failed;
    r.claim = fmt::format("{} of {} {} not hold", failed, count(total, "expectation"), failed == 1 ? "does" : "do");
  }
  return r;
}

std::string to_junit(const Report& r) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t at = 0; at < r.expectations.size();) {
    const std::string& file = r.expectations[at].file;
    std::size_t end = at, failures = 0;
    while (end < r.expectations.size() && r.expectations[end].file == file)
      failures += r.expectations[end++].passed ? 0U : 1U;
    out +=
        fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", escape_xml(file), end - at, failures);
    for (; at < end; ++at) {
      const ExpectationReport& e = r.expectations[at];
      out += fmt::format("    <testcase classname=\"{}\" name=\"line {}: {}\"", escape_xml(file), e.line,
                         escape_xml(e.expected));
      if (e.passed) {
        out += "/>\n";
        continue;
      }
      out += fmt::format(">\n      <failure message=\"got {}\">{}</failure>\n    </testcase>\n", word(e.verdict),
                         escape_xml(join(e.details, "\n")));
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace assay::oracle
