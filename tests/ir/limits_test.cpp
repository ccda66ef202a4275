// Limits (LIM-1 … LIM-6): each just kept and just broken, and answers in time on texts made to be slow.
#include <gtest/gtest.h>

#include <ctime>

#include "ir/text/json.hpp"
#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

std::string repeat(const std::string& s, std::size_t n) {
  std::string out;
  out.reserve(s.size() * n);
  for (std::size_t i = 0; i < n; ++i) out += s;
  return out;
}
// What the parser does is bounded by the processor time it takes, whatever else the machine is doing.
double seconds(const std::string& text, const std::string& path = "t.air") {
  const std::clock_t start = std::clock();
  static_cast<void>(parse_source(text, path));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Limits, Size) {
  const std::string program = "program p {}\n#";
  RULE_EQ("LIM-1", std::string(), first_code(program + std::string(max_source_bytes - program.size(), 'x')));
  RULE_EQ("LIM-1", std::string("LIM-1"), first_code(program + std::string(max_source_bytes - program.size() + 1, 'x')));
  RULE_EQ("LIM-1", std::string("LIM-1"), first_code("{" + std::string(max_json_bytes, ' ')));
  RULE_EQ("LIM-1", std::string("JSON-2"), first_code("{" + std::string(max_source_bytes, ' ')));
}

TEST(Limits, Nesting) {
  const auto loops = [](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += "for k" + std::to_string(i) + " in 0..2 {";
    return around(text + "zero B" + repeat("}", n));
  };
  RULE_EQ("LIM-2", std::string(), first_code(loops(256)));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code(loops(257)));
  const auto nested = [](const std::string& open, const std::string& inner, const std::string& close, std::size_t n) {
    return around("B[0] = " + repeat(open, n) + inner + repeat(close, n));
  };
  RULE_EQ("LIM-2", std::string(), first_code(nested("(", "1", ")", 256)));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code(nested("(", "1", ")", 257)));
  RULE_EQ("LIM-2", std::string(), first_code(nested("abs(", "1", ")", 256)));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code(nested("abs(", "1", ")", 257)));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code(nested("true ? 1 : ", "1", "", 257)));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code(around("if true {} " + repeat("else if true {} ", 257))));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code(around("B[0] = " + repeat("I[", 300))));
  RULE_EQ("LIM-2", std::string("LIM-2"), first_code("program p {" + repeat("if true {", 100000)));
}

TEST(Limits, HeightOfExpressions) {
  RULE_EQ("LIM-3", std::string(), first_code(around("B[0] = B[0]" + repeat(" + B[0]", 998))));
  RULE_EQ("LIM-3", std::string(), first_code(around("B[0] = " + repeat("-", 998) + "B[0]")));
  RULE_EQ("LIM-3", std::string("LIM-3"), first_code(around("B[0] = " + repeat("-", 999) + "B[0]")));
  RULE_EQ("LIM-3", std::string("LIM-3"), first_code(around("B[0] = " + repeat("-", 100000) + "B[0]")));
  RULE_EQ("LIM-3", std::string(), first_code(around("B[n" + repeat(" + 1", 1500) + "] = 1")));
  RULE_EQ("LIM-3", std::string("LIM-3"),
          first_code(around("B[0] = scope x: f32 { x = B[0]" + repeat(" + B[0]", 990) + " }" + repeat(" + 1", 20))));
  RULE_EQ("LIM-3", std::string("LIM-3"), first_code(around("B[0] = B[0]" + repeat(" + B[0]", 999))));
  RULE_EQ("LIM-3", std::string("LIM-3"), first_code(around("if true" + repeat(" && true", 100000) + " {}")));
}

TEST(Limits, PartsOfIndexValues) {
  const auto sum = [](std::size_t n) {
    std::string parameters, terms;
    for (std::size_t i = 0; i < n; ++i) {
      parameters += "param p" + std::to_string(i) + " in 0..2 ";
      terms += (i == 0 ? "p" : " + p") + std::to_string(i);
    }
    return "program p { " + parameters + "inout B: f32[8] B[" + terms + "] = 1 }";
  };
  RULE_EQ("LIM-4", std::string(), first_code(sum(64)));
  RULE_EQ("LIM-4", std::string("LIM-4"), first_code(sum(65)));
  RULE_EQ("LIM-4", std::string("LIM-4"),
          first_code(around("B[" + repeat("floordiv(3*n + ", 40) + "0" + repeat(", 7)", 40) + "] = 1")));
}

TEST(Limits, NumberOfErrors) {
  const auto found = errors(around(repeat("B[x] = 1\n", 80)));
  RULE_EQ("LIM-5", std::size_t{51}, found.size());
  RULE_EQ("LIM-5", std::string("LIM-5"), found.back().code);
  RULE_EQ("LIM-5", std::size_t{50}, errors(around(repeat("B[x] = 1\n", 50))).size());
}

TEST(Limits, Literals) {
  RULE_TRUE("LIM-6", has_error(around("B[0] = ~170141183460469231731687303715884105728~"), "LIM-6"));
  RULE_EQ("LIM-6", std::string(), first_code(around("B[0] = 170141183460469231731687303715884105727")));
  RULE_EQ("LIM-6", std::string(), first_code(around("B[0] = 0." + std::string(4094, '1'))));
  RULE_EQ("LIM-6", std::string("LIM-6"), first_code(around("B[0] = 0." + std::string(4095, '1'))));
}

// The limits exist for this: an answer within two seconds on any text of the greatest size. Checked on an eighth of it,
// which leaves room for builds with sanitizers.
TEST(Limits, AnswersInTime) {
  const std::size_t size = max_source_bytes / 8;
  const auto filled = [&](const std::string& statement) { return around(repeat(statement, size / statement.size())); };
  std::string sixty;
  for (int i = 0; i < 60; ++i) sixty += (i == 0 ? "p" : "+p") + std::to_string(i);
  std::string minima;
  for (int i = 0; i < 60; ++i) minima += "min(p" + std::to_string(i) + ",";
  std::string parameters;
  for (int i = 0; i < 60; ++i) parameters += "param p" + std::to_string(i) + " in 0..9 ";
  const auto indexed = [&](const std::string& index) {
    const std::string statement = "B[" + index + "]=1\n";
    return "program p { " + parameters + "inout B: f32[8]\n" + repeat(statement, size / statement.size()) + "}";
  };
  const std::vector<std::string> texts{
      filled("B[0]=1;"),
      filled("for i in 0..4{}"),
      filled("B[0]=B[0]" + repeat("+B[0]", 900) + "\n"),
      filled("B[0]=" + repeat("(1<", 100) + "(B[0]<1?1:2)" + repeat("?1:2)", 100) + "\n"),
      filled("B[0]=scope x: f32 { x = 1 };"),
      filled("if true {} " + repeat("else if true {} ", 100)),
      indexed(sixty),
      indexed(minima + "0" + repeat(")", 60)),
      "program p {" + repeat("(", size),
      "program p { inout B: f32[1] B[0] = " + std::string(size, '9') + ".0 }",
      "program p { input " + std::string(size, 'a') + ": f32[4] " + std::string(size, 'a') + "[0] = 1 }",
      repeat("program p {", size / 11),
      repeat("{\"a\":", size / 5)};
#ifdef __SANITIZE_ADDRESS__
  constexpr double limit = 16.0;  // such a build is about eight times slower
#else
  constexpr double limit = 2.0;
#endif
  for (const std::string& text : texts) {
    EXPECT_LT(seconds(text), limit) << text.substr(0, 100);
  }
  EXPECT_LT(seconds(repeat("split i factor=4 -> a, b\n", size / 25), "s.sched"), limit);
}

}  // namespace
}  // namespace assay::test
