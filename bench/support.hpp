// What every measurement needs: a program or schedule from a file of examples/, or from text; a failure ends the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/text/source.hpp"

namespace assay::bench {

/// The contents of a file, `path` relative to the source tree.
std::string read_file(std::string_view path);
/// The first program of the text or file.
Program program_from(std::string_view text);
/// The first schedule.
Schedule schedule_from(std::string_view text);

/// A step of a schedule as it is validated.
struct Step {
  Program before, after;
};
/// Every step of the schedule, each guard folding a step of its own, as `check` has them; none if a line does not apply.
std::vector<Step> steps_of(Program p, const Schedule& schedule);

/// The programs of examples/ and the steps of all their schedules that apply, right and wrong ones alike.
struct Examples {
  std::vector<Program> programs{};
  std::vector<Step> steps{};
};
Examples all_examples();
/// The names of the folders of examples/, sorted.
std::vector<std::string> example_names();

/// Processor time of this thread: proofs run in one, and a busy machine does not slow it.
double processor_microseconds();
double median(std::vector<double> values);

}  // namespace assay::bench
