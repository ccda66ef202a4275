// `assay test`: the expectations that text files state, judged (spec/testing.md, TEST-…).
#pragma once

#include <string>
#include <vector>

#include "oracle/judges.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

struct ExpectOptions {
  Budgets budgets{};
  Judges judges{};
  std::string keep_folder = ".";
  /// Called after each section, for progress.
  std::function<void(const ExpectationReport&)> on_section{};
};

/// Judges every section of the files and folders.
Report test_paths(const std::vector<std::string>& paths, const ExpectOptions& options);

/// The JUnit form of a report of `test_paths` (TEST-10).
std::string to_junit(const Report& r);

/// `# expect: [COMMAND] VERDICT [CODE]` as words.
struct ExpectLine {
  std::string command{};  // empty: follows from the section
  std::string verdict{};
  std::string code{};
  std::string words{};  // as written
};
/// Whether the line is an expectation, and its words; an error text when it is not of the right form (TEST-4).
std::optional<tl::expected<ExpectLine, std::string>> read_expect_line(std::string_view line);

}  // namespace assay::oracle
