// The lines of a schedule: words, not program tokens (SCH-1 … SCH-3).
#pragma once

#include <string_view>
#include <vector>

#include "ir/text/lexer.hpp"
#include "ir/text/reporter.hpp"
#include "ir/text/source.hpp"

namespace assay::text {

/// Reads lines from `at`, which is moved past them: to the end of the text, or, in a `block`, past the closing brace
/// (`closed` says whether there was one). Lines with errors are left out.
std::vector<ScheduleLine> schedule_lines(std::string_view text, Position& at, bool block, bool& closed,
                                         Reporter& reporter);

}  // namespace assay::text
