// Three shells, one table. A value is completed by its type name: FILE and NAME=FILE with files, DIR with folders, `a|b`
// with these words; operands with files, with operation names for `ops` and with codes for `explain`.
#include "cli/completion.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace assay::cli {
namespace {

enum class Kind { flag, file, folder, words, other };

Kind kind_of(const OptionDescription& o) {
  if (o.value.empty()) return Kind::flag;
  if (o.value.find('|') != std::string::npos) return Kind::words;
  if (o.value == "DIR") return Kind::folder;
  return o.value.find("FILE") != std::string::npos ? Kind::file : Kind::other;
}

std::string choices(const OptionDescription& o) {
  std::string words = o.value;
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

/// What completes the operands of a command: a list of words, or nothing for files.
const std::vector<std::string>* operand_words(const CommandDescription& c, const CompletionWords& words) {
  if (c.name == "ops") return &words.operations;
  return c.name == "explain" ? &words.codes : nullptr;
}

/// For a place between single quotes, in any of the shells.
std::string in_single_quotes(std::string_view text) {
  std::string out;
  for (const char ch : text) out += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
  return out;
}

/// A description for zsh, between single quotes and before a colon or bracket.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    if (ch == ':' || ch == '[' || ch == ']' || ch == '\\') out += '\\';
    out += ch;
  }
  return in_single_quotes(out);
}

}  // namespace

std::string bash_completion(const std::vector<CommandDescription>& commands, const CompletionWords& words) {
  std::string names;
  for (const CommandDescription& c : commands) names += c.name + " ";
  std::string out =
      "# bash completion of assay, made from its command table.\n"
      "_assay() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
      "  local options='' operands=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  out += fmt::format("    mapfile -t COMPREPLY < <(compgen -W '{}--help --version' -- \"$word\")\n    return\n  fi\n",
                     names);
  // `--in A=` is one word for assay and three for bash, which breaks at `=`.
  out += "  if [[ $word == = ]]; then word=; before='='; fi\n  case $command:$before in\n";
  for (const CommandDescription& c : commands) {
    for (const OptionDescription& o : c.options) {
      const Kind kind = kind_of(o);
      if (kind == Kind::flag) continue;
      std::vector<std::string> patterns;
      for (const std::string& n : o.names) patterns.push_back(c.name + ":" + n);
      std::string action = "return";
      if (kind == Kind::words)
        action = fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"); return", choices(o));
      if (kind == Kind::folder) action = "mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); return";
      if (o.value == "FILE") action = "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return";
      out += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), action);
    }
  }
  out += "    *:=) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n  esac\n  case $command in\n";
  for (const CommandDescription& c : commands) {
    std::vector<std::string> all;
    for (const OptionDescription& o : c.options) all.insert(all.end(), o.names.begin(), o.names.end());
    const auto* operands = operand_words(c, words);
    out += fmt::format("    {}) options='{} --help'{} ;;\n", c.name, fmt::join(all, " "),
                       operands == nullptr ? "" : fmt::format(" operands='{}'", fmt::join(*operands, " ")));
  }
  out +=
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
      "  elif [[ -n $operands ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _assay assay\n";
  return out;
}

std::string zsh_completion(const std::vector<CommandDescription>& commands, const CompletionWords& words) {
  std::string out =
      "#compdef assay\n# zsh completion of assay, made from its command table.\n_assay() {\n  local -a commands\n  "
      "commands=(\n";
  for (const CommandDescription& c : commands) out += fmt::format("    '{}:{}'\n", c.name, zsh_text(c.summary));
  out +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    _arguments '--help[list the commands]' '--version[print the version]'\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n";
  for (const CommandDescription& c : commands) {
    out += fmt::format("    {})\n      _arguments", c.name);
    for (const OptionDescription& o : c.options) {
      for (const std::string& n : o.names) {
        std::string value;
        switch (kind_of(o)) {
          case Kind::flag: break;
          case Kind::file: value = o.value == "FILE" ? ":file:_files" : ":name=file:_files"; break;
          case Kind::folder: value = ":folder:_files -/"; break;
          case Kind::words: value = fmt::format(":value:({})", choices(o)); break;
          case Kind::other: value = fmt::format(":{}:", zsh_text(o.value)); break;
        }
        out += fmt::format(" \\\n        '*{}[{}]{}'", n, zsh_text(o.help), value);
      }
    }
    const auto* operands = operand_words(c, words);
    const std::string operand =
        operands == nullptr ? "*:file:_files" : fmt::format("1:name:({})", fmt::join(*operands, " "));
    out += fmt::format(" \\\n        '--help[print the options]' \\\n        '{}'\n      ;;\n", operand);
  }
  out += "  esac\n}\n_assay \"$@\"\n";
  return out;
}

std::string fish_completion(const std::vector<CommandDescription>& commands, const CompletionWords& words) {
  std::string out = "# fish completion of assay, made from its command table.\n";
  out += "complete -c assay -n __fish_use_subcommand -f\n";
  out += "complete -c assay -n __fish_use_subcommand -l version -d 'print the version'\n";
  out += "complete -c assay -l help -d 'print the commands, or the options of one'\n";
  for (const CommandDescription& c : commands) {
    out +=
        fmt::format("complete -c assay -n __fish_use_subcommand -a {} -d '{}'\n", c.name, in_single_quotes(c.summary));
    const std::string here = fmt::format("complete -c assay -n '__fish_seen_subcommand_from {}'", c.name);
    if (const auto* operands = operand_words(c, words); operands != nullptr)
      out += fmt::format("{} -f -a '{}'\n", here, fmt::join(*operands, " "));
    for (const OptionDescription& o : c.options) {
      out += here;
      for (const std::string& n : o.names)
        out += n.size() == 2 ? fmt::format(" -s {}", n.substr(1)) : fmt::format(" -l {}", n.substr(2));
      switch (kind_of(o)) {
        case Kind::flag: break;
        case Kind::file: out += " -r -F"; break;
        case Kind::folder: out += " -x -a '(__fish_complete_directories)'"; break;
        case Kind::words: out += fmt::format(" -x -a '{}'", choices(o)); break;
        case Kind::other: out += " -x"; break;
      }
      out += fmt::format(" -d '{}'\n", in_single_quotes(o.help));
    }
  }
  return out;
}

}  // namespace assay::cli
