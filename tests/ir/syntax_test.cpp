// Tokens and grammar: SYN-1 … SYN-15, each error at its exact place.
#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

TEST(Syntax, CharactersThatBeginNoToken) {
  RULE_TRUE("SYN-1", has_error(around("B[0] = B[1] ~%~ B[2]"), "SYN-1"));
  RULE_TRUE("SYN-1", has_error(around("B[0] = ~\"~x\""), "SYN-1"));
  RULE_TRUE("SYN-1", has_error(around("if true ~&~ false {}"), "SYN-1"));
  RULE_TRUE("SYN-1", has_error("program ~\xc3\xa9~p {}", "SYN-1"));
  RULE_TRUE("SYN-1", errors("# \xc3\xa9 in a comment\r\nprogram\tp\n{\r\n}\n").empty());
  RULE_TRUE("SYN-1", errors("program p{inout B:f32[1]B[0]=1.0B[0]=2}").size() == 1);  // 1.0B is no number
  RULE_EQ("SYN-1", printed("B[0]=1;B[1]=2"), printed("B [ 0 ]\n=\n1 # comment\nB[1] = 2"));
}

TEST(Syntax, Numbers) {
  for (const char* good : {"1.0", "0.5", "1e3", "1E+3", "1.5e-3", "0x1p3", "0x1.8p3", "0x1.8", "0xAp-1", "00.50", "1",
                           "inf", "nan", "-inf"}) {
    RULE_TRUE("SYN-2", errors(around("B[0] = " + std::string(good))).empty()) << good;
  }
  for (const char* bad : {"~1.~", "~.5~", "~1e~", "~0x~", "~0x.8~", "~0x1.p3~", "~0x1p~", "~12ab~", "~1.5.2~",
                          "~1_000~", "~0X1p3~", "~1.0f~"}) {
    RULE_TRUE("SYN-2", has_error(around("B[0] = " + std::string(bad)), "SYN-2")) << bad;
  }
  RULE_TRUE("SYN-2", has_error(around("B[0] = ~1e~+ 2"), "SYN-2"));
  RULE_EQ("SYN-2", std::string("for x in 2..4 {}"), printed("for x in 2..4 {}"));
  RULE_EQ("SYN-2", std::string("for i.1 in 0..4 {\n  for x in 2..i.1 {}\n}"),
          printed("for i.1 in 0..4 { for x in 2..i.1{} }"));
  RULE_EQ("SYN-2", std::string("B[0] = 16.0"), printed("B[0] = 0x10"));
}

TEST(Syntax, LeavingTheGrammar) {
  RULE_TRUE("SYN-3", has_error("program p ~x~ {}", "SYN-3"));
  RULE_TRUE("SYN-3", has_error(around("B[0] = ~)~"), "SYN-3"));
  RULE_TRUE("SYN-3", has_error(around("for i in 0 ~,~ 4 {}"), "SYN-3"));
  RULE_TRUE("SYN-3", has_error(around("B[0] ~-~ 1"), "SYN-3"));
  RULE_TRUE("SYN-3", has_error(around("if n ~=~ 1 { B[0] = 1 }"), "SYN-3"));
  RULE_TRUE("SYN-3", has_error("program p { zero~ ~", "SYN-3"));
  RULE_TRUE("SYN-3", has_error("program p { inout B: f32[1]\n  for i in 0..1 ~{~\n    B[i] = 1\n", "SYN-3"));
  RULE_TRUE("SYN-3", has_error("program p { inout B: f32[4] for i in 0..4 { B[0] = B[1~ ~", "SYN-3"));
  RULE_TRUE("SYN-3", has_error("program p {} ~}~", "SYN-3"));
  RULE_TRUE("SYN-3", has_error("program p {\n  input A: f32[4~ ~\n  output B: f32[4]\n}", "SYN-3"));
  RULE_TRUE("SYN-3", has_error(around("B[0]~ ~\nB[1] = 2"), "SYN-3"));
  RULE_EQ("SYN-3", std::string("equality is `==`"), help_of(around("if n = 1 { }")));
  const auto found = errors("program");
  ASSERT_EQ(1U, found.size());
  RULE_TRUE("SYN-3", found[0].where.line == 1 && found[0].where.column == 8);
}

TEST(Syntax, ComparisonsDoNotChain) {
  RULE_TRUE("SYN-4", has_error(around("if 1 < n ~<~ 3 {}"), "SYN-4"));
  RULE_TRUE("SYN-4", has_error(around("if B[0] == B[1] ~==~ B[2] {}"), "SYN-4"));
  RULE_TRUE("SYN-4", errors(around("if (B[0] == B[1]) == (B[2] < 1) {}")).empty());
}

TEST(Syntax, ReservedWords) {
  RULE_TRUE("SYN-5", has_error("program ~zero~ {}", "SYN-5"));
  RULE_TRUE("SYN-5", has_error("program p { input ~max~: f32[4] }", "SYN-5"));
  RULE_TRUE("SYN-5", has_error(around("for ~in~ in 0..4 {}"), "SYN-5"));
  RULE_TRUE("SYN-5", has_error(around("var ~f32~: f32 = 0"), "SYN-5"));
  RULE_TRUE("SYN-5", has_error(around("~step~ = 1"), "SYN-5"));
  RULE_TRUE("SYN-5",
            errors("program grid { inout workgroup: f32[1] for reduce in 0..1 { workgroup[reduce] = 0 } }").empty());
  RULE_TRUE("SYN-5", errors("program p { inout max.1: f32[1] max.1[0] = 0 }").empty());
}

TEST(Syntax, DeclarationsComeFirst) {
  RULE_TRUE("SYN-6", has_error("program p { inout B: f32[1]\nB[0] = 1\n~input~ C: f32[1]\n}", "SYN-6"));
  RULE_TRUE("SYN-6", has_error("program p { inout B: f32[1]\nB[0] = 1\n~param~ n in 0..2\nB[0] = 2 }", "SYN-6"));
  RULE_TRUE("SYN-6", has_error("program p { inout B: f32[1] zero B ~require~ true\n }", "SYN-6"));
}

TEST(Syntax, UpdatesOfVariables) {
  RULE_TRUE("SYN-7", has_error(around("var s: f32 = 0 s ~+=~ 1"), "SYN-7"));
  RULE_TRUE("SYN-7", has_error(around("var s: f32 = 0 s ~max=~ 1"), "SYN-7"));
  RULE_EQ("SYN-7", std::string("`max=` and `min=` are written without a space"), help_of(around("B[0] max = 1")));
}

TEST(Syntax, Axes) {
  RULE_TRUE("SYN-8", has_error(around("for i in 0..4 @~serial~ {}"), "SYN-8"));
  RULE_TRUE("SYN-8", has_error(around("for i in 0..4 @~unroled~ { B[i] = 1 }"), "SYN-8"));
  RULE_EQ("SYN-8", std::string("did you mean `@unrolled`?"), help_of(around("for i in 0..4 @unroled {}")));
  RULE_EQ("SYN-8", Axis::vectorized, program_of(around("for i in 0..4 step 2 @ vectorized {}")).body[0]->axis);
}

TEST(Syntax, Version) {
  RULE_TRUE("SYN-9", errors("air 1\nprogram p {}").empty());
  RULE_TRUE("SYN-9", has_error("air ~2~ program p {}", "SYN-9"));
  RULE_TRUE("SYN-9", errors("air 1").empty());
}

TEST(Syntax, Arities) {
  RULE_TRUE("SYN-10", has_error(around("B[0] = ~fma(1, 2)~ + B[1]"), "SYN-10"));
  RULE_TRUE("SYN-10", has_error(around("B[0] = ~exp()~"), "SYN-10"));
  RULE_TRUE("SYN-10", has_error(around("B[0] = ~select(true, 1)~"), "SYN-10"));
  RULE_TRUE("SYN-10", has_error(around("B[0] = ~max(B[0], B[1], B[2])~"), "SYN-10"));
  RULE_EQ("SYN-10", printed("for i in min(n, min(5, 2*n - 3))..9 {}"), printed("for i in min(n, 5, 2*n - 3)..9 {}"));
}

TEST(Syntax, SeveralErrorsInOneRun) {
  const char* text =
      "program p {\n"
      "  input A: f31[4]\n"  // a type
      "  inout B: f32[4]\n"
      "  for i in 0..4 {\n"
      "    B[i] = A[i] + \n"       // an operand
      "    B[j] = 1\n"             // an unknown name, in a statement after the bad one
      "    B[i] = A[i] * \"x\"\n"  // a character
      "  }\n"
      "  B[0] = C[0]\n"  // an unknown name
      "}\n"
      "program q { inout B: f32[4] B[0] = 1 + true }\n";
  std::string codes;
  for (const Diagnostic& d : errors(text)) codes += d.code + "@" + std::to_string(d.where.line) + " ";
  RULE_EQ("SYN-11", std::string("SYN-3@2 NAME-1@6 SYN-3@6 SYN-1@7 NAME-1@9 TYPE-7@11 "), codes);
  RULE_EQ("SYN-11", std::size_t{1}, errors(around("for i in 0..B { for j in 0..i { B[i] = B[j] } }")).size());
  RULE_EQ("SYN-11", std::size_t{1}, errors(around("var s: f31 = 0 B[0] = s s = s + 1")).size());
  RULE_EQ("SYN-11", std::size_t{2}, errors("program p { zero X }\nprogram q { zero Y }").size());
}

TEST(Syntax, OneMistakeIsReportedOnce) {
  const auto codes = [](const std::string& declarations) {
    std::string out;
    for (const Diagnostic& d : errors("program p {\n  param n in 1..10\n" + declarations +
                                      "\n  output Z: f32[n]\n  for i in 0..n { Z[i] = 1.0 }\n}\n"))
      out += (out.empty() ? "" : " ") + d.code + "@" + std::to_string(d.where.line);
    return out;
  };
  RULE_EQ("SYN-11", std::string(), codes("  require n < 9"));
  RULE_EQ("SYN-11", std::string("SYN-1@3"), codes("  require n % 4 == 0"));
  RULE_EQ("SYN-11", std::string("SYN-3@3"), codes("  require n = 4"));
  RULE_EQ("SYN-11", std::string("SYN-5@3"), codes("  input X: i32[4] in 0..2 in 1..3"));
  RULE_EQ("SYN-11", std::string("SYN-3@3"), codes("  const K: f32[2] = {1.0, i}"));
  RULE_EQ("SYN-11", std::string("SYN-3@3"), codes("  inptu Z1: f32[4]"));
  RULE_EQ("SYN-11", std::string("SYN-3@3"), codes("  parm m in 1..4"));
  RULE_EQ("SYN-11", std::string("SYN-3@3"), codes("  tensor Z1: f32[4]"));
  // What was meant to be declared is known, and a word that is close is named.
  const auto wrong = errors("program p { ouput Y: f32[4] for i in 0..4 { Y[i] = 1.0 } }");
  RULE_EQ("SYN-11", std::size_t{1}, wrong.size());
  RULE_EQ("SYN-11", std::string("did you mean `output`?"), wrong.at(0).help);
  RULE_EQ("SYN-11", std::size_t{1}, errors(around("vr s: f32 = 1.0\n s = 2.0 B[0] = s")).size());
  RULE_EQ("SYN-11", std::size_t{1}, errors(around("B[0] = 1.0\n temp T: f32[4]\n T[0] = 1.0")).size());
}

TEST(Syntax, Precedence) {
  const auto same = [](const char* bare, const char* full) { return printed(bare) == printed(full); };
  RULE_TRUE("SYN-12", same("B[0] = B[1] + B[2] * B[3] - B[4] / B[5]", "B[0] = (B[1] + (B[2] * B[3])) - (B[4] / B[5])"));
  RULE_TRUE("SYN-12", same("B[0] = B[1] - B[2] - B[3]", "B[0] = (B[1] - B[2]) - B[3]"));
  RULE_TRUE("SYN-12", same("B[0] = B[1] / B[2] * B[3]", "B[0] = (B[1] / B[2]) * B[3]"));
  RULE_TRUE("SYN-12", !same("B[0] = B[1] - B[2] - B[3]", "B[0] = B[1] - (B[2] - B[3])"));
  RULE_TRUE("SYN-12", same("if B[0] < B[1] + 1 && n == 2 || !(n > 3) && true {}",
                           "if ((B[0] < (B[1] + 1)) && (n == 2)) || ((!(n > 3)) && true) {}"));
  RULE_TRUE("SYN-12", same("if !true == false {}", "if (!true) == false {}"));
  RULE_TRUE("SYN-12", same("B[0] = -B[1] * B[2]", "B[0] = (-B[1]) * B[2]"));
  RULE_TRUE("SYN-12", same("B[0] = n < 1 ? 1 : n < 2 ? 2 : 3", "B[0] = n < 1 ? 1 : (n < 2 ? 2 : 3)"));
  RULE_TRUE("SYN-12",
            same("B[0] = n < 1 || n > 2 ? n < 1 ? 1 : 2 : 3", "B[0] = ((n < 1) || (n > 2)) ? (n < 1 ? 1 : 2) : 3"));
}

TEST(Syntax, Updates) {
  const Program p = program_of(around("B[1] += 2 B[1] *= 2 B[1] max= 2 B[1] min= 2"));
  const Program q = program_of(around("B[1] = B[1] + 2 B[1] = B[1] * 2 B[1] = max(B[1], 2) B[1] = min(B[1], 2)"));
  RULE_TRUE("SYN-13", p == q);
  const Program chained = program_of(around("if n < 1 {} else if n < 2 { B[0] = 1 } else { B[0] = 2 }"));
  const Program nested = program_of(around("if n < 1 {} else { if n < 2 { B[0] = 1 } else { B[0] = 2 } }"));
  RULE_TRUE("SYN-13", chained == nested);
  // The subscript is evaluated twice, so a scope in it has two variables.
  const Program scoped = program_of(around("B[scope x: i32 { x = 1 }] += 2"));
  RULE_EQ("SYN-13", (std::set<Symbol>{"A", "B", "I", "O", "n", "x", "x.1"}), scoped.bound_names());
}

TEST(Syntax, SignsOfLiterals) {
  RULE_EQ("SYN-14", std::string("O[0] = -128"), printed("O[0] = -128"));
  RULE_EQ("SYN-14", std::string("O[0] = -128"), printed("O[0] = - 128"));
  RULE_TRUE("SYN-14", has_error(around("O[0] = -(~128~)"), "TYPE-3"));
  RULE_EQ("SYN-14", std::string("O[0] = -(127)"), printed("O[0] = -(127)"));
  RULE_EQ("SYN-14", std::string("B[0] = -0.0"), printed("B[0] = -0.0"));
  RULE_EQ("SYN-14", std::string("B[0] = 0.0"), printed("B[0] = -0"));
  RULE_EQ("SYN-14", std::string("B[0] = --1.0"), printed("B[0] = - -1.0"));
  RULE_EQ("SYN-14", std::string("B[0] = B[1] - -1.0"), printed("B[0] = B[1] - -1.0"));
  RULE_EQ("SYN-14", std::string("B[0] = B[1] - 1.0"), printed("B[0] = B[1] -1.0"));
}

TEST(Syntax, SortsOfFiles) {
  const auto programs = parse_source("program p {}\nschedule s { swap i j }\nprogram q {}", "x");
  ASSERT_TRUE(programs);
  RULE_TRUE("SYN-15", programs->programs.size() == 2 && programs->schedules.size() == 1);
  const auto bare = parse_source("# comment\nswap i j\n", "x.sched");
  ASSERT_TRUE(bare);
  RULE_TRUE("SYN-15",
            bare->schedules.size() == 1 && bare->schedules[0].name.empty() && bare->schedules[0].lines.size() == 1);
  const auto blank = parse_source("\n# nothing\n", "x.sched");
  RULE_TRUE("SYN-15", blank && blank->schedules.size() == 1 && blank->schedules[0].lines.empty());
  RULE_TRUE("SYN-15", has_error("~swap~ i j\n", "SYN-3", "x.air"));
  RULE_TRUE("SYN-15", has_error("program p {}\n~swap~ i j\n", "SYN-3", "x.sched"));
  RULE_TRUE("SYN-15", has_error("  {~x~}", "JSON-2", "x.air"));
}

}  // namespace
}  // namespace assay::test
