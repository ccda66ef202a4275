// Loading of sources; prints what is wrong and exits, since a measurement of nothing would be worse.
#include "bench/support.hpp"

#include <fmt/core.h>

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "proofs/isl/query.hpp"
#include "transforms/operation.hpp"

namespace assay::bench {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

SourceFile parse(std::string_view text) {
  auto parsed = parse_source(text, "bench");
  if (!parsed) give_up(render(parsed.error().front(), text, false, false));
  return std::move(*parsed);
}

}  // namespace

std::string read_file(std::string_view path) {
  const std::string full = std::string(ASSAY_SOURCE_DIR) + "/" + std::string(path);
  std::ifstream in(full, std::ios::binary);
  if (!in) give_up("cannot read " + full);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Program program_from(std::string_view text) {
  auto file = parse(text);
  if (file.programs.empty()) give_up("no program in the text");
  return std::move(file.programs.front());
}

Schedule schedule_from(std::string_view text) {
  auto file = parse(text);
  if (file.schedules.empty()) give_up("no schedule in the text");
  return std::move(file.schedules.front());
}

std::vector<Step> steps_of(Program p, const Schedule& schedule) {
  std::vector<Step> steps;
  const auto query = make_isl_query();
  for (const auto& line : schedule.lines) {
    const Program numbered = number_statements(p);
    auto rewritten = apply_line(numbered, line, *query);
    if (!rewritten) return {};
    steps.push_back({numbered, rewritten->program});
    const Program unfolded = number_statements(rewritten->program);
    Rewrite folded = fold_guards(unfolded, *query);
    steps.push_back({unfolded, folded.program});
    p = std::move(folded.program);
  }
  return steps;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ASSAY_SOURCE_DIR) + "/examples")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Examples all_examples() {
  namespace fs = std::filesystem;
  Examples all;
  for (const std::string& name : example_names()) {
    const std::string folder = "examples/" + name + "/";
    all.programs.push_back(number_statements(program_from(read_file(folder + name + ".air"))));
    for (const auto& file : fs::directory_iterator(fs::path(ASSAY_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".sched") continue;
      const std::string schedule = read_file(folder + file.path().filename().string());
      for (Step& s : steps_of(all.programs.back(), schedule_from(schedule))) all.steps.push_back(std::move(s));
    }
  }
  return all;
}

double processor_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace assay::bench
