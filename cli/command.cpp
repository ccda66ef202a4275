// Dispatch: arguments -> library -> screen or JSON. Judging is the library's; this file loads, calls and prints.
#include "cli/command.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <new>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/reference.hpp"
#include "codegen/c.hpp"
#include "interp/npy.hpp"
#include "ir/analysis/canonical.hpp"
#include "ir/text/c_like.hpp"
#include "oracle/backends.hpp"
#include "oracle/check.hpp"
#include "oracle/expect.hpp"
#include "oracle/facts.hpp"
#include "oracle/files.hpp"
#include "oracle/json.hpp"
#include "oracle/lint.hpp"
#include "oracle/menu.hpp"
#include "oracle/narrow.hpp"
#include "oracle/prove.hpp"
#include "oracle/run.hpp"
#include "oracle/screen.hpp"
#include "oracle/sums.hpp"
#include "proofs/validate/async.hpp"

namespace assay::cli {
namespace {

using namespace oracle;  // NOLINT: this file is the glue over that one namespace

/// What a command hands back: an answer, and a product for standard output (parse, codegen, apply, ops, explain).
struct Answer {
  Report report{};
  std::optional<std::string> product{};       // as text
  std::optional<std::string> json_product{};  // instead of the report's JSON
};

class Command {
 public:
  Command(Arguments arguments, const Streams& streams) : a_(std::move(arguments)), streams_(streams) {}

  Answer run() {
    static const std::map<std::string, Answer (Command::*)()> table{
        {"run", &Command::run_program},      {"lint", &Command::run_lint},   {"check", &Command::run_check},
        {"apply", &Command::run_check},      {"prove", &Command::run_prove}, {"codegen", &Command::codegen},
        {"parse", &Command::parse},          {"test", &Command::run_tests},  {"ops", &Command::ops},
        {"explain", &Command::explain_code}, {"menu", &Command::run_menu},
    };
    return (this->*table.at(a_.command))();
  }

 private:
  struct Loaded {
    NamedSource source{};
    Program program{};
    SourceText text{};
  };

  Answer failed(std::vector<Diagnostic> diagnostics) const {
    Answer out;
    out.report = error_report(a_.command, std::move(diagnostics));
    out.report.texts = texts_;
    return out;
  }
  Answer failed(Diagnostic d) const { return failed(std::vector<Diagnostic>{std::move(d)}); }

  /// Loads a source, remembering its text for messages.
  Result<NamedSource> load(const std::string& argument) {
    auto text = open_source(argument);
    if (!text) return tl::unexpected(text.error());
    texts_.push_back({text->path, text->text});
    return parse_named(*text);
  }

  Result<Loaded> load_program(const std::string& argument) {
    auto source = load(argument);
    if (!source) return tl::unexpected(source.error());
    auto program = pick_program(*source);
    if (!program) return tl::unexpected(program.error());
    program = narrow_parameters(std::move(*program), a_.parameters);
    if (!program) return tl::unexpected(program.error());
    Loaded out;
    out.text = {source->file.path, source->file.text};
    out.program = std::move(*program);
    out.source = std::move(*source);
    return out;
  }

  Inspection inspection() const { return {a_.cross_check, a_.dump_folder, budgets().query}; }
  using Files = std::vector<std::pair<std::string, std::string>>;  // name, text
  static std::optional<std::string> write_programs(const std::string& folder, const Files& files) {
    if (auto why = make_folder(folder)) return why;
    for (const auto& [file, text] : files) {
      if (auto why = write_file(folder + "/" + file, text)) return why;
    }
    return std::nullopt;
  }
  Licence licence() const {
    return a_.licence == "exact"          ? Licence::exact
           : a_.licence == "reassociates" ? Licence::reassociates
                                          : Licence::rounds;
  }
  Budgets budgets() const { return Budgets{}.times(a_.budget); }

  // --- commands ----------------------------------------------------------------------------------------------------------

  Answer run_lint() {
    const auto loaded = load_program(a_.files[0]);
    if (!loaded) return failed(loaded.error());
    LintOptions options;
    options.budgets = budgets();
    options.judges.inspection = inspection();
    if (a_.limits) {
      auto limits = parse_limits(*a_.limits);
      if (!limits) return failed(limits.error());
      options.limits = std::move(*limits);
    }
    if (!a_.dump_folder.empty()) {
      if (auto why = write_programs(a_.dump_folder, {{"00-source.air", print(loaded->program)}}))
        return failed({"CLI-8", *why, {}, {}, {}});
    }
    return {lint(loaded->program, loaded->text, options), {}, {}};
  }

  Answer run_prove() {
    const auto first = load_program(a_.files[0]);
    if (!first) return failed(first.error());
    const auto second = load_program(a_.files[1]);
    if (!second) return failed(second.error());
    ProveOptions options;
    options.budgets = budgets();
    if (!a_.dump_folder.empty()) {
      if (auto why = write_programs(a_.dump_folder,
                                    {{"00-a.air", print(first->program)}, {"00-b.air", print(second->program)}}))
        return failed({"CLI-8", *why, {}, {}, {}});
    }
    return {prove(first->program, first->text, second->program, second->text, options), {}, {}};
  }

  Answer run_program() {
    const auto loaded = load_program(a_.files[0]);
    if (!loaded) return failed(loaded.error());
    RunOptions options;
    options.kind = *interp::parse_input_kind(a_.input_kind);
    options.seed = a_.seed;
    options.budgets = budgets();
    options.operations *= a_.budget;
    for (const std::string& text : a_.inputs) {
      if (auto why = read_input(text, loaded->program, options)) return failed(std::move(*why));
    }
    RunResult result = oracle::run(loaded->program, loaded->text, options);
    if (result.report.verdict == Verdict::ok && !a_.output_folder.empty()) {
      if (auto why = write_outputs(result)) return failed({"CLI-8", *why, {}, {}, {}});
    }
    return {std::move(result.report), {}, {}};
  }

  /// Reads the file of `--in NAME=FILE`; what is wrong, else nothing.
  static std::optional<std::vector<Diagnostic>> read_input(const std::string& text, const Program& program,
                                                           RunOptions& options) {
    const auto wrong = [&](std::string message, std::string help) {
      return std::vector<Diagnostic>{{"CLI-9", fmt::format("--in {}: {}", text, message), {}, std::move(help), {}}};
    };
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return wrong("this is not of the form NAME=FILE", "for example --in A=a.npy");
    const std::string buffer = text.substr(0, equals), path = text.substr(equals + 1);
    const Buffer* b = program.find_buffer(buffer);
    if (b == nullptr || !is_defined_on_entry(b->kind) || b->kind == BufferKind::constant) {
      std::vector<std::string> names;
      for (const Buffer& other : program.buffers) {
        if (other.kind == BufferKind::input || other.kind == BufferKind::inout) names.push_back(other.name);
      }
      const std::string close = suggest(buffer, names);
      return wrong(fmt::format("`{}` is no input or inout buffer of {}", buffer, program.name),
                   !close.empty() ? fmt::format("did you mean `{}`?", close)
                                  : (names.empty() ? "it has none" : fmt::format("it has {}", join(names))));
    }
    if (options.given.count(buffer) != 0) return wrong(fmt::format("`{}` is given twice", buffer), {});
    auto tensor = interp::read_npy(path, b->type);
    if (!tensor) return tensor.error();
    options.given[buffer] = std::move(*tensor);
    options.files[buffer] = path;
    return std::nullopt;
  }

  std::optional<std::string> write_outputs(RunResult& result) const {
    if (auto why = make_folder(a_.output_folder)) return why;
    for (OutputReport& o : result.report.outputs) {
      const std::string path = fmt::format("{}/{}.npy", a_.output_folder, o.buffer);
      if (auto why = write_file(path, interp::to_npy(result.outputs.at(o.buffer)))) return why;
      o.file = path;
    }
    return std::nullopt;
  }

  static std::optional<std::string> make_folder(const std::string& folder) {
    std::error_code e;
    std::filesystem::create_directories(folder, e);
    if (e) return fmt::format("cannot make the folder {}: {}", folder, e.message());
    return std::nullopt;
  }

  std::vector<Diagnostic> check_backends() const {
    std::vector<Diagnostic> out;
    for (const std::vector<std::string>* list : {&a_.backends, &a_.required}) {
      for (const std::string& name : *list) {
        if (is_backend_name(name)) continue;
        const std::string close = suggest(name, backend_names());
        out.push_back({"CLI-3",
                       fmt::format("there is no backend `{}`", name),
                       {},
                       close.empty() ? fmt::format("the backends are {}", join(backend_names()))
                                     : fmt::format("did you mean `{}`?", close),
                       {}});
      }
    }
    return out;
  }

  /// The schedule that a check is about, with the text that it stands in.
  Result<std::pair<Schedule, SourceText>> load_schedule(const Loaded& program) {
    if (a_.files.size() > 1) {
      auto source = load(a_.files[1]);
      if (!source) return tl::unexpected(source.error());
      auto schedule = pick_schedule(*source);
      if (!schedule) return tl::unexpected(schedule.error());
      return std::pair{std::move(*schedule), SourceText{source->file.path, source->file.text}};
    }
    const std::vector<Schedule>& own = program.source.file.schedules;
    return std::pair{own.empty() ? Schedule{} : own.front(), program.text};
  }

  Answer run_check() {
    if (auto faults = check_backends(); !faults.empty()) return failed(std::move(faults));
    const auto loaded = load_program(a_.files[0]);
    if (!loaded) return failed(loaded.error());
    const auto schedule = load_schedule(*loaded);
    if (!schedule) return failed(schedule.error());
    CheckOptions options;
    options.licence = licence();
    options.upto = a_.upto;
    options.only = a_.only;
    options.backends = {a_.backends.begin(), a_.backends.end()};
    options.required = {a_.required.begin(), a_.required.end()};
    options.execute = a_.command == "check";
    options.budgets = budgets();
    options.program_argument = a_.files[0];
    options.schedule_argument = a_.files.size() > 1 ? a_.files[1] : std::string();
    options.judges.inspection = inspection();
    Files steps;
    if (!a_.steps_folder.empty() || !a_.dump_folder.empty()) {
      options.on_program = [&](int step, const std::string& op, const Program& p) {
        steps.emplace_back(fmt::format("{:02}-{}.air", step, op), print(p));
      };
    }
    CheckResult result = check(loaded->program, loaded->text, schedule->first, schedule->second, options);
    for (const std::string& folder : {a_.steps_folder, a_.dump_folder}) {
      if (folder.empty()) continue;
      if (auto why = write_programs(folder, steps)) return failed({"CLI-8", *why, {}, {}, {}});
    }
    Answer out;
    out.report = std::move(result.report);
    if (!options.execute && result.program) out.product = print(*result.program);
    return out;
  }

  Answer codegen() {
    const auto loaded = load_program(a_.files[0]);
    if (!loaded) return failed(loaded.error());
    const bool cuda = a_.target == "cuda" || a_.target == "cuda-sm_80";
    assay::codegen::DeviceFeatures features;
    if (a_.target == "cuda-sm_80") {
      const std::unique_ptr<Query> query = Judges{}.query(budgets().query);
      features = {TileUnit::sm_80, proved_copies(loaded->program, *query)};
    }
    auto text = cuda                    ? assay::codegen::emit_cuda(loaded->program, features)
                : a_.target == "opencl" ? assay::codegen::emit_opencl(loaded->program)
                                        : assay::codegen::emit_c(loaded->program);
    if (!text) {
      std::vector<Diagnostic> all = text.error();
      for (Diagnostic& d : all) {
        if (d.file.empty()) d.file = loaded->text.file;
      }
      return failed(std::move(all));
    }
    Answer out;
    out.report.program = loaded->program.name;
    out.report.claim = fmt::format("{} for {}",
                                   cuda                    ? "CUDA"
                                   : a_.target == "opencl" ? "OpenCL"
                                                           : "C",
                                   loaded->program.name);
    out.product = std::move(*text);
    return out;
  }

  Answer parse() {
    auto source = load(a_.files[0]);
    if (!source) return failed(source.error());
    SourceFile file = std::move(source->file);
    if (!source->name.empty()) {
      const auto other_name = [&](const auto& x) { return x.name != source->name; };
      file.programs.erase(std::remove_if(file.programs.begin(), file.programs.end(), other_name), file.programs.end());
      file.schedules.erase(std::remove_if(file.schedules.begin(), file.schedules.end(), other_name),
                           file.schedules.end());
      if (file.programs.empty() && file.schedules.empty())
        return failed(
            {"CLI-6", fmt::format("{} holds nothing named `{}`", file.path, source->name), {}, {}, file.path});
    }
    for (Program& p : file.programs) {
      if (a_.parameters.empty()) break;
      auto narrowed = narrow_parameters(p, a_.parameters);
      if (!narrowed) return failed(narrowed.error());
      p = std::move(*narrowed);
    }
    Answer out;
    out.report.program = file.programs.empty() ? std::string() : file.programs.front().name;
    out.report.claim = fmt::format("{}, {}", count(static_cast<std::int64_t>(file.programs.size()), "program"),
                                   count(static_cast<std::int64_t>(file.schedules.size()), "schedule"));
    if (a_.form == "air") out.json_product = to_json(file);
    std::string text;
    for (const Program& p : file.programs) {
      auto form = program_form(p);
      if (!form) return failed(form.error());
      text += (text.empty() || a_.form == "digest" ? "" : "\n") + *form;
    }
    if (a_.form == "air") {
      for (const Schedule& s : file.schedules) text += (text.empty() ? "" : "\n") + schedule_text(s);
    }
    out.product = std::move(text);
    return out;
  }

  /// A program in the form that `--as` names.
  Result<std::string> program_form(const Program& p) const {
    if (a_.form == "canonical") return print(canonical(p));
    if (a_.form == "c-like") return print_c_like(p);
    if (a_.form == "digest") return fmt::format("{}  {}\n", program_digest(p), p.name);
    if (a_.form == "air") return print(p);
    const std::unique_ptr<Query> query = Judges{}.query(budgets().query);
    if (a_.form == "sums") return sums_text(p, *query);
    const auto parameters = some_parameters(p, *query);
    if (!parameters) return tl::unexpected(parameters.error());
    return facts_text(p, *parameters);
  }

  Answer run_menu() {
    const auto loaded = load_program(a_.files[0]);
    if (!loaded) return failed(loaded.error());
    MenuOptions options;
    options.proved = a_.proved;
    options.most = a_.limit;
    options.licence = licence();
    options.budgets = budgets();
    if (a_.limits) {
      auto limits = parse_limits(*a_.limits);
      if (!limits) return failed(limits.error());
      options.limits = std::move(*limits);
    }
    Menu found;
    Answer out;
    out.report.program = loaded->program.name;
    if (a_.preset.empty()) {
      found = menu(loaded->program, options);
      out.report.claim = menu_claim(found, options.proved);
    } else {
      found.steps = default_schedule(loaded->program, a_.preset == "cpu" ? Preset::cpu : Preset::gpu, options);
      out.report.claim = fmt::format("a schedule of {}, each proved by itself",
                                     count(static_cast<std::int64_t>(found.steps.size()), "step"));
    }
    out.product = menu_text(found);
    out.json_product = to_json(found, loaded->program.name, out.report.claim);
    return out;
  }

  static std::string schedule_text(const Schedule& s) {
    std::string out = s.name.empty() ? std::string() : "schedule " + s.name + " {\n";
    for (const ScheduleLine& l : s.lines) out += (s.name.empty() ? "" : "  ") + l.text + "\n";
    return s.name.empty() ? out : out + "}\n";
  }

  Answer run_tests() {
    ExpectOptions options;
    options.budgets = budgets();
    if (streams_.err_is_terminal) {
      options.on_section = [this](const ExpectationReport& e) {
        streams_.err << fmt::format("{} {}:{}\n", e.passed ? "ok    " : "FAILED", e.file, e.line);
      };
    }
    Answer out;
    out.report = test_paths(a_.files, options);
    if (!a_.junit.empty() && out.report.verdict != Verdict::error) {
      if (auto why = write_file(a_.junit, to_junit(out.report))) return failed({"CLI-8", *why, {}, {}, {}});
    }
    return out;
  }

  Answer ops() {
    std::vector<OperationEntry> chosen = operations();
    if (!a_.files.empty()) {
      const OperationEntry* one = find_operation(a_.files[0]);
      if (one == nullptr) {
        std::vector<std::string> names;
        for (const OperationEntry& e : operations()) names.push_back(e.declaration.name);
        const std::string close = suggest(a_.files[0], names);
        return failed({"CLI-3",
                       fmt::format("there is no operation `{}`", a_.files[0]),
                       {},
                       close.empty() ? fmt::format("the operations are {}", join(names))
                                     : fmt::format("did you mean `{}`?", close),
                       {}});
      }
      chosen = {*one};
    }
    Answer out;
    out.report.claim = count(static_cast<std::int64_t>(chosen.size()), "operation");
    out.product = operations_text(chosen, a_.verbose || !a_.files.empty());
    out.json_product = to_json(chosen);
    return out;
  }

  Answer explain_code() {
    auto text = explain(a_.files[0]);
    if (!text) {
      const std::string close = suggest(a_.files[0], known_codes());
      return failed({"CLI-3",
                     fmt::format("there is no code `{}`", a_.files[0]),
                     {},
                     close.empty() ? "codes look like DEP-2" : fmt::format("did you mean `{}`?", close),
                     {}});
    }
    if (!streams_.unicode && !a_.json) text = spelled_in_ascii(*text);
    Answer out;
    out.report.claim = *text;
    out.report.claim = out.report.claim.substr(0, out.report.claim.find('\n'));
    out.product = std::move(*text);
    return out;
  }

  const Arguments a_;
  const Streams& streams_;
  std::vector<SourceText> texts_{};
};

bool makes_product(const std::string& command) {
  return command == "parse" || command == "codegen" || command == "apply" || command == "ops" || command == "explain" ||
         command == "menu";
}

bool wants_colour(const std::string& choice, bool terminal, const Streams& streams) {
  if (choice == "always") return true;
  return choice == "auto" && terminal && !streams.no_colour;
}

int finish(Answer answer, const Arguments& a, const Streams& streams) {
  Report& r = answer.report;
  r.command = a.command;
  const int status = exit_status(r.verdict);
  const bool product = makes_product(a.command) && is_success(r.verdict);
  if (a.json) {
    std::string text = product && answer.json_product ? *answer.json_product : std::string();
    if (text.empty()) text = to_json(r, product && answer.product ? answer.product : std::nullopt);
    streams.out << text;
    if (!text.empty() && text.back() != '\n') streams.out << '\n';
    return status;
  }
  if (product && answer.product && a.output.empty()) streams.out << *answer.product << std::flush;
  std::ostream& where = makes_product(a.command) && a.output.empty() ? streams.err : streams.out;
  const bool terminal = &where == &streams.err ? streams.err_is_terminal : streams.out_is_terminal;
  where << to_screen(r, {wants_colour(a.colour, terminal, streams), streams.unicode, a.verbose});
  return status;
}

bool judges(const std::string& command) {
  return command == "lint" || command == "check" || command == "prove" || command == "apply";
}

int answer_command(const std::vector<std::string>& args, const Streams& streams) {
  const bool json = std::find(args.begin(), args.end(), "--json") != args.end();
  auto read = read_arguments(args);
  if (const auto* wanted = std::get_if<Wanted>(&read)) {
    streams.out << wanted->text;
    return 0;
  }
  if (auto* faults = std::get_if<std::vector<Diagnostic>>(&read)) {
    Arguments none;
    if (!args.empty() && args.front().rfind('-', 0) != 0) none.command = args.front();
    none.json = json;
    Answer out;
    out.report = error_report(none.command, std::move(*faults));
    return finish(std::move(out), none, streams);
  }
  const Arguments a = std::get<Arguments>(read);
  const auto begin = std::chrono::steady_clock::now();
  Answer answer = Command(a, streams).run();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (a.timing || (!a.json && judges(a.command))) answer.report.seconds = taken.count();
  if (!a.output.empty() && answer.product && is_success(answer.report.verdict)) {
    if (auto why = write_file(a.output, a.json && answer.json_product ? *answer.json_product : *answer.product)) {
      answer = {};
      answer.report = error_report(a.command, {{"CLI-8", *why, {}, {}, {}}});
    }
  }
  return finish(std::move(answer), a, streams);
}

}  // namespace

int run_command(const std::vector<std::string>& args, const Streams& streams) {
  const auto broken = [&](const std::string& what) {
    Report r;
    r.command = args.empty() ? std::string() : args.front();
    r.verdict = Verdict::contradiction;
    r.claim = "internal error: " + what + "; this is a bug of assay";
    const bool json = std::find(args.begin(), args.end(), "--json") != args.end();
    (json ? streams.out : streams.err) << (json ? to_json(r) : to_screen(r, {}));
    return exit_status(r.verdict);
  };
  try {
    const int status = answer_command(args, streams);
    streams.out.flush();
    if (streams.out) return status;
    streams.err << "error: standard output could not be written\n";
    return exit_status(Verdict::error);
  } catch (const std::bad_alloc&) {
    return broken("out of memory");
  } catch (const std::exception& e) {
    return broken(e.what());
  } catch (...) {
    return broken("an unknown exception");
  }
}

}  // namespace assay::cli
