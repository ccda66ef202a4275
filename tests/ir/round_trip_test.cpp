// Properties over random programs: they are well formed, and both forms read back as equal programs (PRINT-1, JSON-1).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <sstream>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"
#include "ir/typing.hpp"
#include "random_program.hpp"
#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

SourceFile file_of(Program p) {
  SourceFile f;
  f.programs.push_back(std::move(p));
  return f;
}

// The first message of a text that does not parse.
std::string complaint(const Result<SourceFile>& r, const std::string& text) {
  return r ? std::string() : render(r.error()[0], text, false, true);
}

TEST(RoundTrip, RandomPrograms) {
  const bool held = rc::check("print, then parse", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto size = *rc::gen::inRange(1, 120);
    const Program p = random_program(seed, size);
    const auto faults = check_well_formed(p);
    RC_ASSERT(faults.empty());
    const std::string text = print(p);
    const auto parsed = parse_source(text, "t.air");
    if (!parsed) RC_FAIL(complaint(parsed, text) + "\n" + text);
    RC_ASSERT(parsed->programs.size() == 1U);
    if (!(parsed->programs[0] == p)) RC_FAIL(text + "\nbecomes\n" + print(parsed->programs[0]));
    RC_ASSERT(print(parsed->programs[0]) == text);
  });
  RULE_TRUE("PRINT-1", held);
}

// The same programs on every run, more and larger.
TEST(RoundTrip, ManyPrograms) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Program p = random_program(seed, static_cast<int>(seed % 300));
    const auto parsed = parse_source(print(p), "t.air");
    if (!parsed || !(parsed->programs[0] == p)) ++wrong;
  }
  RULE_EQ("PRINT-1", 0, wrong);
}

// Whether an expression has a type without its surroundings: a choice between literals has none.
bool has_a_type(const Expr& e) {
  if (e->op == Op::literal) return e->type == Type::boolean;
  if (e->op == Op::index) return !e->index.is_constant();
  if (has_condition(e->op)) return std::any_of(e->args.begin() + 1, e->args.end(), has_a_type);
  if (e->type == Type::boolean || !is_operation(e->op) || operand_type(e->op, 0)) return true;
  return std::any_of(e->args.begin(), e->args.end(), has_a_type);
}

// An expression of a program that has a type, printed by itself, names that expression.
TEST(RoundTrip, ExpressionsOfPrograms) {
  int tried = 0, wrong = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Program p = random_program(seed, static_cast<int>(20 + seed % 100));
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::scope) return false;  // its names are taken in the program
      bool scopes = false;
      Visitor inside;
      inside.enter_expr = [&](const Expr& i) {
        scopes = scopes || i->op == Op::scope;
        return !scopes;
      };
      visit(e, inside);
      if (scopes || !is_operation(e->op) || !has_a_type(e)) return true;
      ++tried;
      const auto parsed = parse_expression("(" + print(e) + ")", p);
      if (!parsed || !(*parsed == e)) {
        ++wrong;
        ADD_FAILURE() << print(e) << (parsed ? " is read as " + print(*parsed) : ": " + parsed.error()[0].message);
      }
      return wrong < 5;
    };
    visit(p.body, v);
  }
  RULE_TRUE("SCH-17", tried > 1000 && wrong == 0) << tried;
}

TEST(RoundTrip, RandomProgramsAsJson) {
  const bool held = rc::check("to JSON and back", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Program p = random_program(seed, *rc::gen::inRange(1, 80));
    const std::string json = to_json(file_of(p));
    const auto parsed = parse_source(json, "t.json");
    if (!parsed) RC_FAIL(complaint(parsed, json) + "\n" + json);
    RC_ASSERT(parsed->programs.size() == 1U);
    RC_ASSERT(parsed->programs[0] == p);
    RC_ASSERT(parsed->text == print(p));
    RC_ASSERT(to_json(*parsed) == json);
  });
  RULE_TRUE("JSON-1", held);
}

TEST(RoundTrip, TheGeneratorUsesTheWholeLanguage) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Program p = random_program(seed, 100);
    for (const Buffer& b : p.buffers) seen.insert(std::string("kind ") + std::string(name(b.kind)));
    for (const Buffer& b : p.buffers) seen.insert(std::string("type ") + std::string(name(b.type)));
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      seen.insert("stmt " + std::to_string(static_cast<int>(s->kind)));
      if (s->kind == StmtKind::loop) seen.insert("axis " + std::string(name(s->axis)));
      return true;
    };
    v.enter_expr = [&](const Expr& e) {
      seen.insert("op " + std::to_string(static_cast<int>(e->op)));
      return true;
    };
    visit(p.body, v);
  }
  const auto count = [&](const char* prefix) {
    return std::count_if(seen.begin(), seen.end(), [&](const std::string& s) { return s.rfind(prefix, 0) == 0; });
  };
  EXPECT_EQ(7, count("kind "));
  EXPECT_EQ(16, count("type "));
  EXPECT_EQ(8, count("stmt "));
  EXPECT_EQ(7, count("axis "));
  EXPECT_EQ(static_cast<std::ptrdiff_t>(op_count), count("op "));
}

TEST(RoundTrip, IndexValues) {
  const bool held = rc::check("an index value's text is the value", [] {
    const Index i = random_index(*rc::gen::arbitrary<std::uint64_t>(), {"n", "i", "j"}, *rc::gen::inRange(0, 5));
    const std::string text =
        "program p { param n in 1..9 inout B: f32[8] for i in 0..4 { for j in 0..4 { B[" + i.text() + "] = 1 } } }";
    const auto parsed = parse_source(text, "t.air");
    if (!parsed) RC_FAIL(complaint(parsed, text));
    RC_ASSERT(parsed->programs[0].body[0]->body[0]->body[0]->indices[0]->index == i);
  });
  RULE_TRUE("PRINT-1", held);
}

// Tricky cases, one program each: tests/ir/tricky.air.
TEST(RoundTrip, TrickyTexts) {
  std::ifstream in(ASSAY_SOURCE_DIR "/tests/ir/tricky.air");
  std::stringstream text;
  text << in.rdbuf();
  const auto parsed = parse_source(text.str(), "tricky.air");
  ASSERT_TRUE(parsed) << complaint(parsed, text.str());
  RULE_TRUE("PRINT-1", parsed->programs.size() > 20);
  const std::string printed = print(*parsed);
  const auto again = parse_source(printed, "tricky.air");
  ASSERT_TRUE(again) << complaint(again, printed);
  RULE_TRUE("PRINT-1", again->programs == parsed->programs);
  const auto json = parse_source(to_json(*parsed), "tricky.json");
  ASSERT_TRUE(json);
  RULE_TRUE("JSON-1", json->programs == parsed->programs && print(*json) == printed);
}

}  // namespace
}  // namespace assay::test
