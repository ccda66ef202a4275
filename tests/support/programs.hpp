// Programs and schedules from text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ir/text/source.hpp"

namespace assay::test {

/// The program of a text; a test failure (and an empty program) with the rendered diagnostics otherwise.
inline Program program(const std::string& text) {
  const auto file = parse_source(text, "test.air");
  if (file && !file->programs.empty()) return file->programs[0];
  if (!file) {
    for (const Diagnostic& d : file.error()) ADD_FAILURE() << render(d, text, false, true);
  } else {
    ADD_FAILURE() << "no program in the text";
  }
  return {};
}

/// The one line of a schedule text.
inline ScheduleLine line(const std::string& text) {
  const auto file = parse_source(text, "test.sched");
  if (file && !file->schedules.empty() && !file->schedules[0].lines.empty()) return file->schedules[0].lines[0];
  if (!file) {
    for (const Diagnostic& d : file.error()) ADD_FAILURE() << render(d, text, false, true);
  } else {
    ADD_FAILURE() << "no schedule line in the text";
  }
  return {};
}

}  // namespace assay::test
