// The program: one command line in, an answer on the streams and an exit status out.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace assay::cli {

/// Runs one command. `args` are those after the program's name. Never throws: an unexpected exception is status 70.
int run_command(const std::vector<std::string>& args, const Streams& streams);

}  // namespace assay::cli
