// Any text at all: the parser answers, and what it accepts survives printing and JSON.
//
// libFuzzer (clang) drives this entry for as long as it is told to; with g++ the same entry replays the kept corpus
// (replay.cpp). A crash, a sanitizer's report, a hang, or a property that does not hold ends the process.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/text/source.hpp"

namespace {

using namespace assay;

void require(bool holds, std::string_view property) {
  if (holds) return;
  fmt::print(stderr, "parser_fuzzer: does not hold: {}\n", property);
  std::abort();
}

void check_refusal(const std::vector<Diagnostic>& diagnostics, std::string_view text) {
  require(!diagnostics.empty(), "a refusal says why");
  for (const auto& d : diagnostics) {
    require(!d.code.empty() && !d.message.empty(), "a diagnostic has a code and a message");
    require(d.where.line >= 0 && d.where.column >= 0, "a place counts from 1, or is unknown");
    require(!render(d, text, true, true).empty() && !render(d, text, false, false).empty(),
            "a diagnostic has a screen");
  }
}

void check_accepted(const SourceFile& file) {
  for (const auto& program : file.programs) {
    const auto again = parse_source(print(program), "printed");
    require(again.has_value() && again->programs.size() == 1, "a printed program parses");
    require(again->programs.front() == program, "a printed program parses back to an equal one");
  }
  const auto again = parse_source(to_json(file), "json");
  require(again.has_value(), "the JSON of an accepted file is accepted");
  require(again->programs == file.programs, "JSON reads back to equal programs");
  require(again->schedules.size() == file.schedules.size(), "JSON reads back to as many schedules");
  for (std::size_t i = 0; i < file.schedules.size(); ++i) {
    const auto& before = file.schedules[i].lines;
    const auto& after = again->schedules[i].lines;
    require(before.size() == after.size(), "JSON reads back to as many lines");
    for (std::size_t k = 0; k < before.size(); ++k)
      require(before[k].op == after[k].op, "JSON reads back to equal lines");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // As a file of programs, and as whatever its first word makes of it (SYN-15).
  for (const char* path : {"fuzz.air", "fuzz.sched"}) {
    const auto parsed = parse_source(text, path);
    if (parsed) {
      check_accepted(*parsed);
    } else {
      check_refusal(parsed.error(), text);
    }
  }
  return 0;
}
