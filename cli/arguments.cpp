// Reading the command line. The only file that includes CLI11 (it takes seconds to compile).
//
// One table lists the commands; each gets the options that all commands share and its own. Options that the fixed surface
// names and this version lacks are refused by name, so that nobody's script silently does less than it says.
#include "cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/help.hpp"
#include "ir/text/source.hpp"
#include "oracle/json.hpp"

namespace assay::cli {
namespace {

struct CommandInfo {
  const char* name;
  const char* summary;
  const char* operands;
  std::size_t least, most;  // positional arguments
};
constexpr std::size_t many = 100000;
constexpr CommandInfo commands[] = {
    {"run", "interpret a program on given or generated inputs", "P.air", 1, 1},
    {"lint", "bounds, undefined reads, races, coverage; for all inputs", "P.air", 1, 1},
    {"check", "judge a schedule: every step proved, interpreted and executed", "P.air [S.sched]", 1, 2},
    {"apply", "print the transformed program, if every step is proved", "P.air [S.sched]", 1, 2},
    {"prove", "search for a difference between two programs", "A.air B.air", 2, 2},
    {"codegen", "print the generated kernel", "P.air", 1, 1},
    {"parse", "check a text and print it, or its syntax tree", "F", 1, 1},
    {"menu", "list the steps that apply to a program, or a default schedule", "P.air", 1, 1},
    {"test", "judge the `# expect:` lines of files and folders", "PATH...", 1, many},
    {"ops", "list the schedule operations, or explain one", "[NAME]", 0, 1},
    {"explain", "explain a code in full", "CODE", 1, 1},
};
constexpr const char* later_commands[] = {"fuzz",      "replay", "reduce",  "merge",  "promote",
                                          "verify-op", "new-op", "mutants", "recheck"};
constexpr const char* later_options[] = {"--cert", "--plugin", "--no-fork"};

Diagnostic wrong(std::string message, std::string help = {}) {
  return {"CLI-3", std::move(message), {}, std::move(help), {}};
}

const CommandInfo* find_command(std::string_view name) {
  for (const CommandInfo& c : commands) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

Diagnostic unknown_command(const std::string& name) {
  for (const char* later : later_commands) {
    if (name == later)
      return wrong(fmt::format("the command `{}` is not built yet", name),
                   "`assay --help` lists the commands that are");
  }
  std::vector<std::string> names;
  for (const CommandInfo& c : commands) names.emplace_back(c.name);
  const std::string close = suggest(name, names);
  return wrong(fmt::format("there is no command `{}`", name),
               close.empty() ? "`assay --help` lists the commands" : fmt::format("did you mean `{}`?", close));
}

/// Adds the options of a command. What stands for a value in help and manual is its type name; choices are `a|b|c`.
void add_options(CLI::App& app, const std::string& command, Arguments& a) {
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return command == n; });
  };
  const auto flag = [&](const char* names, bool& value, const char* help) {
    app.add_flag(names, value, help)->disable_flag_override();  // `--json=3` is no way to say --json
  };
  const auto choice = [&](const char* names, std::string& value, const std::vector<std::string>& words,
                          const char* help) {
    app.add_option(names, value, help)
        ->check(CLI::IsMember(words))
        ->type_name(fmt::format("{}", fmt::join(words, "|")));
  };
  const auto list = [&](const char* names, std::vector<std::string>& value, const char* help) {
    app.add_option(names, value, help)->delimiter(',')->allow_extra_args(false)->type_name("NAME,...");
  };
  app.add_option("files", a.files, "")->group("");
  flag("--json", a.json, "print one JSON object on standard output, and nothing else there");
  choice("--color", a.colour, {"auto", "always", "never"}, "when to use colour");
  flag("-v,--verbose", a.verbose, "no limit on lines; every obligation");
  flag("--timing", a.timing, "times in the answer");
  if (is({"run", "lint", "check", "apply", "prove", "codegen", "parse", "menu"})) {
    app.add_option("--param", a.parameters, "narrow a parameter to one value (several allowed)")
        ->allow_extra_args(false)
        ->type_name("NAME=VALUE");
  }
  if (is({"run", "lint", "check", "apply", "prove", "test", "menu"})) {
    app.add_option("--budget", a.budget, "multiply the budgets of engines and interpreter")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000}))
        ->type_name("N");
  }
  if (is({"lint", "check", "apply", "prove"})) {
    flag("--cross-check", a.cross_check, "ask every engine about every obligation; disagreement is a contradiction");
    app.add_option("--dump", a.dump_folder, "write obligations (SMT-LIB, isl) and programs into this folder")
        ->type_name("DIR");
  }
  if (is({"lint", "menu"})) {
    app.add_option("--limits", a.limits, "every launch must keep within these: cuda, threads=256, shared=65536, ...")
        ->type_name("LIST");
  }
  if (is({"menu"})) {
    flag("--proved", a.proved, "only steps whose obligations are all proved, with their licence");
    app.add_option("--limit", a.limit, "list at most N steps (48)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{100000}))
        ->type_name("N");
    choice("--default", a.preset, {"cpu", "gpu"}, "a schedule that maps the loops to hardware, every step proved");
  }
  if (is({"parse"})) {
    choice("--as", a.form, {"air", "canonical", "c-like", "digest", "facts", "sums"},
           "what to print: text, text with canonical names, C, SHA-256, facts, or sums");
  }
  if (is({"menu"}))
    choice("--licence", a.licence, {"exact", "reassociates", "rounds"}, "the greatest licence of a step");
  if (is({"check", "apply"})) {
    choice("--licence", a.licence, {"exact", "reassociates", "rounds"}, "the greatest licence that a step may need");
    app.add_option("--upto", a.upto, "judge the first K steps")->type_name("K");
    app.add_option("--only", a.only, "judge step K alone; the steps before it are only applied")->type_name("K");
    app.add_option("--steps", a.steps_folder, "write the program after each step into this folder")->type_name("DIR");
  }
  if (is({"check"})) {
    list("--backends", a.backends, "run only these: interp, c, clang, tcc, c-O3, simt, cuda, ...");
    list("--require", a.required, "these must run and agree, else the answer is undecided");
  }
  if (is({"apply", "codegen", "parse", "menu"}))
    app.add_option("-o,--output", a.output, "write the product to this file")->type_name("FILE");
  if (is({"codegen"})) choice("--target", a.target, {"c", "opencl", "cuda", "cuda-sm_80"}, "language of the kernels");
  if (is({"run"})) {
    app.add_option("--in", a.inputs, "an input from a .npy file (several allowed)")
        ->allow_extra_args(false)
        ->type_name("NAME=FILE");
    choice("--inputs", a.input_kind, {"exact", "adversarial", "special"}, "generator of the other inputs");
    app.add_option("--seed", a.seed, "seed of the generator")
        ->check([](const std::string& text) {
          // CLI11 reads unsigned numbers as strtoull does, which wraps a sign and saturates.
          std::uint64_t value = 0;
          const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
          const bool whole = error == std::errc() && end == text.data() + text.size();
          return whole ? std::string() : "`" + text + "` is not an integer from 0 to 18446744073709551615";
        })
        ->type_name("N");
    app.add_option("--out", a.output_folder, "write every output as NAME.npy into this folder")->type_name("DIR");
  }
  if (is({"test"})) app.add_option("--junit", a.junit, "also write a JUnit file")->type_name("FILE");
  for (CLI::Option* o : app.get_options()) {
    // An empty name (`-o ""`, often a variable of a script that is not set) must not mean that nothing was asked for.
    if (o->get_type_name() == "FILE" || o->get_type_name() == "DIR")
      o->check([](const std::string& text) { return text.empty() ? std::string("a name is empty") : std::string(); });
  }
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& name : o->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

CommandDescription describe(const CommandInfo& info) {
  CommandDescription out{info.name, info.summary, info.operands, {}};
  CLI::App app;
  Arguments unused;
  add_options(app, info.name, unused);
  for (const CLI::Option* o : app.get_options()) {
    if (!o->nonpositional() || o->get_lnames() == std::vector<std::string>{"help"}) continue;
    OptionDescription option;
    for (const std::string& name : o->get_snames()) option.names.push_back("-" + name);
    for (const std::string& name : o->get_lnames()) option.names.push_back("--" + name);
    if (o->get_expected_min() > 0) {
      const std::string type = o->get_type_name();  // validators add theirs after a colon
      option.value = type.substr(0, type.find(':'));
    }
    option.help = o->get_description();
    out.options.push_back(std::move(option));
  }
  return out;
}

/// The commands that have an option.
std::vector<std::string> commands_with(const std::string& option) {
  std::vector<std::string> out;
  for (const CommandInfo& c : commands) {
    const CommandDescription d = describe(c);
    const bool there = std::any_of(d.options.begin(), d.options.end(), [&](const OptionDescription& o) {
      return std::find(o.names.begin(), o.names.end(), option) != o.names.end();
    });
    if (there) out.push_back(d.name);
  }
  return out;
}

Diagnostic unknown_argument(const std::string& text, const CLI::App& app, const std::string& command) {
  const std::string name = text.substr(0, text.find('='));
  for (const char* later : later_options) {
    if (name == later) return wrong(fmt::format("the option {} is not built yet", name));
  }
  const std::string close = suggest(name, option_names(app));
  if (const std::vector<std::string> others = commands_with(name); close.empty() && !others.empty()) {
    return wrong(fmt::format("`{}` has no option `{}`", command, name),
                 fmt::format("it is an option of {}", fmt::join(others, ", ")));
  }
  return wrong(fmt::format("`{}` has no option `{}`", command, name),
               close.empty() ? fmt::format("`assay {} --help` lists its options", command)
                             : fmt::format("did you mean `{}`?", close));
}

std::string overview() {
  std::string out = "Assay tells whether a tensor-kernel schedule is right.\n\nusage: assay COMMAND [options] ...\n\n";
  for (const CommandInfo& c : commands) {
    out += fmt::format("  {:<8} {:<15} {}\n", c.name, c.operands, wrap(c.summary, text_columns, 27));
  }
  out +=
      "\n`assay COMMAND --help` lists the options of a command; `-` is standard input;\nFILE:NAME picks a program of a "
      "file.\n";
  out += "Exit status: 0 holds, 1 refuted, 2 error, 3 undecided, 4 inapplicable,\n70 contradiction.\n";
  return out;
}

/// What CLI11 cannot know: how many operands, and bounds of numbers.
std::vector<Diagnostic> check_arguments(const Arguments& a, const CommandInfo& info) {
  std::vector<Diagnostic> out;
  if (a.files.size() < info.least)
    out.push_back(wrong(fmt::format("`{}` needs more operands", info.name),
                        fmt::format("usage: assay {} {}", info.name, info.operands)));
  if (a.files.size() > info.most)
    out.push_back(wrong(fmt::format("`{}` takes at most {} operand{}; `{}` is one too many", info.name, info.most,
                                    info.most == 1 ? "" : "s", a.files[info.most]),
                        fmt::format("usage: assay {} {}", info.name, info.operands)));
  if (a.upto && a.only) out.push_back(wrong("--upto and --only exclude each other"));
  return out;
}

}  // namespace

std::vector<CommandDescription> describe_commands() {
  std::vector<CommandDescription> out;
  for (const CommandInfo& c : commands) out.push_back(describe(c));
  return out;
}

std::variant<Arguments, Wanted, std::vector<Diagnostic>> read_arguments(const std::vector<std::string>& args) {
  using Answer = std::variant<Arguments, Wanted, std::vector<Diagnostic>>;
  const auto refuse = [](Diagnostic d) -> Answer { return std::vector<Diagnostic>{std::move(d)}; };
  if (args.empty()) return refuse(wrong("a command is missing", "`assay --help` lists the commands"));
  const std::string& first = args.front();
  if (first == "--help" || first == "-h" || first == "help") return Wanted{overview()};
  if (first == "--version") return Wanted{fmt::format("assay {}\n", oracle::version())};
  const CommandInfo* info = find_command(first);
  if (info == nullptr) {
    if (!first.empty() && first.front() == '-')
      return refuse(
          wrong(fmt::format("the command comes first; `{}` is an option", first), "`assay --help` lists the commands"));
    return refuse(unknown_command(first));
  }
  Arguments a;
  a.command = first;
  CLI::App app(info->summary, fmt::format("assay {}", info->name));
  app.allow_extras();
  add_options(app, a.command, a);
  // What follows `--` is operands, whatever it begins with. CLI11 takes the arguments last first.
  const auto dashes = std::find(args.begin(), args.end(), "--");
  const std::vector<std::string> operands(dashes == args.end() ? dashes : dashes + 1, args.end());
  std::vector<std::string> rest(std::make_reverse_iterator(dashes), args.rend() - 1);
  try {
    app.parse(rest);
  } catch (const CLI::CallForHelp&) {
    return Wanted{help_text(describe(*info))};
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string what = e.what();  // "json was given a disallowed flag override"
    const bool flag = what.find("flag override") != std::string::npos;
    return refuse(wrong(flag ? fmt::format("--{} takes no value", what.substr(0, what.find(' '))) : what,
                        fmt::format("`assay {} --help` lists its options", info->name)));
  } catch (const CLI::ParseError& e) {
    return refuse(wrong(e.what(), fmt::format("`assay {} --help` lists its options", info->name)));
  }
  std::vector<Diagnostic> faults;
  for (const std::string& text : app.remaining()) {
    if (text.size() > 1 && text.front() == '-')
      faults.push_back(unknown_argument(text, app, a.command));
    else
      a.files.push_back(text);
  }
  a.files.insert(a.files.end(), operands.begin(), operands.end());
  if (faults.empty()) faults = check_arguments(a, *info);
  if (!faults.empty()) return faults;
  return a;
}

}  // namespace assay::cli
