// Faults planted in every program with threads of the examples and of tests/cases, and in random ones: what is proved clean ends
// alike in every order of accesses. ASSAY_PLANTED_SHARE=N judges all faults whose number is a multiple of N (default 16).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/mutants/thread_faults.hpp"
#include "fuzz/targets/thread_property.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

bool has_threads(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && (s->axis == Axis::workgroup || s->axis == Axis::reduce);
    return true;
  };
  visit(p.body, v);
  return found;
}

// What a schedule makes of a program, unjudged; nothing where a step does not apply.
std::optional<Program> scheduled(const Program& source, const Schedule& s, Query& query) {
  Program p = number_statements(source);
  for (const ScheduleLine& line : s.lines) {
    auto next = apply_line(p, line, query);
    if (!next) return std::nullopt;
    p = number_statements(fold_guards(number_statements(next->program), query).program);
  }
  return p;
}

struct Found {
  std::string where;
  Program program;
};

// Programs of a folder with threads of their own, or with those that a schedule of their section gives them.
std::vector<Found> programs_with_threads(const fs::path& folder, Query& query) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".air") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Found> out;
  const auto add = [&](const std::string& where, const std::optional<Program>& p) {
    if (p && has_threads(*p)) out.push_back({where, *p});
  };
  for (const fs::path& path : files) {
    const auto file = parse_source(read(path), path.string());
    if (!file) continue;  // a file of errors
    for (const Program& p : file->programs) add(path.string() + ":" + p.name, number_statements(p));
    for (const Expectation& e : file->expectations) {
      if (e.programs.size() == 1 && e.schedules.size() == 1)
        add(path.string() + ":" + file->programs[e.programs[0]].name + " scheduled",
            scheduled(file->programs[e.programs[0]], file->schedules[e.schedules[0]], query));
    }
    for (const char* name : {"good.sched", "wrong.sched"}) {
      const fs::path beside = path.parent_path() / name;
      if (!fs::exists(beside) || file->programs.empty()) continue;
      const auto schedule = parse_source(read(beside), beside.string());
      if (schedule && !schedule->schedules.empty())
        add(beside.string(), scheduled(file->programs[0], schedule->schedules[0], query));
    }
  }
  return out;
}

int share() {
  const char* text = std::getenv("ASSAY_PLANTED_SHARE");
  return text ? std::max(1, std::atoi(text)) : 16;
}

void report(const char* what, const ThreadPropertyCounts& c) {
  fmt::print("{}: {}", what, summary(c));
  for (std::size_t k = 0; k < c.failures.size() && k < 3; ++k) ADD_FAILURE() << c.failures[k];
  if (std::getenv("ASSAY_PLANTED_NOTES") == nullptr) return;
  for (const std::string& note : c.notes) fmt::print("--- {}\n", note);
}

TEST(PlantedThreads, examples_and_cases_are_as_they_are_judged) {
  const auto query = make_portfolio_query();
  ThreadPropertyCounts c;
  for (const char* folder : {"examples", "tests/cases"}) {
    for (const Found& f : programs_with_threads(fs::path(ASSAY_SOURCE_DIR) / folder, *query)) {
      SCOPED_TRACE(f.where);
      judge_threads(f.program, *query, c);
    }
  }
  report("as they are", c);
  RULE_TRUE("PLL-60", c.failures.empty());
  EXPECT_GE(c.equal, 60);
  EXPECT_GE(c.differing, 30);
}

TEST(PlantedThreads, faults_in_examples_and_cases_are_never_clean_when_orders_differ) {
  const auto query = make_portfolio_query();
  ThreadPropertyCounts c;
  int number = 0, programs = 0;
  for (const char* folder : {"examples", "tests/cases"}) {
    for (const Found& f : programs_with_threads(fs::path(ASSAY_SOURCE_DIR) / folder, *query)) {
      ++programs;
      for (const ThreadFault& fault : thread_faults(f.program)) {
        if (number++ % share() != 0) continue;
        SCOPED_TRACE(f.where + ": " + fault.name);
        const std::size_t before = c.failures.size();
        judge_threads(number_statements(fault.program), *query, c);
        if (c.failures.size() > before) c.failures.back() = f.where + ": " + fault.name + "\n" + c.failures.back();
      }
    }
  }
  fmt::print("{} faults in {} programs\n", number, programs);
  report("planted", c);
  RULE_TRUE("PLL-60", c.failures.empty());
  RULE_TRUE("PLL-61", c.unseen * 50 <= c.refuted) << c.unseen << " of " << c.refuted;
}

}  // namespace
}  // namespace assay::fuzz
