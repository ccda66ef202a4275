// The C++ face of an installed Assay: client PROGRAM SCHEDULE prints the verdict word of a check.
#include <assay/oracle/check.hpp>
#include <assay/oracle/files.hpp>
#include <cstdio>

int main(int, char** argv) {
  using namespace assay::oracle;
  const auto program = load_source(argv[1]);
  const auto schedule = load_source(argv[2]);
  if (!program || !schedule) return 2;
  const CheckResult result =
      check(program->file.programs.at(0), {argv[1], ""}, schedule->file.schedules.at(0), {argv[2], ""}, {});
  std::puts(std::string(word(result.report.verdict)).c_str());
  return exit_status(result.report.verdict);
}
