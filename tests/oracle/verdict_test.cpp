// Verdicts, their JSON and their screens, on hand-made reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "oracle/json.hpp"
#include "oracle/screen.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using nlohmann::json;
using test::lines_of;

Report sample() {
  Report r;
  r.command = "check";
  r.program = "matmul";
  r.verdict = Verdict::illegal;
  r.licence = Licence::exact;
  r.claim = "step 1 (swap) refuted by dependence-order 1.1 (isl; confirmed by execution)";
  r.texts = {{"k.air", "program p {\n  inout a: f32[4, 4]\n  a[i, j] = a[i - 1, j + 1]\n}\n"},
             {"s.sched", "swap i j\n"}};
  StepReport s;
  s.line = 1;
  s.op = "swap";
  s.operands = {"i", "j"};
  s.text = "swap i j";
  s.status = Verdict::illegal;
  ObligationReport o;
  o.id = "1.1";
  o.obligation = test::obligation("dependence-order", Obligation::Status::violated, "DEP-2");
  Witness w;
  w.parameters = {{"n", std::int64_t{1} << 60}};
  w.buffer = "a";
  w.cell = {1, 1};
  w.first = {3, {3, 3, 7}, {{"i", 1}, {"j", 1}}, true};
  w.second = {3, {3, 13, 15}, {{"i", 2}, {"j", 0}}, false};
  o.obligation.witness = w;
  o.replayed = true;
  s.obligations.push_back(o);
  r.steps.push_back(s);
  r.executions.push_back({"interp", "", 'B', true, 4, 64, {{{"n", 4}}}});
  r.assumptions = {"distinct buffers do not overlap"};
  Finding f;
  f.diagnostic = {"DEP-2", "swap would run a read before the write that it needs", {1, 1, 8}, "swap back", "s.sched"};
  f.labels = {{"k.air", {3, 3, 7}, "(1) writes a[1, 1]"}, {"k.air", {3, 13, 15}, "(2) reads a[1, 1]"}};
  f.remarks = {"replayed on all-zero input"};
  r.findings.push_back(f);
  return r;
}

TEST(Verdicts, WordsAndStatuses) {
  const std::vector<std::pair<std::string, int>> table{
      {"ok", 0},     {"clean", 0},     {"legal", 0},        {"equivalent", 0},    {"sound", 0},
      {"faulty", 1}, {"illegal", 1},   {"different", 1},    {"unsound", 1},       {"failed", 1},
      {"error", 2},  {"undecided", 3}, {"inapplicable", 4}, {"contradiction", 70}};
  for (const auto& [text, status] : table) {
    const auto v = parse_verdict(text);
    ASSERT_TRUE(v.has_value()) << text;
    RULE_EQ("CLI-1", status, exit_status(*v));
    RULE_EQ("CLI-1", text, std::string(word(*v)));
    EXPECT_EQ(is_success(*v), status == 0) << text;
  }
  EXPECT_FALSE(parse_verdict("fine").has_value());
}

TEST(Json, HasTheKeysOfTheFixedSurfaceInOrder) {
  const std::string text = to_json(sample());
  const json j = json::parse(text);
  RULE_EQ("CLI-4", 1, j.at("schema").get<int>());
  RULE_EQ("CLI-4", std::string("illegal"), j.at("verdict").get<std::string>());
  const json& step = j.at("steps").at(0);
  RULE_EQ("CLI-4", std::string("swap"), step.at("op").get<std::string>());
  RULE_EQ("CLI-4", std::string("illegal"), step.at("status").get<std::string>());
  const json& o = step.at("obligations").at(0);
  RULE_EQ("CLI-4", std::string("violated"), o.at("status").get<std::string>());
  RULE_EQ("CLI-4", std::string("solver"), o.at("mark").get<std::string>());
  const json& w = o.at("witness");
  RULE_TRUE("CLI-4", w.at("params").at("n").is_string());  // beyond 2^53
  RULE_EQ("CLI-4", std::string("1152921504606846976"), w.at("params").at("n").get<std::string>());
  RULE_TRUE("CLI-4", w.at("replayed").get<bool>());
  RULE_EQ("CLI-4", json({"k.air:3", "k.air:3"}), w.at("statements"));
  RULE_EQ("CLI-4", 1, w.at("first").at("i").get<int>());
  RULE_EQ("CLI-4", std::string("B"), j.at("executions").at(0).at("rigour").get<std::string>());
  RULE_EQ("CLI-4", std::string("DEP-2"), j.at("diagnostics").at(0).at("code").get<std::string>());
  std::size_t at = 0;
  for (const char* key : {"\"schema\"", "\"assay\"", "\"command\"", "\"program\"", "\"verdict\"", "\"licence\"",
                          "\"claim\"", "\"steps\"", "\"executions\"", "\"assumptions\"", "\"diagnostics\""}) {
    const std::size_t found = text.find(std::string("\n  ") + key);
    ASSERT_NE(found, std::string::npos) << key;
    RULE_TRUE("CLI-4", found > at || at == 0) << key;
    at = found;
  }
}

TEST(Json, NotComparableIsNullAndFloatsAreStrings) {
  Report r = sample();
  r.executions[0].equal = std::nullopt;
  Observation o;
  o.kind = Observation::Kind::difference;
  o.buffer = "a";
  o.cell = {0};
  o.before = {Type::f32, 0x3f800000U};
  o.after = {Type::f32, 0x7fc00000U};
  o.differing = 1;
  o.compared = 4;
  r.observation = o;
  const json j = json::parse(to_json(r));
  RULE_TRUE("CLI-4", j.at("executions").at(0).at("equal").is_null());
  RULE_EQ("CLI-4", std::string("1.0"), j.at("observation").at("before").get<std::string>());
  RULE_EQ("CLI-4", std::string("nan"), j.at("observation").at("after").get<std::string>());
}

TEST(Json, TextThatIsNotUtf8StillGivesJson) {
  Report r = error_report("check", {{"LEX-1", "bad byte \xff here", {1, 1, 1}, "", "x.air"}});  // no rule has this code
  RULE_TRUE("CLI-4", json::accept(to_json(r)));
}

TEST(Json, TimesAppearOnlyWhenGiven) {
  Report r = sample();
  RULE_EQ("CLI-4", std::string::npos, to_json(r).find("seconds"));
  r.seconds = 1.5;
  RULE_TRUE("CLI-4", to_json(r).find("seconds") != std::string::npos);
}

TEST(Screen, EndsWithTheVerdict) {
  const std::vector<std::string> lines = lines_of(to_screen(sample(), {}));
  RULE_EQ("CLI-2", std::string("illegal: step 1 (swap) refuted by dependence-order 1.1 (isl; confirmed by execution)"),
          lines.back());
  Report r = sample();
  r.verdict = Verdict::legal;
  r.licence = Licence::reassociates;
  r.claim = "same";
  const std::vector<std::string> legal = lines_of(to_screen(r, {}));
  RULE_EQ("CLI-2", std::string("legal (reassociates): same"), legal.back());
  r.seconds = 0.25;
  RULE_TRUE("CLI-2", lines_of(to_screen(r, {})).back().rfind("legal (reassociates): same   [0.", 0) == 0);
}

TEST(Screen, QuotesBothPlacesUnderTheirSpans) {
  const std::string text = to_screen(sample(), {});
  EXPECT_NE(text.find("error[DEP-2]: swap would run a read before the write that it needs\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" 1 | swap i j\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 3 |   a[i, j] = a[i - 1, j + 1]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   |   ------- (1) writes a[1, 1]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   |             --------------- (2) reads a[1, 1]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   = help: swap back\n"), std::string::npos) << text;
}

TEST(Screen, HasAtMostThirtyLinesWithoutV) {
  Report r = sample();
  for (int i = 2; i <= 60; ++i) {
    StepReport s = r.steps.front();
    s.number = i;
    r.steps.push_back(s);
    r.findings.push_back(r.findings.front());
  }
  const std::vector<std::string> brief = lines_of(to_screen(r, {}));
  RULE_TRUE("CLI-2", brief.size() <= 30U) << brief.size();
  RULE_TRUE("CLI-2", brief.back().rfind("illegal: ", 0) == 0);
  RULE_TRUE("CLI-2", brief[brief.size() - 2].find("more") != std::string::npos) << brief[brief.size() - 2];
  RULE_TRUE("CLI-2", lines_of(to_screen(r, {false, false, true})).size() > 100U);
}

TEST(Screen, AsciiUnlessTheLocaleIsUtf8) {
  Report r = sample();
  r.claim = "n \xe2\x89\xa4 4";
  RULE_TRUE("CLI-5", to_screen(r, {false, true, false}).find("\xe2\x89\xa4") != std::string::npos);
  const std::string ascii = to_screen(r, {});
  RULE_TRUE("CLI-5",
            std::all_of(ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  RULE_EQ("CLI-5", std::string::npos, ascii.find('\033'));
  RULE_TRUE("CLI-5", to_screen(r, {true, false, false}).find("\033[") != std::string::npos);
}

}  // namespace
}  // namespace assay::oracle
