// Loading of sources; prints what is wrong and exits, since a measurement of nothing would be worse.
#include "bench/support.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

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

}  // namespace assay::bench
