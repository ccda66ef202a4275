// `assay test` from outside: files in a folder of the test's own, the command line, the answer (spec/testing.md).
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const char* const clean_program = "program copy { input A: f32[4]  output B: f32[4]  for i in 0..4 { B[i] = A[i] } }\n";
const char* const faulty_program =
    "program beyond { input A: f32[4]  output B: f32[5]  for i in 0..5 { B[i] = A[i] } }\n";
const char* const recurrence = "program chain { inout x: f32[9]  for i in 0..8 { x[i + 1] = x[i] } }\n";

struct Reply {
  int status = -1;
  std::string out{}, err{};
  std::string last_line() const {
    const std::string text = out.substr(0, out.find_last_not_of('\n') + 1);
    return text.substr(text.rfind('\n') + 1);
  }
};

class Expectations : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("assay-expectations-" + name + "-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string folder(const std::string& name = "") const {
    return name.empty() ? folder_.string() : (folder_ / name).string();
  }

  static Reply test(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "test");
    std::ostringstream out, err;
    Reply r;
    r.status = cli::run_command(arguments, cli::Streams{out, err});
    r.out = out.str();
    r.err = err.str();
    return r;
  }
  /// The sections of the answer's JSON form.
  static json sections(const std::vector<std::string>& paths) {
    std::vector<std::string> arguments = paths;
    arguments.emplace_back("--json");
    return json::parse(test(arguments).out).at("tests");
  }

 private:
  fs::path folder_;
};

std::string expect(const std::string& words, const std::string& text) { return "# expect: " + words + "\n" + text; }

TEST_F(Expectations, FoldersAndFilesAreCollected) {
  put("b/two.air", expect("clean", clean_program));
  put("b/deep/one.air", expect("clean", clean_program));
  put("a.air", expect("clean", clean_program));
  put("silent.air", clean_program);
  put("notes.txt", expect("faulty", clean_program));
  const json found = sections({folder()});
  std::vector<std::string> files;
  for (const json& s : found) files.push_back(fs::relative(s.at("file").get<std::string>(), folder()).string());
  RULE_EQ("TEST-1", (std::vector<std::string>{"a.air", "b/deep/one.air", "b/two.air"}), files);
  RULE_EQ("TEST-1", 2, test({folder("silent.air")}).status);
  put("none/silent.air", clean_program);
  RULE_EQ("TEST-1", 2, test({folder("none")}).status);
  RULE_EQ("TEST-1", 2, test({folder("absent.air")}).status);
}

TEST_F(Expectations, SectionsStandAlone) {
  const std::string path = put("s.air", std::string("program broken {\n") + expect("clean", clean_program) +
                                            expect("parse error SYN-3", "program {\n") +
                                            expect("lint error NAME-1", "program p { output B: f32[1]  B[0] = x }\n") +
                                            expect("clean", clean_program));
  const json found = sections({path});
  ASSERT_EQ(4U, found.size());
  for (const json& s : found) RULE_TRUE("TEST-2", s.at("passed").get<bool>()) << s.dump();
  std::vector<int> lines;
  for (const json& s : found) lines.push_back(s.at("line").get<int>());
  RULE_EQ("TEST-2", (std::vector<int>{2, 4, 6, 8}), lines);
  // The places of a section's messages are those of the file.
  const Reply wrong =
      test({put("w.air", "\n\n" + expect("clean", "program p {\n  output B: f32[1]\n  B[0] = x\n}\n"))});
  RULE_EQ("TEST-2", 1, wrong.status);
}

TEST_F(Expectations, TheCommandFollowsFromTheSection) {
  const std::string schedule = "schedule s { split i factor=2 -> o, p }\n";
  const std::string twin = "program twin { input A: f32[4]  output B: f32[4]  for i in 0..4 { B[i] = A[i] + 1.0 } }\n";
  RULE_EQ("TEST-3", 0, test({put("lint.air", expect("clean", clean_program))}).status);
  RULE_EQ("TEST-3", 0, test({put("check.air", expect("legal", clean_program + schedule))}).status);
  RULE_EQ("TEST-3", 0, test({put("prove.air", expect("different", clean_program + twin))}).status);
  RULE_EQ("TEST-3", 0,
          test({put("named.air", expect("lint clean", clean_program + schedule) +
                                     expect("apply legal", clean_program + schedule) + expect("run ok", clean_program) +
                                     expect("parse ok", clean_program + twin + schedule))})
              .status);
  // The first program and the first schedule.
  RULE_EQ("TEST-3", 0,
          test({put("first.air", expect("check legal", clean_program + std::string(recurrence) + schedule +
                                                           "schedule t { retype i axis=vectorized }\n"))})
              .status);
  // A command that cannot be guessed.
  RULE_EQ("TEST-3", 1, test({put("guess.air", expect("clean", clean_program + twin + schedule))}).status);
}

TEST_F(Expectations, VerdictsAreThoseOfTheCommand) {
  for (const std::string words : {"lint legal", "prove illegal", "check equivalent", "run clean", "parse legal",
                                  "check contradiction", "wonderful", "", "lint", "lint clean RUN-1 RUN-2"}) {
    const Reply r = test({put("v.air", expect(words, clean_program))});
    SCOPED_TRACE(words);
    RULE_EQ("TEST-4", 2, r.status);
    RULE_TRUE("TEST-4", (r.out + r.err).find("v.air:1") != std::string::npos) << r.out << r.err;
  }
  for (const std::string words : {"lint clean", "lint faulty", "lint undecided", "lint error", "check inapplicable",
                                  "check faulty", "run ok", "parse error", "prove equivalent", "apply legal"}) {
    RULE_TRUE("TEST-4", test({put("v.air", expect(words, clean_program))}).status <= 1) << words;
  }
  RULE_EQ("TEST-4", 0, test({put("e.air", expect("error", "program p { nonsense\n"))}).status);
}

TEST_F(Expectations, CodesMustBeThere) {
  RULE_EQ("TEST-5", 0, test({put("c.air", expect("lint faulty RUN-1", faulty_program))}).status);
  RULE_EQ("TEST-5", 1, test({put("c.air", expect("lint faulty RUN-2", faulty_program))}).status);
  RULE_EQ("TEST-5", 0, test({put("c.air", expect("lint faulty", faulty_program))}).status);
  RULE_EQ("TEST-5", 0,
          test({put("c.air",
                    expect("check inapplicable SWP-1",
                           clean_program + std::string("schedule s {\n split i factor=2 -> o, p\n swap p o\n}\n")))})
              .status);
}

TEST_F(Expectations, SchedulesFindTheirProgram) {
  put("k/k.air", clean_program);
  put("k/good.sched", "# a comment\n" + expect("check legal", "split i factor=2 -> o, p\nretype p axis=vectorized\n"));
  put("k/block.sched", expect("legal", "schedule s { split i factor=2 }\n"));
  put("k/refused.sched", expect("check error SCH-8", "unroll j\n"));
  const Reply r = test({folder("k")});
  SCOPED_TRACE(r.out + r.err);
  RULE_EQ("TEST-6", 0, r.status);
  const std::string alone = put("lonely/s.sched", expect("check legal", "unroll i\n"));
  RULE_TRUE("TEST-6", test({alone}).status != 0);
  put("two/a.air", clean_program);
  put("two/b.air", clean_program);
  RULE_TRUE("TEST-6", test({put("two/s.sched", expect("check legal", "unroll i\n"))}).status != 0);
}

TEST_F(Expectations, CommandsRunWithTheirDefaults) {
  // A schedule that reassociates is legal under the default licence of check; all sizes count, not only the smallest.
  const std::string sum =
      "program sum { input M: f32[3, 4]  output s: f32[1]  s[0] = 0.0  for p in 0..3 { for q in 0..4 { s[0] += M[p, q] "
      "} } }\nschedule t { swap p q }\n";
  const std::string sized =
      "program sized { param n in 1..9  input A: f32[4]  output B: f32[n]  for i in 0..n { B[i] = A[i] } }\n";
  RULE_EQ("TEST-7", 0, test({put("d.air", expect("check legal", sum) + expect("lint faulty RUN-1", sized))}).status);
}

TEST_F(Expectations, WhatFailsIsSaid) {
  const std::string path =
      put("f.air", expect("lint clean", clean_program) + expect("lint clean RUN-9", faulty_program));
  const Reply r = test({path});
  RULE_TRUE("TEST-8", r.out.find(path + ":3: expected lint clean RUN-9, got faulty") != std::string::npos) << r.out;
  RULE_TRUE("TEST-8", r.out.find("RUN-1") != std::string::npos) << r.out;
  RULE_TRUE("TEST-8", r.out.find(":1: expected") == std::string::npos) << "a section that holds is silent: " << r.out;
  const std::size_t below = r.out.find('\n', r.out.find(":3: expected"));
  ASSERT_NE(std::string::npos, below);
  RULE_TRUE("TEST-8", r.out.compare(below + 1, 1, " ") == 0) << "details are indented: " << r.out;
}

TEST_F(Expectations, TheLastLineCounts) {
  const std::string good = put("g.air", expect("lint clean", clean_program) + expect("lint faulty", faulty_program));
  const std::string bad = put("h.air", expect("lint faulty", clean_program));
  const Reply held = test({good}), failed = test({good, bad});
  RULE_EQ("TEST-9", 0, held.status);
  SCOPED_TRACE(held.out);
  RULE_EQ("TEST-9", 0U, held.last_line().find("ok: 2 expectations in 1 file hold"));
  RULE_EQ("TEST-9", 1, failed.status);
  SCOPED_TRACE(failed.out);
  RULE_EQ("TEST-9", 0U, failed.last_line().find("failed: 1 of 3 expectations do"));
}

TEST_F(Expectations, MachineForms) {
  const std::string path = put("m.air", expect("lint clean", clean_program) + expect("lint clean", faulty_program));
  const Reply r = test({path, "--json", "--junit", folder("m.xml")});
  const json answer = json::parse(r.out);
  RULE_EQ("TEST-10", std::string("test"), answer.at("command").get<std::string>());
  RULE_EQ("TEST-10", std::string("failed"), answer.at("verdict").get<std::string>());
  const json& tests = answer.at("tests");
  ASSERT_EQ(2U, tests.size());
  RULE_EQ("TEST-10", std::string("lint clean"), tests[0].at("expected").get<std::string>());
  RULE_EQ("TEST-10", std::string("clean"), tests[0].at("verdict").get<std::string>());
  RULE_EQ("TEST-10", path, tests[1].at("file").get<std::string>());
  RULE_EQ("TEST-10", 3, tests[1].at("line").get<int>());
  RULE_TRUE("TEST-10", tests[0].at("passed").get<bool>() && !tests[1].at("passed").get<bool>());
  const std::vector<std::string> codes = tests[1].at("codes").get<std::vector<std::string>>();
  RULE_TRUE("TEST-10", std::find(codes.begin(), codes.end(), "RUN-1") != codes.end()) << tests[1].dump();
  std::ifstream file(folder("m.xml"));
  const std::string xml((std::istreambuf_iterator<char>(file)), {});
  const auto times = [&](const std::string& tag) {
    int n = 0;
    for (std::size_t at = xml.find(tag); at != std::string::npos; at = xml.find(tag, at + 1)) ++n;
    return n;
  };
  RULE_EQ("TEST-10", 1, times("<testsuite "));
  RULE_EQ("TEST-10", 2, times("<testcase "));
  RULE_EQ("TEST-10", 1, times("<failure "));
}

}  // namespace
}  // namespace assay
