// The manual page assay(1), from the command table.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace assay::cli {

/// The page in the macros of man(7). `date` is what stands at its foot (2026-11-30).
std::string manual_page(const std::vector<CommandDescription>& commands, const std::string& date);

}  // namespace assay::cli
