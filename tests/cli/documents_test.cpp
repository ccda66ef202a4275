// Help, manual page and completion scripts hold every command and option of the table (CLI-12).
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/reference.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

cli::CompletionWords words() {
  cli::CompletionWords w;
  for (const OperationEntry& e : operations()) w.operations.push_back(e.declaration.name);
  w.codes = cli::known_codes();
  return w;
}

struct Reply {
  int status = -1;
  std::string out{}, err{};
};
Reply assay_command(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = cli::run_command(arguments, {out, err});
  return {status, out.str(), err.str()};
}

TEST(Documents, HoldEveryCommandAndOption) {
  const auto commands = cli::describe_commands();
  ASSERT_GE(commands.size(), 10U);
  const std::string manual = cli::manual_page(commands, "2026-11-30");
  const std::string bash = cli::bash_completion(commands, words()), zsh = cli::zsh_completion(commands, words()),
                    fish = cli::fish_completion(commands, words());
  const std::string overview = assay_command({"--help"}).out;
  for (const cli::CommandDescription& c : commands) {
    RULE_TRUE("CLI-12", holds(manual, ".SS assay " + roff(c.name)));
    RULE_TRUE("CLI-12", holds(overview, "\n  " + c.name + " "));
    RULE_TRUE("CLI-12", holds(bash, "    " + c.name + ") options="));
    RULE_TRUE("CLI-12", holds(zsh, "    '" + c.name + ":"));
    RULE_TRUE("CLI-12", holds(fish, "__fish_use_subcommand -a " + c.name + " "));
    const std::string help = assay_command({c.name, "--help"}).out;
    EXPECT_FALSE(c.options.empty());
    for (const cli::OptionDescription& o : c.options) {
      EXPECT_FALSE(o.help.empty()) << o.names.front();
      for (const std::string& name : o.names) {
        RULE_TRUE("CLI-12", holds(manual, "\\fB" + roff(name) + "\\fR")) << c.name << name;
        RULE_TRUE("CLI-12", holds(help, name)) << c.name << name;
        RULE_TRUE("CLI-12", holds(bash.substr(bash.find("    " + c.name + ") options=")), name)) << c.name << name;
        RULE_TRUE("CLI-12", holds(zsh.substr(zsh.find("    " + c.name + ")\n")), "'*" + name + "[")) << c.name << name;
        const std::string there = name.size() == 2 ? " -s " + name.substr(1) : " -l " + name.substr(2);
        RULE_TRUE("CLI-12", holds(fish.substr(fish.find("from " + c.name + "'")), there)) << c.name << name;
      }
    }
  }
  for (const std::string& text : {bash, zsh, fish}) {
    for (const std::string& operation : words().operations) EXPECT_TRUE(holds(text, operation)) << operation;
    EXPECT_TRUE(holds(text, "DEP-2"));
  }
}

TEST(Documents, DescribeWhatTheCommandLineTakes) {
  // Every option of the description is taken: the complaint, where there is one, is about the value or the file.
  for (const cli::CommandDescription& c : cli::describe_commands()) {
    for (const cli::OptionDescription& o : c.options) {
      for (const std::string& name : o.names) {
        std::vector<std::string> arguments{c.name, name};
        if (!o.value.empty()) arguments.push_back(o.value.substr(0, o.value.find('|')));
        arguments.emplace_back("--color=never");
        const Reply r = assay_command(arguments);
        RULE_TRUE("CLI-12", !holds(r.out + r.err, "has no option")) << c.name << " " << name << r.out << r.err;
      }
    }
  }
}

TEST(Documents, SayWhichCommandHasAnOption) {
  const Reply r = assay_command({"lint", "p.air", "--target=c"});
  RULE_EQ("CLI-3", 2, r.status);
  RULE_TRUE("CLI-3", holds(r.out, "it is an option of codegen")) << r.out;
  const Reply flag = assay_command({"lint", "p.air", "--json=3"});
  RULE_TRUE("CLI-13", flag.status == 2 && holds(flag.out, "--json takes no value")) << flag.out;
}

TEST(Documents, FitEightyColumns) {
  std::vector<std::string> pages{assay_command({"--help"}).out, assay_command({"ops", "-v"}).out};
  for (const cli::CommandDescription& c : cli::describe_commands()) pages.push_back(cli::help_text(c));
  for (const std::string& code : cli::known_codes()) {
    const auto text = cli::explain(code);
    ASSERT_TRUE(text.has_value()) << code;
    pages.push_back(*text);
  }
  for (const std::string& page : pages) {
    std::istringstream in(page);
    for (std::string line; std::getline(in, line);) {
      // A single long word cannot be broken.
      const bool words = line.find_first_of(' ', line.find_first_not_of(' ')) != std::string::npos;
      if (words) {
        EXPECT_LE(line.size(), cli::text_columns) << line;
      }
    }
  }
}

TEST(Documents, TheExampleOfAnOperationCanBeCopied) {
  for (const OperationEntry& o : operations()) {
    const std::string page = assay_command({"ops", o.declaration.name}).out;
    const std::size_t start = page.find("    example:\n");
    ASSERT_NE(start, std::string::npos) << page;
    std::istringstream in(page.substr(start));
    std::string text, line;
    for (std::getline(in, line); std::getline(in, line) && line.rfind("      ", 0) == 0;) text += line.substr(6) + "\n";
    const auto end = [](std::string s) { return s.substr(0, s.find_last_not_of('\n') + 1); };
    EXPECT_EQ(end(o.declaration.example_program) + "\n" + end(o.declaration.example_schedule) + "\n", text);
  }
}

TEST(Documents, AreAsciiWithoutUtf8) {
  EXPECT_EQ(cli::spelled_in_ascii("f − 1 ≤ ∞, é"), "f - 1 <= inf, ?");
  for (const std::string& code : cli::known_codes()) {
    const Reply r = assay_command({"explain", code});
    EXPECT_EQ(r.status, 0) << code;
    for (const char c : r.out) {
      if (static_cast<unsigned char>(c) >= 0x80) ADD_FAILURE() << code << ": " << r.out;
    }
    RULE_TRUE("CLI-5", r.out.find('?') == std::string::npos || cli::explain(code)->find('?') != std::string::npos)
        << r.out;
  }
}

TEST(Documents, WrapBreaksBetweenWords) {
  EXPECT_EQ(cli::wrap("one two three", 7), "one two\nthree");
  EXPECT_EQ(cli::wrap("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(cli::wrap("much-too-long a", 4), "much-too-long\na");
  EXPECT_EQ(cli::wrap("", 4), "");
}

}  // namespace
}  // namespace assay
