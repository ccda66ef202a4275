// The file of a kept case: comments that say what happened, both programs, the schedule.
#include "oracle/keep.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "oracle/files.hpp"
#include "oracle/findings.hpp"

namespace assay::oracle {
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return h;
}

}  // namespace

std::string keep_case(const KeptCase& c, const std::string& folder) {
  if (folder.empty()) return {};
  std::string text = "# Two judges disagree about this case.\n";
  text += "# " + c.claim + "\n";
  if (c.observation) text += "# " + observation_text(*c.observation) + "\n";
  text += "# `before` is the first program, `after` what the schedule made of it.\n\n";
  Program before = c.before, after = c.after;
  before.name = "before";
  after.name = "after";
  text += print(before) + "\n" + print(after) + "\nschedule steps {\n";
  for (const ScheduleLine& line : c.schedule.lines) text += "  " + line.text + "\n";
  text += "}\n";
  const std::string path = fmt::format("{}/assay-contradiction-{:016x}.air", folder, fnv1a(text));
  return write_file(path, text) ? std::string() : path;
}

}  // namespace assay::oracle
