// Completion scripts for bash, zsh and fish, from the command table.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace assay::cli {

/// What `ops` and `explain` can be asked for.
struct CompletionWords {
  std::vector<std::string> operations{};
  std::vector<std::string> codes{};
};

std::string bash_completion(const std::vector<CommandDescription>& commands, const CompletionWords& words);
std::string zsh_completion(const std::vector<CommandDescription>& commands, const CompletionWords& words);
std::string fish_completion(const std::vector<CommandDescription>& commands, const CompletionWords& words);

}  // namespace assay::cli
