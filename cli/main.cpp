// assay: tells whether a tensor-kernel schedule is right.
#include "cli/command.hpp"

int main(int argc, char** argv) {
  return assay::cli::run_command({argv + 1, argv + argc}, assay::cli::process_streams());
}
