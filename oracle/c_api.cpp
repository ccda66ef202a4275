// The C API over the library face. Every entry catches: no exception crosses into C.
#include <charconv>
#include <cstdint>
#include <exception>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "oracle/assay.h"
#include "oracle/backends.hpp"
#include "oracle/check.hpp"
#include "oracle/files.hpp"
#include "oracle/json.hpp"
#include "oracle/lint.hpp"
#include "oracle/narrow.hpp"
#include "oracle/screen.hpp"

struct assay_error {
  std::string message{};
};
struct assay_options {
  assay::Licence licence = assay::Licence::rounds;
  std::uint64_t budget = 1;
  std::vector<std::string> parameters{};
  std::set<std::string> backends{}, required{};
};
struct assay_answer {
  std::string verdict{}, json{}, text{};
  int status = 2;
};

namespace {

using namespace assay;          // NOLINT: this file is the glue over these two namespaces
using namespace assay::oracle;  // NOLINT

assay_error exhausted{"out of memory"};  // what stands where not even an error can be allocated

/// Runs `work`, which returns a message or an empty text, and turns whatever it throws into an error.
template <typename Work>
assay_error* guarded(Work work) {
  try {
    const std::string message = work();
    if (message.empty()) return nullptr;
    return new assay_error{message};
  } catch (const std::bad_alloc&) {
    return &exhausted;
  } catch (const std::exception& e) {
    try {
      return new assay_error{fmt::format("internal error: {}; this is a bug of assay", e.what())};
    } catch (const std::bad_alloc&) {
      return &exhausted;
    }
  }
}

std::string set_option(assay_options& o, std::string_view name, const std::string& value) {
  if (name == "licence") {
    for (const Licence l : {Licence::exact, Licence::reassociates, Licence::rounds}) {
      if (value != assay::name(l)) continue;
      o.licence = l;
      return {};
    }
    return fmt::format("licence is exact, reassociates or rounds, not `{}`", value);
  }
  if (name == "budget") {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > 1'000'000)
      return fmt::format("budget is an integer from 1 to 1000000, not `{}`", value);
    o.budget = number;
    return {};
  }
  if (name == "param") {
    o.parameters.push_back(value);
    return {};
  }
  if (name == "backends" || name == "require") {
    if (!is_backend_name(value))
      return fmt::format("there is no backend `{}`; the backends are {}", value, join(backend_names()));
    (name == "backends" ? o.backends : o.required).insert(value);
    return {};
  }
  return fmt::format("there is no option `{}`; the options are licence, budget, param, backends, require", name);
}

/// Both forms of a report; `texts` are quoted where a place is named.
assay_answer* answer_of(Report report, const char* command, std::vector<SourceText> texts) {
  report.command = command;
  for (SourceText& t : texts) add_text(report, std::move(t));
  return new assay_answer{std::string(word(report.verdict)), to_json(report), to_screen(report, {}),
                          exit_status(report.verdict)};
}

Result<Program> program_of(const NamedText& text, const assay_options& o, std::vector<Schedule>& schedules) {
  auto source = parse_named(text);
  if (!source) return tl::unexpected(source.error());
  schedules = source->file.schedules;
  auto program = pick_program(*source);
  if (!program) return program;
  return narrow_parameters(std::move(*program), o.parameters);
}

Report check_texts(const NamedText& program_text, const NamedText* schedule_text, const assay_options& o) {
  std::vector<Schedule> own;
  const auto program = program_of(program_text, o, own);
  if (!program) return error_report("check", program.error());
  Schedule schedule = own.empty() ? Schedule{} : own.front();
  if (schedule_text != nullptr) {
    const auto source = parse_named(*schedule_text);
    if (!source) return error_report("check", source.error());
    auto picked = pick_schedule(*source);
    if (!picked) return error_report("check", picked.error());
    schedule = std::move(*picked);
  }
  CheckOptions options;
  options.licence = o.licence;
  options.backends = o.backends;
  options.required = o.required;
  options.budgets = Budgets{}.times(o.budget);
  options.keep_folder.clear();  // a library writes no file of its own
  options.program_argument = program_text.path;
  if (schedule_text != nullptr) options.schedule_argument = schedule_text->path;
  const NamedText& place = schedule_text != nullptr ? *schedule_text : program_text;
  return check(*program, {program_text.path, program_text.text}, schedule, {place.path, place.text}, options).report;
}

}  // namespace

int assay_abi_version() { return ASSAY_ABI_VERSION; }
const char* assay_version() {
  static const std::string text(version());
  return text.c_str();
}

const char* assay_error_message(const assay_error* error) { return error == nullptr ? "" : error->message.c_str(); }
void assay_error_delete(assay_error* error) {
  if (error != &exhausted) delete error;
}

assay_options* assay_options_new() { return new (std::nothrow) assay_options; }
assay_error* assay_options_set(assay_options* options, const char* name, const char* value) {
  return guarded([&]() -> std::string {
    if (options == nullptr || name == nullptr || value == nullptr) return "assay_options_set: an argument is NULL";
    return set_option(*options, name, value);
  });
}
void assay_options_delete(assay_options* options) { delete options; }

assay_error* assay_check(const char* program, const char* schedule, const assay_options* options,
                         assay_answer** answer) {
  return guarded([&]() -> std::string {
    if (answer == nullptr) return "assay_check: an argument is NULL";
    *answer = nullptr;
    if (program == nullptr) return "assay_check: an argument is NULL";
    const assay_options defaults;
    const NamedText program_text{"program", {}, program};
    const NamedText schedule_text{"schedule", {}, schedule == nullptr ? "" : schedule};
    Report report = check_texts(program_text, schedule == nullptr ? nullptr : &schedule_text,
                                options == nullptr ? defaults : *options);
    *answer = answer_of(std::move(report), "check",
                        {{program_text.path, program_text.text}, {schedule_text.path, schedule_text.text}});
    return {};
  });
}

assay_error* assay_lint(const char* program, const assay_options* options, assay_answer** answer) {
  return guarded([&]() -> std::string {
    if (answer == nullptr) return "assay_lint: an argument is NULL";
    *answer = nullptr;
    if (program == nullptr) return "assay_lint: an argument is NULL";
    const assay_options defaults;
    const assay_options& o = options == nullptr ? defaults : *options;
    const NamedText text{"program", {}, program};
    std::vector<Schedule> own;
    const auto parsed = program_of(text, o, own);
    LintOptions lint_options;
    lint_options.budgets = Budgets{}.times(o.budget);
    Report report = parsed ? lint(*parsed, {text.path, text.text}, lint_options) : error_report("lint", parsed.error());
    *answer = answer_of(std::move(report), "lint", {{text.path, text.text}});
    return {};
  });
}

const char* assay_answer_verdict(const assay_answer* answer) {
  return answer == nullptr ? "" : answer->verdict.c_str();
}
int assay_answer_status(const assay_answer* answer) { return answer == nullptr ? 2 : answer->status; }
const char* assay_answer_json(const assay_answer* answer) { return answer == nullptr ? "" : answer->json.c_str(); }
const char* assay_answer_text(const assay_answer* answer) { return answer == nullptr ? "" : answer->text.c_str(); }
void assay_answer_delete(assay_answer* answer) { delete answer; }
