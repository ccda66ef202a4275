// Schedules as text (SCH-1 … SCH-4).
#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

std::vector<ScheduleLine> lines(const std::string& text, const std::string& path = "s.sched") {
  const auto parsed = parse_source(text, path);
  if (!parsed || parsed->schedules.empty()) {
    ADD_FAILURE() << shown(text, path);
    return {};
  }
  return parsed->schedules[0].lines;
}
std::string words(const std::vector<ScheduleWord>& all) {
  std::string out;
  for (const ScheduleWord& w : all) out += (out.empty() ? "" : " ") + w.text;
  return out;
}
// op | operands | key=values… | results
std::string shape(const ScheduleLine& l) {
  std::string out = l.op + " | " + words(l.operands) + " |";
  for (const auto& [key, values] : l.keys) out += " " + key.text + "=" + words(values);
  return out + " | " + words(l.results);
}

TEST(ScheduleText, OneOperationOnALine) {
  const auto all = lines(
      "# a comment\n"
      "split i factor=16 -> io, ii\r\n"
      "\n"
      "  swap io ii                 # outer, inner\n"
      "swap io,ii\n"
      "partition i at=4,60 -> ia, ib, ic\n"
      "stage A over=ii, kk shared cooperative=32 swizzle=b128 precision = f32 hoisted -> As\n"
      "retype j* axis=grid\n"
      "partition i at=-4\n"
      "fission after=3");
  ASSERT_EQ(8U, all.size());
  RULE_EQ("SCH-1", std::string("split | i | factor=16 | io ii"), shape(all[0]));
  RULE_EQ("SCH-1", std::string("swap | io ii | | "), shape(all[1]));
  RULE_EQ("SCH-1", std::string("swap | io ii | | "), shape(all[2]));
  RULE_EQ("SCH-1", std::string("partition | i | at=4 60 | ia ib ic"), shape(all[3]));
  RULE_EQ("SCH-1", std::string("stage | A shared hoisted | over=ii kk cooperative=32 swizzle=b128 precision=f32 | As"),
          shape(all[4]));
  RULE_EQ("SCH-2", std::string("retype | j* | axis=grid | "), shape(all[5]));
  RULE_EQ("SCH-2", std::string("partition | i | at=-4 | "), shape(all[6]));
  RULE_EQ("SCH-1", std::string("fission |  | after=3 | "), shape(all[7]));
  RULE_EQ("SCH-1", std::string("swap io ii"), all[1].text);
  RULE_TRUE("SCH-1", all[1].where.line == 4 && all[1].where.column == 3 && all[1].where.length == 10);
  RULE_TRUE("SCH-1", all[0].keys[0].second[0].where.column == 16 && all[0].results[1].where.column == 26);
}

TEST(ScheduleText, Blocks) {
  const auto parsed = parse_source(
      "program p {}\nschedule one { split i factor=4\n swap i j }\nschedule two {}\nprogram q {}", "t.air");
  ASSERT_TRUE(parsed) << shown(
      "program p {}\nschedule one { split i factor=4\n swap i j }\nschedule two {}\nprogram q {}");
  RULE_EQ("SCH-1", std::size_t{2}, parsed->schedules.size());
  RULE_EQ("SCH-1", std::size_t{2}, parsed->schedules[0].lines.size());
  RULE_EQ("SCH-1", std::string("swap i j"), parsed->schedules[0].lines[1].text);
  RULE_EQ("SCH-1", std::size_t{2}, parsed->programs.size());
  RULE_TRUE("SCH-1", has_error("schedule s ~{~ swap i j\n", "SYN-3"));
}

TEST(ScheduleText, Words) {
  RULE_TRUE("SCH-2", has_error("split i ~(~4\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-2", has_error("split i ~(~4 # )\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-2", has_error("~(4)~ i\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-2", has_error("split i factor=~$~\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-2", has_error("swap i j~;~\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-2", has_error("~4~ i\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-2", has_error("split i -> a,~ ~\n", "SCH-2", "s.sched"));
  RULE_TRUE("SCH-1", has_error("split i -> a ~b~\n", "SCH-1", "s.sched"));
  RULE_EQ("SCH-2", std::size_t{2}, errors("split (i\nswap i )\nswap i j\n", "s.sched").size());
  const auto parsed =
      parse_source("schedule s { materialize (f(x[i, (j)]) + scope v: f32 { v = 1.0 }) all -> T }\n", "s.air");
  ASSERT_TRUE(parsed);
  const ScheduleLine& l = parsed->schedules.at(0).lines.at(0);
  RULE_EQ("SCH-2", std::string("(f(x[i, (j)]) + scope v: f32 { v = 1.0 })"), l.operands.at(0).text);
  RULE_TRUE("SCH-2", l.operands.size() == 2 && l.results.size() == 1 && l.operands[0].where.column == 26);
}

TEST(ScheduleText, Keys) {
  RULE_TRUE("SCH-3", has_error("split i factor=4 ~factor~=5\n", "SCH-3", "s.sched"));
  RULE_TRUE("SCH-3", has_error("split i ~factor~=  # nothing\n", "SCH-3", "s.sched"));
}

TEST(ScheduleText, Expectations) {
  const auto parsed = parse_source(
      "program before {}\n"
      "# expect: lint clean\n"
      "program a {}\n"
      "  #expect: illegal DEP-2\n"
      "program b {}\nschedule s {}\n"
      "# expect: prove different\n"
      "program c {} program d {}\n"
      "# expects nothing\n",
      "t.air");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(3U, parsed->expectations.size());
  const auto& e = parsed->expectations;
  using Positions = std::vector<std::size_t>;
  RULE_TRUE("SCH-4", e[0].command == "lint" && e[0].verdict == "clean" && e[0].code.empty() && e[0].where.line == 2);
  RULE_TRUE("SCH-4", e[0].programs == Positions{1} && e[0].schedules.empty());
  RULE_TRUE("SCH-4",
            e[1].command.empty() && e[1].verdict == "illegal" && e[1].code == "DEP-2" && e[1].where.column == 3);
  RULE_TRUE("SCH-4", e[1].programs == Positions{2} && e[1].schedules == Positions{0});
  RULE_TRUE("SCH-4", e[2].command == "prove" && (e[2].programs == Positions{3, 4}));
  const auto bare = parse_source("# expect: illegal\nswap i j\n", "s.sched");
  ASSERT_TRUE(bare);
  RULE_TRUE("SCH-4", bare->expectations.size() == 1 && bare->expectations[0].schedules == Positions{0});
}

}  // namespace
}  // namespace assay::test
