// Hand-made reports and judges that lie, for tests of verdicts and screens.
#pragma once

#include <string>
#include <vector>

#include "oracle/check.hpp"
#include "oracle/lint.hpp"
#include "oracle/prove.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {

/// A text with one program and at most one schedule, checked.
struct Material {
  SourceFile file{};
  oracle::SourceText text{};
  const Program& program() const { return file.programs.at(0); }
  Schedule schedule() const { return file.schedules.empty() ? Schedule{} : file.schedules.at(0); }
};
Material material(const std::string& text);

oracle::CheckResult check_text(const std::string& text, const oracle::CheckOptions& options = {});
oracle::Report lint_text(const std::string& text, const oracle::LintOptions& options = {});
/// The two programs of a text against each other.
oracle::Report prove_text(const std::string& text, const oracle::ProveOptions& options = {});

/// Whether some finding has this code.
bool has_code(const oracle::Report& r, const std::string& code);
/// The lines of a text.
std::vector<std::string> lines_of(const std::string& text);

/// A judge that proves everything: one proved obligation for each step and program.
Validation prove_anything(const Program& before, const Program& after, Query& query);
Obligation obligation(const std::string& kind, Obligation::Status status, const std::string& code = {});

// Texts that several tests use.
extern const char* const skew;        // an exchange that reverses a dependence
extern const char* const tiled_copy;  // a parametric copy, split and swapped: legal and exact
extern const char* const sum_swap;    // a float reduction over two loops, swapped: reassociates

}  // namespace assay::test
