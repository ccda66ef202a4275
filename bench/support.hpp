// What every measurement needs: a program or schedule from a file of examples/, or from text; a failure ends the program.
#pragma once

#include <string>
#include <string_view>

#include "ir/text/source.hpp"

namespace assay::bench {

/// The contents of a file, `path` relative to the source tree.
std::string read_file(std::string_view path);
/// The first program of the text or file.
Program program_from(std::string_view text);
/// The first schedule.
Schedule schedule_from(std::string_view text);

}  // namespace assay::bench
