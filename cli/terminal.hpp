// Where a command writes, and what the place can show (CLI-5).
#pragma once

#include <ostream>
#include <string>

namespace assay::cli {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false, err_is_terminal = false;
  bool unicode = false;
  bool no_colour = false;  // NO_COLOR is set
};

/// The process's own streams, terminal and locale.
Streams process_streams();

}  // namespace assay::cli
