// The command line as plain data (format.md §3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/diagnostic.hpp"

namespace assay::cli {

struct Arguments {
  std::string command{};
  std::vector<std::string> files{};  // positional
  bool json = false, verbose = false, timing = false;
  std::string colour = "auto";
  std::vector<std::string> parameters{};
  std::uint64_t budget = 1;
  // check, apply
  std::string licence = "rounds";
  std::optional<int> upto{}, only{};
  std::vector<std::string> backends{}, required{};
  std::string steps_folder{}, dump_folder{};
  bool cross_check = false;
  std::string output{};  // -o
  // run
  std::vector<std::string> inputs{};  // NAME=F.npy
  std::string input_kind = "exact";
  std::uint64_t seed = 0;
  std::string output_folder{};
  std::optional<std::string> limits{};  // lint, menu
  // menu
  bool proved = false;
  std::size_t limit = 48;
  std::string preset{};
  // parse, codegen, test
  std::string form = "air";
  std::string target = "c";
  std::string junit{};
};

/// Text that was asked for instead of a command: help or the version.
struct Wanted {
  std::string text{};
};

/// An option as help, manual and completion describe it.
struct OptionDescription {
  std::vector<std::string> names{};  // "-o", "--output"
  std::string value{};               // empty for a flag; FILE, DIR, NAME=FILE …; a choice is `a|b|c`
  std::string help{};
};
struct CommandDescription {
  std::string name{}, summary{}, operands{};
  std::vector<OptionDescription> options{};
};
/// Every command with its options, from the table that also reads the command line.
std::vector<CommandDescription> describe_commands();

/// Arguments, a text to print, or what is wrong (CLI-3). `args` are those after the program's name.
std::variant<Arguments, Wanted, std::vector<Diagnostic>> read_arguments(const std::vector<std::string>& args);

}  // namespace assay::cli
