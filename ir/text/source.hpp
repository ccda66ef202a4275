// Program and schedule text: parsing, printing, JSON, and the source texts that diagnostics quote (spec/language.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/program.hpp"

namespace assay {

/// One token group of a schedule line: `i`, `ii,kk`, `16`, `(X[i] + 1.0)`.
struct ScheduleWord {
  std::string text;
  Location where{};
};
/// `op operands… key=value… flags… -> results…`. Flags (bare words that are not operands) cannot be told from operands by
/// syntax alone: they stay in `operands`; the operation's declaration sorts them out.
struct ScheduleLine {
  std::string op;
  std::vector<ScheduleWord> operands{};                                    // bare words, commas split, `*` suffix kept
  std::vector<std::pair<ScheduleWord, std::vector<ScheduleWord>>> keys{};  // key = value{,value}
  std::vector<ScheduleWord> results{};                                     // after `->`
  Location where{};
  std::string text;  // the line, comment and outer blanks removed
};
struct Schedule {
  std::string name;  // empty for a bare .sched file
  std::vector<ScheduleLine> lines{};
  Location where{};
};

/// `# expect: [COMMAND] VERDICT [CODE]` judges the programs and schedules that follow it, up to the next such line.
struct Expectation {
  std::string command{}, verdict{}, code{};
  Location where{};
  std::vector<std::size_t> programs{}, schedules{};  // indices into the SourceFile
};

struct SourceFile {
  std::string path;  // as the user named it; "-" for standard input
  std::string text;
  std::vector<Program> programs{};
  std::vector<Schedule> schedules{};
  std::vector<Expectation> expectations{};
};

/// Parses and checks a whole file (programs, schedules, or the bare lines of a schedule). All errors that one pass can find.
/// Text beginning with `{` is read as the JSON of `to_json`.
Result<SourceFile> parse_source(std::string_view text, std::string path);
/// An expression over the names of a well-formed program, all of them visible, loop symbols and variables too. Its type is its
/// own: literals alone have none (TYPE-2). Places in the errors count from the start of `text`.
Result<Expr> parse_expression(std::string_view text, const Program& p);
/// Limits: larger texts are an error, not a crash.
inline constexpr std::size_t max_source_bytes = 4U << 20;
inline constexpr int max_nesting = 256;

/// The text form; parses back to an equal program.
std::string print(const Program& p);
std::string print(const Block& b, int indent);
std::string print(const Stmt& s, int indent);  // the first line only for loops and branches when indent < 0
std::string print(const Expr& e);
/// Programs, schedules and expectations of a whole file.
std::string print(const SourceFile& f);
/// The syntax tree as JSON text (schema in spec/language.md), and back.
std::string to_json(const SourceFile& f);

/// Well-formedness of a program however it was made: names, types, index forms, placement of axes and barriers (WF-…).
/// Empty when well formed.
std::vector<Diagnostic> check_well_formed(const Program& p);

/// `error[CODE]: message`, `--> file:line:column`, the source line and a caret span, `= help: …` (design/screens.md).
/// `text` is the file's text ("" when unknown).
std::string render(const Diagnostic& d, std::string_view text, bool colour, bool unicode);
/// The closest candidate by edit distance, when close enough to suggest.
std::string suggest(std::string_view wrong, const std::vector<std::string>& candidates);

}  // namespace assay
