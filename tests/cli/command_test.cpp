// The command line from outside: arguments, files, statuses, what stands on which stream (CLI-…).
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include <map>

#include "cli/command.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const char* const skew =
    "program skew {\n  inout a: f32[8, 8]\n  for i in 1..8 { for j in 0..7 { a[i, j] = a[i - 1, j + 1] + 1.0 } }\n}\n";
const char* const scale =
    "program scale { param n in 1..20  input A: f32[n]  output B: f32[n]  for i in 0..n { B[i] = A[i] * 2.0 } "
    "}\nschedule s { split i factor=4 -> io, ii }\n";

struct Reply {
  int status = -1;
  std::string out{}, err{};
  std::string last_line() const {
    const std::string text = out.substr(0, out.find_last_not_of('\n') + 1);
    return text.substr(text.rfind('\n') + 1);
  }
};

Reply assay_command(const std::vector<std::string>& arguments, bool terminal = false, bool no_colour = false) {
  std::ostringstream out, err;
  cli::Streams streams{out, err};
  streams.out_is_terminal = terminal;
  streams.no_colour = no_colour;
  Reply r;
  r.status = cli::run_command(arguments, streams);
  r.out = out.str();
  r.err = err.str();
  return r;
}

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("assay-cli-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" +
               std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    skew_ = put("skew.air", skew);
    scale_ = put("scale.air", scale);
    swap_ = put("swap.sched", "swap i j\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  std::string skew_, scale_, swap_;
};

TEST_F(CommandLine, StatusFollowsFromTheVerdict) {
  const std::pair<std::vector<std::string>, std::pair<int, std::string>> table[] = {
      {{"lint", skew_}, {0, "clean: "}},
      {{"check", scale_}, {0, "legal (exact): "}},
      {{"check", skew_, swap_}, {1, "illegal: "}},
      {{"check", skew_}, {0, "legal (exact): "}},
      {{"run", scale_}, {0, "ok: "}},
      {{"prove", skew_, skew_}, {0, "equivalent: "}},
      {{"prove", put("a.air", "program p { input A: f32[4] output B: f32[4] for i in 0..4 { B[i] = A[i] } }"),
        put("b.air", "program p { input A: f32[4] output B: f32[4] for i in 0..4 { B[i] = A[i] * 1.0 } }")},
       {3, "undecided: "}},
      {{"prove", skew_, scale_}, {2, "error: "}},
      {{"lint", path("absent.air")}, {2, "error: "}},
      {{"lint", put("bad.air", "program p { output B: f33[1] }")}, {2, "error: "}},
      {{"check", skew_, put("no.sched", "swap j i\n")}, {4, "inapplicable: "}},
  };
  for (const auto& [arguments, expected] : table) {
    const Reply r = assay_command(arguments);
    RULE_EQ("CLI-1", expected.first, r.status);
    RULE_TRUE("CLI-2", r.last_line().rfind(expected.second, 0) == 0) << r.out << r.err;
  }
}

TEST_F(CommandLine, UnknownWordsGetASuggestion) {
  const std::pair<std::vector<std::string>, std::string> table[] = {
      {{"chek", skew_}, "did you mean `check`?"},
      {{"check", skew_, "--licens", "exact"}, "did you mean `--licence`?"},
      {{"check", skew_, "--backends", "cudaa"}, "did you mean `cuda`?"},
      {{"ops", "spilt"}, "did you mean `split`?"},
      {{"explain", "DEPP-2"}, "did you mean `DEP-2`?"},  // no rule has this code
      {{"check", put("op.air", std::string(skew) + "schedule s { swop i j }\n")}, "swap"},
  };
  for (const auto& [arguments, help] : table) {
    const Reply r = assay_command(arguments);
    RULE_EQ("CLI-3", 2, r.status);
    RULE_TRUE("CLI-3", (r.out + r.err).find(help) != std::string::npos) << r.out << r.err;
  }
}

TEST_F(CommandLine, WhatIsNotBuiltYetSaysSo) {
  for (const char* command :
       {"fuzz", "replay", "reduce", "merge", "promote", "verify-op", "new-op", "mutants", "recheck"}) {
    const Reply r = assay_command({command, skew_});
    RULE_EQ("CLI-3", 2, r.status);
    RULE_TRUE("CLI-3", r.out.find("not built yet") != std::string::npos) << r.out;
  }
  for (const char* option : {"--cert", "--plugin", "--no-fork"}) {
    const Reply r = assay_command({"check", skew_, option, "x"});
    RULE_EQ("CLI-3", 2, r.status);
    RULE_TRUE("CLI-3", r.out.find("not built yet") != std::string::npos) << r.out;
  }
  RULE_EQ("CLI-3", 2, assay_command({"codegen", skew_, "--target", "fortran"}).status);
}

TEST_F(CommandLine, WrongArgumentsAreErrors) {
  const std::vector<std::vector<std::string>> table = {{},
                                                       {"--json"},
                                                       {"lint"},
                                                       {"lint", skew_, skew_},
                                                       {"check", skew_, "--upto", "x"},
                                                       {"check", skew_, "--only", "1"},
                                                       {"run", skew_, "--inputs", "random"},
                                                       {"lint", skew_, "--budget", "0"},
                                                       {"run", skew_, "--in", "a"},
                                                       {"test"},
                                                       {"explain"}};
  for (const auto& arguments : table)
    EXPECT_EQ(assay_command(arguments).status, 2) << (arguments.empty() ? "" : arguments.front());
  EXPECT_EQ(assay_command({"--help"}).status, 0);
  EXPECT_EQ(assay_command({"check", "--help"}).status, 0);
  EXPECT_NE(assay_command({"check", "--help"}).out.find("--licence"), std::string::npos);
  EXPECT_EQ(assay_command({"--version"}).out, "assay 0.1.0\n");
}

TEST_F(CommandLine, JsonIsOneObjectWhateverTheVerdict) {
  const std::vector<std::vector<std::string>> table = {
      {"check", skew_, swap_, "--json"},
      {"check", scale_, "--json"},
      {"lint", skew_, "--json"},
      {"prove", skew_, skew_, "--json"},
      {"run", scale_, "--json"},
      {"ops", "--json"},
      {"lint", path("absent"), "--json"},
      {"frob", "--json"},
      {"check", skew_, "--nope", "--json"},
      {"codegen", scale_, "--json"},
      {"explain", "DEP-2", "--json"},
      {"apply", scale_, "--json"},
  };
  for (const auto& arguments : table) {
    const Reply r = assay_command(arguments);
    RULE_TRUE("CLI-4", json::accept(r.out)) << arguments.front() << "\n" << r.out;
    RULE_EQ("CLI-4", std::string(), r.err);
    const json j = json::parse(r.out);
    RULE_TRUE("CLI-4", j.contains("schema") && j.contains("verdict"));
    RULE_EQ("CLI-4", r.out, assay_command(arguments).out);
  }
  EXPECT_TRUE(json::parse(assay_command({"lint", skew_, "--json", "--timing"}).out).contains("seconds"));
  // Parameters of operations have the names of their kinds.
  std::map<std::string, std::string> kinds;
  const json ops = json::parse(assay_command({"ops", "--json"}).out);
  for (const json& operation : ops.at("operations")) {
    for (const json& p : operation.at("parameters"))
      kinds[operation.at("name").get<std::string>() + " " + p.at("name").get<std::string>()] = p.at("kind");
  }
  RULE_EQ("CLI-4", std::string("integer"), kinds["split factor"]);
  RULE_EQ("CLI-4", std::string("buffer"), kinds["fuse_epilogue target"]);
  RULE_EQ("CLI-4", std::string("value"), kinds["materialize value"]);
  RULE_EQ("CLI-4", std::string("results"), kinds["expand_zero loops"]);
}

TEST_F(CommandLine, ColourOnlyWhereItIsWanted) {
  RULE_TRUE("CLI-5", assay_command({"lint", skew_}).out.find('\033') == std::string::npos);
  RULE_TRUE("CLI-5", assay_command({"lint", skew_}, true).out.find('\033') != std::string::npos);
  RULE_TRUE("CLI-5", assay_command({"lint", skew_}, true, true).out.find('\033') == std::string::npos);
  RULE_TRUE("CLI-5",
            assay_command({"lint", skew_, "--color", "always"}, false, true).out.find('\033') != std::string::npos);
  RULE_TRUE("CLI-5", assay_command({"lint", skew_, "--color", "never"}, true).out.find('\033') == std::string::npos);
}

TEST_F(CommandLine, NamesPickProgramsAndSchedules) {
  const std::string two = put("two.air", std::string(skew) +
                                             "program other { output B: f32[2]  for i in 0..1 { B[i] = 1.0 } "
                                             "}\nschedule a { }\nschedule b { swap i j }\n");
  RULE_EQ("CLI-6", 0, assay_command({"lint", two}).status);
  RULE_EQ("CLI-6", 0, assay_command({"lint", two + ":skew"}).status);
  RULE_EQ("CLI-6", 1, assay_command({"lint", two + ":other"}).status);
  const Reply wrong = assay_command({"lint", two + ":othr"});
  RULE_EQ("CLI-6", 2, wrong.status);
  RULE_TRUE("CLI-6", wrong.out.find("did you mean `other`?") != std::string::npos) << wrong.out;
  RULE_EQ("CLI-6", 0, assay_command({"check", two}).status);
  RULE_EQ("CLI-6", 1, assay_command({"check", two, two + ":b"}).status);
}

TEST_F(CommandLine, ParametersAreNarrowed) {
  EXPECT_NE(assay_command({"run", scale_, "--param", "n=7"}).out.find("B: f32[7]"), std::string::npos);
  RULE_TRUE("CLI-7", assay_command({"check", scale_, "--param", "n=7"}).last_line().find("n = 7") != std::string::npos);
  RULE_EQ("CLI-7", 2, assay_command({"run", scale_, "--param", "n=20"}).status);
  RULE_EQ("CLI-7", 2, assay_command({"run", scale_, "--param", "m=2"}).status);
  RULE_EQ("CLI-7", 2, assay_command({"run", scale_, "--param", "n"}).status);
  RULE_EQ("CLI-7", 2, assay_command({"run", scale_, "--param", "n=2", "--param", "n=3"}).status);
  const std::string odd = put(
      "odd.air",
      "program odd { param n in 1..9  require floormod(n, 2) == 1  output B: f32[n]  for i in 0..n { B[i] = 1.0 } }");
  RULE_EQ("CLI-7", 0, assay_command({"lint", odd, "--param", "n=3"}).status);
  RULE_EQ("CLI-7", 2, assay_command({"lint", odd, "--param", "n=4"}).status);
}

TEST_F(CommandLine, RunReadsAndWritesArrays) {
  RULE_TRUE("CLI-9", assay_command({"run", scale_}).out.find("B: f32[1]") != std::string::npos);
  const Reply first = assay_command({"run", scale_, "--param", "n=5", "--out", path("out")});
  RULE_EQ("CLI-9", 0, first.status);
  ASSERT_TRUE(fs::exists(path("out/B.npy"))) << first.out;
  // The output of one run is the input of the next.
  const Reply second =
      assay_command({"run", scale_, "--param", "n=5", "--in", "A=" + path("out/B.npy"), "--out", path("out2")});
  RULE_EQ("CLI-9", 0, second.status);
  RULE_TRUE("CLI-9", contents(path("out/B.npy")) != contents(path("out2/B.npy")));
  RULE_EQ("CLI-9", 2, assay_command({"run", scale_, "--param", "n=6", "--in", "A=" + path("out/B.npy")}).status);
  RULE_EQ("CLI-9", 2, assay_command({"run", scale_, "--in", "Z=" + path("out/B.npy")}).status);
  const Reply other = assay_command({"run", scale_, "--param", "n=5", "--seed", "1", "--out", path("out3")});
  RULE_EQ("CLI-9", 0, other.status);
  RULE_TRUE("CLI-9", contents(path("out/B.npy")) != contents(path("out3/B.npy")));
}

TEST_F(CommandLine, FilesAppearWholeOrNotAtAll) {
  const std::string target = path("t.air");
  RULE_EQ("CLI-8", 0, assay_command({"apply", scale_, "-o", target}).status);
  RULE_TRUE("CLI-8", contents(target).rfind("program scale", 0) == 0);
  // A refused schedule writes nothing, and leaves no part behind.
  RULE_EQ("CLI-8", 1, assay_command({"apply", skew_, swap_, "-o", path("none.air")}).status);
  RULE_TRUE("CLI-8", !fs::exists(path("none.air")));
  RULE_EQ("CLI-8", 2, assay_command({"apply", scale_, "-o", path("no/such/folder.air")}).status);
  RULE_EQ("CLI-8", 0, assay_command({"check", scale_, "--steps", path("steps")}).status);
  RULE_TRUE("CLI-8", fs::exists(path("steps/00-source.air")) && fs::exists(path("steps/01-split.air")));
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    RULE_TRUE("CLI-8", entry.path().extension() != ".part");
}

TEST_F(CommandLine, ProductsStandAlone) {
  Reply r = assay_command({"apply", scale_});
  RULE_EQ("CLI-10", 0, r.status);
  RULE_TRUE("CLI-10", r.out.rfind("program scale", 0) == 0) << r.out;
  RULE_TRUE("CLI-10", r.err.find("legal (exact): ") != std::string::npos) << r.err;
  const std::string again = put("again.air", r.out);
  RULE_EQ("CLI-10", 0, assay_command({"lint", again}).status);
  r = assay_command({"apply", skew_, swap_});
  RULE_EQ("CLI-10", 1, r.status);
  RULE_EQ("CLI-10", std::string(), r.out);
  RULE_TRUE("CLI-10", r.err.find("illegal: ") != std::string::npos);
  r = assay_command({"codegen", scale_});
  RULE_TRUE("CLI-10", r.out.find("assay_kernel") != std::string::npos);
  r = assay_command({"parse", scale_});
  RULE_EQ("CLI-10", 0, r.status);
  EXPECT_EQ(assay_command({"parse", put("p.air", r.out)}).out, r.out);
  r = assay_command({"parse", put("wrong.air", "program {")});
  RULE_EQ("CLI-10", 2, r.status);
  RULE_EQ("CLI-10", std::string(), r.out);
  RULE_TRUE("CLI-10", assay_command({"ops"}).out.find("split loop factor=INT") != std::string::npos);
  RULE_TRUE("CLI-10", assay_command({"explain", "dep-2"}).out.rfind("DEP-2 (spec/", 0) == 0);
}

TEST_F(CommandLine, TheSyntaxTreeIsTakenInPlaceOfText) {
  const Reply tree = assay_command({"parse", scale_, "--json"});
  ASSERT_EQ(tree.status, 0);
  ASSERT_TRUE(json::accept(tree.out));
  const std::string file = put("scale.json", tree.out);
  EXPECT_EQ(assay_command({"parse", file}).out, assay_command({"parse", scale_}).out);
  EXPECT_EQ(assay_command({"check", file}).status, 0);
}

TEST_F(CommandLine, ProgramsInOtherForms) {
  const std::string two = put("two.air", std::string(scale) + skew);
  const Reply digests = assay_command({"parse", two, "--as", "digest"});
  RULE_EQ("ANA-4", 2 * 64 + std::string("  scale\n  skew\n").size(), digests.out.size());
  RULE_TRUE("ANA-4", digests.out.find("  scale\n") == 64);
  const std::string canonical = assay_command({"parse", two, "--as", "canonical"}).out;
  RULE_TRUE("ANA-4",
            canonical.find("schedule") == std::string::npos && canonical.find("l0 in 0..p0") != std::string::npos);
  EXPECT_EQ(assay_command({"parse", two, "--as", "air"}).out, assay_command({"parse", two}).out);
  EXPECT_NE(assay_command({"parse", two, "--as", "c-like"}).out.find("for (int64_t i = 1; i < 8; ++i)"),
            std::string::npos);
  EXPECT_NE(assay_command({"parse", scale_, "--as", "facts", "--param", "n=7"}).out.find("at        n = 7"),
            std::string::npos);
  const Reply object = assay_command({"parse", two, "--as", "digest", "--json"});
  RULE_TRUE("CLI-4", json::accept(object.out) && json::parse(object.out)["product"] == digests.out);
  RULE_EQ("CLI-3", 2, assay_command({"parse", two, "--as", "c"}).status);
}

TEST_F(CommandLine, MenusAndLimits) {
  const Reply menu = assay_command({"menu", scale_, "--proved", "--limit", "5"});
  EXPECT_EQ(menu.status, 0);
  RULE_EQ("MENU-4", 5, std::count(menu.out.begin(), menu.out.end(), '\n'));
  RULE_TRUE("MENU-4", menu.err.find("not tried (--limit)") != std::string::npos) << menu.err;
  const Reply all = assay_command({"menu", scale_, "--json"});
  RULE_TRUE("MENU-6", json::accept(all.out) && json::parse(all.out)["steps"].size() > 5);
  RULE_EQ("MENU-6", all.out, assay_command({"menu", scale_, "--json"}).out);
  EXPECT_NE(assay_command({"menu", scale_, "--default", "gpu"}).out.find("retype i axis=grid"), std::string::npos);
  RULE_EQ("CLI-3", 2, assay_command({"menu", scale_, "--default", "tpu"}).status);
  RULE_EQ("LIM-14", 2, assay_command({"lint", scale_, "--limits", "tpu"}).status);
  RULE_EQ("LIM-14", 2, assay_command({"lint", scale_, "--limits", ""}).status);
  EXPECT_EQ(assay_command({"lint", scale_, "--limits", "cuda"}).status, 0);
}

// The program itself, with a shell around it: standard input, and the status that a script sees.
TEST_F(CommandLine, TheProgramItself) {
  const std::string program = std::string(ASSAY_BINARY_DIR) + "/assay";
  if (!fs::exists(program)) GTEST_SKIP() << program << " is not built";
  const auto shell = [&](const std::string& command) {
    const std::string out = path("out.txt");
    const int status = std::system((command + " > " + out + " 2>&1").c_str());
    return std::pair{WEXITSTATUS(status), contents(out)};
  };
  RULE_EQ("CLI-6", 0, shell(program + " lint - < " + skew_).first);
  RULE_EQ("CLI-1", 1, shell(program + " check " + skew_ + " " + swap_).first);
  RULE_EQ("CLI-1", 2, shell(program + " check " + skew_ + " --nope").first);
  RULE_EQ("CLI-5", std::string::npos, shell("LC_ALL=C " + program + " lint " + skew_).second.find('\033'));
  RULE_EQ("CLI-6", 1, shell("cat " + swap_ + " | " + program + " check " + skew_ + " -").first);
}

}  // namespace
}  // namespace assay
