// The printed form, the JSON form, and messages (PRINT-2, JSON-…, DIAG-…).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

TEST(Printed, AsFewMarksAsNeeded) {
  const auto stays = [](const char* text) { return printed(text) == text; };
  RULE_TRUE("PRINT-2", stays("B[0] += 1.0"));
  RULE_TRUE("PRINT-2", stays("B[0] max= B[1] * 2.0"));
  RULE_TRUE("PRINT-2", stays("B[0] = B[1] + 1.0"));
  RULE_TRUE("PRINT-2", stays("B[0] = 1.0 + B[0]"));
  RULE_TRUE("PRINT-2", stays("B[0] = B[0] - 1.0"));
  RULE_TRUE("PRINT-2", stays("B[0] = (B[0] + B[1]) * B[2] - (B[3] - B[4])"));
  RULE_TRUE("PRINT-2", stays("B[0] = -(B[0] + B[1]) / -B[2]"));
  RULE_TRUE("PRINT-2", stays("if (n < 1 || n > 2) && !(n == 3) {}"));
  RULE_TRUE("PRINT-2", stays("B[n - 1] = (n < 1 ? 1.0 : 2.0) + B[0]"));
  RULE_TRUE("PRINT-2", stays("B[0] = n < 1 ? 1.0 : n < 2 ? 2.0 : 3.0"));
  RULE_TRUE("PRINT-2", stays("B[0] = (n < 1 ? true : false) ? 1.0 : 2.0"));
  RULE_EQ("PRINT-2", std::string("B[0] = B[1] + B[2]"), printed("B[0] = ((B[1]) + (B[2]))"));
  RULE_EQ("PRINT-2",
          std::string("for i in 0..4 {\n  if i < 2 {\n    B[i] = 1.0\n  } else if i < 3 {\n    zero B\n  } else {\n    "
                      "B[i] = 2.0\n  }\n}"),
          printed("for i in 0..4 { if i < 2 { B[i] = 1 } else if i < 3 { zero B } else { B[i] = 2 } }"));
}

TEST(Printed, IndexValues) {
  const Index t = Index::symbol("t"), u = Index::symbol("u");
  RULE_EQ("PRINT-4", std::string("7 - t"), (Index(7) - t).text());
  RULE_EQ("PRINT-4", std::string("-t - 7"), (Index(-7) - t).text());
  RULE_EQ("PRINT-4", std::string("-t"), (-t).text());
  RULE_EQ("PRINT-4", std::string("7 - 2*t + u"), (u - t * 2 + 7).text());
  RULE_EQ("PRINT-4", std::string("t - u + 7"), (t - u + 7).text());
  RULE_EQ("PRINT-4", std::string("ceildiv(t, 4) + 7"), (ceildiv(t, 4) + 7).text());
  RULE_EQ("PRINT-4", std::string("floordiv(3 - t, 4)"), floordiv(Index(3) - t, 4).text());
  RULE_EQ("PRINT-4", std::string("9223372036854775807 - t"), (Index(INT64_MAX) - t).text());
}

TEST(Printed, Pieces) {
  const Program p =
      program_of(around("for i in 0..4 step 2 @unrolled { B[i] = scope x: f32 { x = 1 } }\nif n < 2 { zero B }"));
  EXPECT_EQ("for i in 0..4 step 2 @unrolled", print(p.body[0], -1));
  EXPECT_EQ("if n < 2", print(p.body[1], -1));
  EXPECT_EQ("B[i] = scope x: f32 { x = 1.0 }", print(p.body[0]->body[0], -1));
  EXPECT_EQ("scope x: f32 { x = 1.0 }", print(p.body[0]->body[0]->value));
  EXPECT_EQ("    if n < 2 {\n      zero B\n    }", print(p.body[1], 2));
  EXPECT_EQ("  zero B\n", print(p.body[1]->body, 1));
}

TEST(JsonForm, Schema) {
  const auto parsed = parse_source(
      "program p { param n in 1..9 require n < 5 input I: u64[2, n] in 0..18446744073709551615 output B: f32[n] const "
      "K: bool[1] = {true}\n"
      "for i in 0..n step 2 @grid { B[i] = f32(floordiv(i, 2)) * -0.5 } }\n"
      "# expect: check legal\nprogram q {}\nschedule s { split i factor=4 -> a, b }",
      "t.air");
  ASSERT_TRUE(parsed);
  const auto j = nlohmann::json::parse(to_json(*parsed));
  RULE_EQ("JSON-1", nlohmann::json("18446744073709551615"), j["programs"][0]["buffers"][0]["range"][1]);
  RULE_EQ("JSON-1", nlohmann::json::parse(R"({"constant": 0, "terms": [{"times": 1, "symbol": "n"}]})"),
          j["programs"][0]["buffers"][0]["dims"][1]);
  RULE_EQ("JSON-1",
          nlohmann::json::parse(R"({"op":"*","args":[{"op":"convert","type":"f32","args":[{"op":"index","value":
      {"constant":0,"terms":[{"times":1,"floordiv":{"constant":0,"terms":[{"times":1,"symbol":"i"}]},"by":2}]}}]},{"op":"literal","type":"f32","value":"-0.5"}]})"),
          j["programs"][0]["body"][0]["body"][0]["value"]);
  RULE_EQ("JSON-1", nlohmann::json("grid"), j["programs"][0]["body"][0]["axis"]);
  const auto again = parse_source(to_json(*parsed), "-");
  ASSERT_TRUE(again) << shown(to_json(*parsed), "-");
  RULE_TRUE("JSON-1", again->programs == parsed->programs);
  RULE_EQ("JSON-1", std::string("split i factor=4 -> a, b"), again->schedules[0].lines[0].text);
  RULE_TRUE("JSON-1", again->expectations.size() == 1 &&
                          again->expectations[0].programs == std::vector<std::size_t>{1} &&
                          again->expectations[0].verdict == "legal");
  const auto bare = parse_source("split i factor=4\n", "s.sched");
  ASSERT_TRUE(bare);
  const auto bare_again = parse_source(to_json(*bare), "s.json");
  RULE_TRUE("JSON-1", bare_again && bare_again->schedules[0].lines[0].text == "split i factor=4" &&
                          bare_again->schedules[0].name.empty());
}

const char* const json_program = R"({"air":1,"programs":[{"name":"p","parameters":[],"requirements":[],
"buffers":[{"name":"B","kind":"inout","type":"f32","dims":[4]}],
"body":[@]}],"schedules":[],"expectations":[]})";
std::string with(std::string body) {
  std::string text = json_program;
  return text.replace(text.find('@'), 1, body);
}

TEST(JsonForm, NotJson) {
  RULE_TRUE("JSON-2", has_error("{\"air\": 1,\n  ~}~", "JSON-2", "t.json"));
  RULE_TRUE("JSON-2", has_error("{\"air\": ~x~1}", "JSON-2", "t.json"));
  RULE_EQ("JSON-2", std::string("JSON-2"), first_code("{", "t.json"));
  RULE_EQ("JSON-2", std::string("JSON-2"), first_code("{\"air\": \"\xff\"}", "t.json"));
}

// `text` with `~` before the value at fault; the path must be in the message.
bool misfit(const std::string& text, const std::string& path) {
  const std::size_t mark = text.find('~');
  std::string clean = text;
  clean.erase(mark, 1);
  const auto found = errors(clean, "t.json");
  const auto before = clean.substr(0, mark);
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto column = static_cast<int>(mark - (before.rfind('\n') + 1)) + 1;
  const bool good = found.size() == 1 && found[0].code == "JSON-3" && found[0].where.line == line &&
                    found[0].where.column == column && found[0].message.rfind(path + ":", 0) == 0;
  if (!good) ADD_FAILURE() << "at " << line << ":" << column << ", wanted " << path << "\n" << shown(clean, "t.json");
  return good;
}

TEST(JsonForm, NotTheSchema) {
  RULE_TRUE("JSON-3", misfit("~{\"air\": 1}", "/"));
  RULE_TRUE("JSON-3", misfit("{\"air\": ~2, \"programs\": [], \"schedules\": [], \"expectations\": []}", "/air"));
  RULE_TRUE("JSON-3",
            misfit("~{\"air\": 1, \"programs\": [], \"schedules\": [], \"expectations\": [], \"extra\": 1}", "/"));
  RULE_TRUE("JSON-3", misfit(with(R"({"stmt": ~"loop"})"), "/programs/0/body/0/stmt"));
  RULE_TRUE("JSON-3", misfit(with(R"({"stmt": "barrier"}, ~4)"), "/programs/0/body/1"));
  RULE_TRUE(
      "JSON-3",
      misfit(
          with(
              R"({"stmt":"store","buffer":"B","indices":[{"op":"index","value":0}],"value":~{"op":"literal","type":"f32"}})"),
          "/programs/0/body/0/value"));
  RULE_TRUE(
      "JSON-3",
      misfit(
          with(
              R"({"stmt":"store","buffer":"B","indices":[{"op":"index","value":~1.5}],"value":{"op":"literal","type":"f32","value":"1.0"}})"),
          "/programs/0/body/0/indices/0/value"));
  RULE_TRUE(
      "JSON-3",
      misfit(with(R"({"stmt":"store","buffer":"B","indices":[],"value":{"op":"literal","type":"f32","value":~"one"}})"),
             "/programs/0/body/0/value/value"));
  RULE_TRUE("JSON-3", misfit(with(R"({"stmt":"store","buffer":"B","indices":[],"value":{"op":~"plus","args":[]}})"),
                             "/programs/0/body/0/value/op"));
  RULE_TRUE("JSON-3", misfit(with(R"({"stmt":"store","buffer":"B","indices":[],"value":~{"op":"+","args":[]}})"),
                             "/programs/0/body/0/value"));
  RULE_TRUE("JSON-3", misfit(with(R"({"stmt":"for","symbol":"i","lo":0,"hi":4,"step":1,"axis":~"diagonal","body":[]})"),
                             "/programs/0/body/0/axis"));
  RULE_TRUE(
      "JSON-3",
      misfit(
          with(
              R"({"stmt":"for","symbol":"i","lo":0,"hi":{"constant":0,"terms":[{"times":1,"floordiv":4,"by":~0}]},"step":1,"axis":"serial","body":[]})"),
          "/programs/0/body/0/hi/terms/0/by"));
}

TEST(JsonForm, SameRules) {
  const auto found = errors(with(R"({"stmt": "barrier"})"), "t.json");
  ASSERT_EQ(1U, found.size());
  RULE_TRUE("JSON-4", found[0].code == "WF-8" && found[0].file == "t.json" && found[0].where.line == 1);
  RULE_EQ(
      "JSON-4", std::string("WF-3"),
      first_code(
          with(
              R"({"stmt":"store","buffer":"B","indices":[{"op":"index","value":0}],"value":{"op":"literal","type":"f64","value":"1.0"}})"),
          "t.json"));
  std::string deep = R"({"op":"literal","type":"f32","value":"1.0"})";
  for (int i = 0; i < 300; ++i)
    deep = R"({"op":"+","args":[{"op":"literal","type":"f32","value":"1.0"},)" + deep + "]}";
  RULE_EQ("JSON-4", std::string("LIM-2"),
          first_code(with(R"({"stmt":"store","buffer":"B","indices":[{"op":"index","value":0}],"value":)" + deep + "}"),
                     "t.json"));
  const auto parsed = parse_source(with(R"({"stmt": "zero", "buffer": "B"})"), "t.json");
  ASSERT_TRUE(parsed);
  RULE_EQ("JSON-4", std::string("program p {\n  inout B: f32[4]\n  zero B\n}\n"), parsed->text);
  RULE_EQ("JSON-4", 3, parsed->programs[0].body[0]->where.line);
}

TEST(Messages, Layout) {
  const Diagnostic d{"NAME-1", "unknown name `j`", {2, 5, 3}, "did you mean `i`?", "k.air", Severity::error};
  RULE_EQ("DIAG-1",
          std::string("error[NAME-1]: unknown name `j`\n"
                      "  --> k.air:2:5\n"
                      " 2 | abc jkl\n"
                      "   |     ^^^\n"
                      "   = help: did you mean `i`?\n"),
          render(d, "first\nabc jkl\n", false, true));
  const Diagnostic late{"NOPE-1", "m", {12, 1, 9}, "", "k.air", Severity::warning};
  RULE_EQ("DIAG-1", std::string("warning[NOPE-1]: m\n   --> k.air:12:1\n 12 | ab\n    | ^^\n"),
          render(late, "\n\n\n\n\n\n\n\n\n\n\nab", false, true));
  const Diagnostic nowhere{"NOPE-1", "m", {}, "h", "k.air", Severity::error};
  RULE_EQ("DIAG-1", std::string("error[NOPE-1]: m\n  --> k.air\n  = help: h\n"), render(nowhere, "x", false, true));
  // Tabs count as one column, and characters beyond ASCII are one column each.
  const Diagnostic tab{"NOPE-1", "m", {1, 6, 1}, "", "k.air", Severity::error};
  RULE_EQ("DIAG-1", std::string("error[NOPE-1]: m\n  --> k.air:1:6\n 1 |  \xc3\xa9  b\n   |     ^\n"),
          render(tab, "\t\xc3\xa9 \tb", false, true));
  RULE_EQ("DIAG-1", std::string("error[NOPE-1]: m\n  --> k.air:1:6\n 1 |  ?  b\n   |     ^\n"),
          render(tab, "\t\xc3\xa9 \tb", false, false));
  RULE_TRUE("DIAG-1", render(d, "first\nabc jkl\n", true, true).find("\x1b[1;31m") != std::string::npos);
  const Diagnostic wide{"NOPE-1", "m", {1, 1001, 1}, "", "k.air", Severity::error};
  RULE_TRUE("DIAG-1", render(wide, std::string(100000, 'x'), false, true).size() < 500);
}

TEST(Messages, Suggestions) {
  RULE_EQ("DIAG-2", std::string("bias"), suggest("bais", {"alpha", "bias", "bar"}));
  RULE_EQ("DIAG-2", std::string("factor"), suggest("factr", {"factor", "axis"}));
  RULE_EQ("DIAG-2", std::string("factor"), suggest("fxctxr", {"factor", "axis"}));
  RULE_EQ("DIAG-2", std::string(""), suggest("fxxtxr", {"factor", "axis"}));
  RULE_EQ("DIAG-2", std::string(""), suggest("i", {"j", "k"}));
  RULE_EQ("DIAG-2", std::string("A"), suggest("a", {"B", "A"}));
  RULE_EQ("DIAG-2", std::string(""), suggest(std::string(1000, 'a'), {std::string(1000, 'b')}));
}

TEST(IndexRange, ValuesThatLeaveIt) {
  const auto evaluate = [](const Index& i, std::int64_t n) {
    return i.evaluate([&](const Symbol&) { return std::optional<std::int64_t>(n); });
  };
  const Index n = Index::symbol("n");
  RULE_TRUE("IDX-2", evaluate(n + n, INT64_MAX / 2) == INT64_MAX - 1);
  RULE_TRUE("IDX-2", !evaluate(n + n, INT64_MAX));
  RULE_TRUE("IDX-2", !evaluate(floordiv(n * 3 + 1, 7), INT64_MAX));
  RULE_TRUE("IDX-2", !evaluate(min({n * 2, Index(0)}), INT64_MAX));
}

}  // namespace
}  // namespace assay::test
