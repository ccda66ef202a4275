// Engines that disagree, engines that do not know, and the files of --dump.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "oracle/check.hpp"
#include "oracle/json.hpp"
#include "oracle/lint.hpp"
#include "proofs/isl/query.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay::oracle {
namespace {

namespace fs = std::filesystem;

const char* const text = "program p { param n in 1..9 inout A: f32[n] for i in 0..n { A[i] = A[i] * 2.0 } }";

// Says what it is told to, whatever the question.
class Fixed final : public Query {
 public:
  Fixed(std::string name, Answer::Kind kind) : name_(std::move(name)), kind_(kind) {}
  Answer solve(const Formula&, const std::vector<Symbol>&) override { return {kind_, {}, "told so", name_}; }

 private:
  std::string name_;
  Answer::Kind kind_;
};

Judges with_engine(Answer::Kind kind) {
  Judges j;
  j.inspection.cross_check = true;
  j.engines = [kind](std::uint64_t budget) {
    std::vector<std::unique_ptr<Query>> engines;
    engines.push_back(make_isl_query(budget));
    engines.push_back(std::make_unique<Fixed>("other", kind));
    return engines;
  };
  return j;
}

Report lint_with(const Judges& judges) {
  LintOptions options;
  options.judges = judges;
  return lint(test::program(text), {"p.air", text}, options);
}

bool says(const Report& r, const std::string& code) {
  return std::any_of(r.findings.begin(), r.findings.end(), [&](const Finding& f) { return f.diagnostic.code == code; });
}

TEST(CrossCheck, ALyingEngineIsAContradiction) {
  const Report r = lint_with(with_engine(Answer::Kind::solution));
  RULE_EQ("CHK-30", Verdict::contradiction, r.verdict);
  RULE_EQ("ENG-1", 70, exit_status(r.verdict));
  RULE_TRUE("ENG-1", says(r, "ENG-1"));
  EXPECT_NE(std::string::npos, r.claim.find("isl and other disagree")) << r.claim;
}

TEST(CrossCheck, AnEngineThatDoesNotKnowIsReportedAndNoContradiction) {
  const Report r = lint_with(with_engine(Answer::Kind::unknown));
  RULE_EQ("CHK-30", Verdict::clean, r.verdict);
  bool reported = false;
  for (const ObligationReport& o : r.obligations) {
    for (const EngineOpinion& e : o.opinions)
      reported = reported || (e.engine == "other" && e.status == Obligation::Status::undecided);
  }
  RULE_TRUE("CHK-30", reported);
  RULE_TRUE("CHK-30", to_json(r).find("\"cross_check\"") != std::string::npos);
}

TEST(CrossCheck, TheRealEnginesAgreeAndAStepIsJudgedByAll) {
  CheckOptions options;
  options.execute = false;
  options.judges.inspection.cross_check = true;
  Schedule schedule;
  schedule.lines.push_back(test::line("split i factor=4 -> io, ii"));
  const CheckResult r = check(test::program(text), {"p.air", text}, schedule, {}, options);
  RULE_EQ("CHK-30", Verdict::legal, r.report.verdict);
  ASSERT_FALSE(r.report.steps.empty());
  for (const ObligationReport& o : r.report.steps[0].obligations)
    EXPECT_EQ(o.obligation.questions.empty(), o.opinions.empty()) << o.id;
  options.judges.engines = with_engine(Answer::Kind::solution).engines;
  RULE_EQ("ENG-1", Verdict::contradiction,
          check(test::program(text), {"p.air", text}, schedule, {}, options).report.verdict);
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    std::stringstream contents;
    contents << in.rdbuf();
    out[entry.path().filename()] = contents.str();
  }
  return out;
}

TEST(Dump, TheSameFilesEveryTime) {
  const fs::path folder = fs::temp_directory_path() / ("assay-dump-" + std::to_string(::getpid()));
  std::map<std::string, std::string> files[2];
  for (auto& list : files) {
    fs::remove_all(folder);
    Judges judges;
    judges.inspection.dump_folder = folder;
    EXPECT_EQ(Verdict::clean, lint_with(judges).verdict);
    list = files_of(folder);
  }
  fs::remove_all(folder);
  RULE_TRUE("CHK-31", !files[0].empty() && files[0] == files[1]);
  ASSERT_EQ(1U, files[0].count("1-in-bounds.1.smt2"));
  RULE_TRUE("CHK-31", files[0].at("1-in-bounds.1.smt2").find("(set-logic QF_LIA)") != std::string::npos);
  RULE_TRUE("CHK-31", files[0].at("1-in-bounds.1.isl").find("{ ") != std::string::npos);
  Judges nowhere;
  nowhere.inspection.dump_folder = "/proc/none/here";
  EXPECT_EQ(Verdict::error, lint_with(nowhere).verdict);
}

}  // namespace
}  // namespace assay::oracle
