// Writes what is made from the command table: generate DATE FOLDER -> assay.1, assay.bash, _assay, assay.fish. Part of the build.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/reference.hpp"
#include "oracle/files.hpp"
#include "transforms/operation.hpp"

int main(int argc, char** argv) {
  using namespace assay;
  if (argc != 3) return 2;
  const auto commands = cli::describe_commands();
  cli::CompletionWords words;
  for (const OperationEntry& e : operations()) words.operations.push_back(e.declaration.name);
  words.codes = cli::known_codes();
  const std::pair<const char*, std::string> files[] = {{"assay.1", cli::manual_page(commands, argv[1])},
                                                       {"assay.bash", cli::bash_completion(commands, words)},
                                                       {"_assay", cli::zsh_completion(commands, words)},
                                                       {"assay.fish", cli::fish_completion(commands, words)}};
  for (const auto& [name, text] : files) {
    if (const auto why = oracle::write_file(fmt::format("{}/{}", argv[2], name), text)) {
      std::fprintf(stderr, "%s\n", why->c_str());
      return 1;
    }
  }
  return 0;
}
