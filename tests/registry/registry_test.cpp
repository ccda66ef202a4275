// A file with an operation is all that it takes: the operation is in every list, text and search (MENU-1, CLI-12).
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/reference.hpp"
#include "fuzz/generators/random_line.hpp"
#include "oracle/check.hpp"
#include "oracle/menu.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Reply {
  int status;
  std::string out, err;
};
Reply run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = cli::run_command(arguments, {out, err});
  return {status, out.str(), err.str()};
}

TEST(Registry, TheOperationIsListedAndExplained) {
  ASSERT_NE(find_operation("rename"), nullptr);
  EXPECT_NE(find_operation("split"), nullptr);
  RULE_TRUE("CLI-20", holds(run({"ops"}).out, "rename loop times=INT"));
  RULE_TRUE("CLI-20", holds(run({"ops", "rename"}).out, "rename i times=2 -> j"));
  RULE_TRUE("CLI-20", holds(run({"explain", "rename"}).out, "gives a loop another symbol"));
  RULE_TRUE("CLI-20", holds(run({"explain", "NOPE-1"}).out, "the number is odd"));  // no rule
  const auto json = nlohmann::json::parse(run({"ops", "--json"}).out);
  RULE_TRUE("CLI-20", std::any_of(json["operations"].begin(), json["operations"].end(),
                                  [](const auto& o) { return o["name"] == "rename"; }));
  RULE_TRUE("CLI-20", holds(run({"ops", "rname"}).err + run({"ops", "rname"}).out, "did you mean `rename`?"));
  cli::CompletionWords words;
  for (const OperationEntry& e : operations()) words.operations.push_back(e.declaration.name);
  words.codes = cli::known_codes();
  const auto commands = cli::describe_commands();
  for (const std::string& text : {cli::bash_completion(commands, words), cli::zsh_completion(commands, words),
                                  cli::fish_completion(commands, words)})
    RULE_TRUE("CLI-20", holds(text, "rename") && holds(text, "NOPE-1"));  // no rule
}

TEST(Registry, ItsLinesAreReadJudgedOfferedAndDrawn) {
  const Program p =
      test::program("program copy { param n in 1..9 input X: f32[n] output Y: f32[n] for i in 0..n { Y[i] = X[i] } }");
  Schedule schedule;
  schedule.lines = {test::line("rename i times=4 -> j")};
  oracle::CheckOptions quick;
  quick.execute = false;
  const auto r = oracle::check(p, {}, schedule, {}, quick);
  RULE_EQ("CLI-20", oracle::Verdict::legal, r.report.verdict);
  ASSERT_TRUE(r.program);
  EXPECT_TRUE(holds(print(*r.program), "for j in 0..n"));
  oracle::MenuOptions proved;
  proved.proved = true;
  RULE_TRUE("MENU-1", holds(oracle::menu_text(oracle::menu(p, proved)), "rename i times=2"));
  interp::Random random(1);
  bool drawn = false;
  for (int k = 0; k < 2000 && !drawn; ++k) drawn = fuzz::random_line(random, p).op == "rename";
  RULE_TRUE("CLI-20", drawn);
}

}  // namespace
}  // namespace assay
