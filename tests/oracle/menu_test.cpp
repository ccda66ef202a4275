// The menu, default schedules, digests, facts, and limits in lint.
#include "oracle/menu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/analysis/canonical.hpp"
#include "oracle/check.hpp"
#include "oracle/facts.hpp"
#include "oracle/json.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using test::has_code;
using test::lint_text;
using test::material;

const char* const two_nests =
    "program p { param n in 1..9 input A: f32[n, 4] output C: f32[n] output D: f32[4, n] zero C "
    "for i in 0..n { for k in 0..4 { C[i] += A[i, k] } } for a in 0..4 { for b in 0..n { D[a, b] = A[b, a] } } }";

TEST(Menu, EveryLineAppliesAndGivesAnotherProgram) {
  const auto m = material(two_nests);
  const Menu found = menu(m.program(), {});
  ASSERT_GE(found.steps.size(), 20U);
  std::set<std::string> digests{program_digest(m.program())}, operations_seen;
  const auto query = Judges{}.query(default_query_budget);
  for (const MenuStep& s : found.steps) {
    const auto schedule = parse_source(s.line + "\n", "s.sched");
    ASSERT_TRUE(schedule);
    const ScheduleLine& line = schedule->schedules.at(0).lines.at(0);
    const StepResult r = apply_line(m.program(), line, *query);
    RULE_TRUE("MENU-2", r && check_well_formed(r->program).empty()) << s.line;
    RULE_EQ("MENU-3", s.digest, program_digest(fold_guards(r->program, *query).program));
    RULE_TRUE("MENU-3", digests.insert(s.digest).second) << s.line;
    operations_seen.insert(line.op);
  }
  for (const char* op :
       {"split", "swap", "retype", "unroll", "pad", "privatize", "stage", "coalesce", "fission", "expand_zero"})
    RULE_TRUE("MENU-4", operations_seen.count(op) != 0) << op;
}

TEST(Menu, IsCappedInTurnAndSaysSo) {
  const auto m = material(two_nests);
  MenuOptions few;
  few.most = 7;
  const Menu found = menu(m.program(), few);
  RULE_EQ("MENU-4", std::size_t{7}, found.steps.size());
  RULE_TRUE("MENU-4", found.untried > 0 && menu_claim(found, false).find("not tried (--limit)") != std::string::npos);
  std::set<std::string> operations_seen;
  for (const MenuStep& s : found.steps) operations_seen.insert(s.line.substr(0, s.line.find(' ')));
  RULE_TRUE("MENU-4", operations_seen.size() >= 6);
  RULE_EQ("MENU-6", menu_text(found), menu_text(menu(m.program(), few)));
}

TEST(Menu, ProvedLinesAreLegalAndTheOthersAreLeftOut) {
  const auto m = material(
      "program p { input A: f32[6, 4] inout x: f32[9] output s: f32[6] "
      "for i in 0..6 { x[i + 1] = x[i] } for j in 0..6 { s[j] = 0.0 for k in 0..4 { s[j] += A[j, k] } } }");
  MenuOptions proved;
  proved.proved = true;
  proved.most = 1000;
  const Menu found = menu(m.program(), proved);
  EXPECT_GT(found.not_proved, 0U);
  const std::string text = menu_text(found);
  RULE_TRUE("MENU-5", text.find("retype i axis=grid") == std::string::npos) << text;
  RULE_TRUE("MENU-5", text.find("retype j axis=grid") == std::string::npos) << text;  // the first loop is outside
  for (const MenuStep& s : found.steps) {
    ASSERT_TRUE(s.licence);
    CheckOptions quick;
    quick.execute = false;
    const auto schedule = parse_source(s.line + "\n", "s.sched");
    const CheckResult r = check(m.program(), m.text, schedule->schedules.at(0), {"s.sched", s.line + "\n"}, quick);
    RULE_EQ("MENU-5", Verdict::legal, r.report.verdict);
    RULE_TRUE("MENU-5", r.report.licence == s.licence) << s.line;
  }
  proved.licence = Licence::exact;
  for (const MenuStep& s : menu(m.program(), proved).steps) RULE_TRUE("MENU-5", s.licence == Licence::exact) << s.line;
}

TEST(Menu, JsonHoldsTheSameLines) {
  const auto m = material(two_nests);
  const Menu found = menu(m.program(), {});
  const auto json = nlohmann::json::parse(to_json(found, "p", menu_claim(found, false)));
  RULE_EQ("MENU-6", found.steps.size(), json["steps"].size());
  for (std::size_t k = 0; k < found.steps.size(); ++k) {
    RULE_EQ("MENU-6", found.steps[k].line, json["steps"][k]["line"].get<std::string>());
    RULE_EQ("MENU-6", found.steps[k].digest, json["steps"][k]["digest"].get<std::string>());
  }
  RULE_EQ("MENU-6", found.unfit, json["left_out"]["unfit"].get<std::size_t>());
  RULE_EQ("MENU-6", found.untried, json["left_out"]["untried"].get<std::size_t>());
}

TEST(Menu, DefaultSchedulesAreProved) {
  const auto big = material(
      "program p { param n in 1..4000 input A: f32[n, 8] output C: f32[n] output D: f32[4, 4] "
      "for i in 0..n { C[i] = 0.0 for k in 0..8 { C[i] += A[i, k] } } "
      "for a in 0..4 { for b in 0..4 { D[a, b] = 1.0 } } }");
  const std::string cpu = menu_text({default_schedule(big.program(), Preset::cpu, {})});
  RULE_TRUE("MENU-7", cpu.find("fission after=1") != std::string::npos) << cpu;
  RULE_TRUE("MENU-7", cpu.find("retype i axis=grid") != std::string::npos) << cpu;
  RULE_TRUE("MENU-7", cpu.find("retype a") == std::string::npos) << cpu;  // too small
  const std::string gpu = menu_text({default_schedule(big.program(), Preset::gpu, {})});
  RULE_TRUE("MENU-7", gpu.find("retype b axis=grid") != std::string::npos) << gpu;
  for (const std::string& text : {cpu, gpu}) {
    CheckOptions quick;
    quick.execute = false;
    const auto schedule = parse_source(text, "s.sched");
    ASSERT_TRUE(schedule);
    const CheckResult r = check(big.program(), big.text, schedule->schedules.at(0), {"s.sched", text}, quick);
    RULE_TRUE("MENU-7", r.report.verdict == Verdict::legal) << text << r.report.claim;
  }
  // A recurrence stays serial.
  const auto chain =
      material("program p { param n in 1..90000 inout x: f32[n + 1] for i in 0..n { x[i + 1] = x[i] } }");
  RULE_TRUE("MENU-7", default_schedule(chain.program(), Preset::cpu, {}).empty());
}

TEST(Digest, IsThatOfTheCanonicalText) {
  // echo -n of the printed form | sha256sum
  const auto m = material("program q { output Y: f32[2] for i in 0..2 { Y[i] = 1.0 } }");
  EXPECT_EQ(print(canonical(m.program())),
            "program p {\n  output b0: f32[2]\n  for l0 in 0..2 {\n    b0[l0] = 1.0\n  }\n}\n");
  RULE_EQ("ANA-3", std::string("0bc302854d692b1695de5a8e50212f9532e9682ec2f0619f86ed86f5128fd3a0"),
          program_digest(m.program()));
}

TEST(Facts, ListLaunchesAndSpans) {
  const auto m = material(
      "program q { param n in 2..9 output Y: f32[n] temp T: f32[n] shared S: f32[4] local unused: f32[2] "
      "for i in 0..n @grid { for t in 0..4 @workgroup { S[t] = 1.0 } T[i] = S[0] } launch for i in 0..n { Y[i] = T[i] "
      "} }");
  const std::string text = facts_text(m.program(), {{"n", 3}});
  RULE_TRUE("ANA-8", text.find("launch 1  3 x 1 x 1 groups, 4 x 1 x 1 threads in a group, 16 bytes shared\n") !=
                         std::string::npos)
      << text;
  RULE_TRUE("ANA-8", text.find("launch 2  1 x 1 x 1 groups") != std::string::npos) << text;
  RULE_TRUE("ANA-8", text.find("temp      T: used from 0 to 1\n") != std::string::npos) << text;
  RULE_TRUE("ANA-8", text.find("unused: not used\n") != std::string::npos) << text;
}

TEST(LintLimits, AnExcessIsFaulty) {
  const std::string threads =
      "program p { param n in 1..3000 output Y: f32[2, n] shared S: f32[64, 64] for i in 0..2 @grid { for t in 0..n "
      "@workgroup { if t == 0 { S[0, 0] = 1.0 } Y[i, t] = 1.0 } } }";
  LintOptions options;
  const auto lint_with = [&](const std::string& text, const char* limits) {
    options.limits = *parse_limits(limits);
    return lint_text(text, options);
  };
  const Report r = lint_with(threads, "cuda");
  RULE_EQ("LIM-16", Verdict::faulty, r.verdict);
  RULE_TRUE("LIM-10", has_code(r, "LIM-10") &&
                          r.claim.find("1025 threads in a group at n = 1025; the limit is 1024") != std::string::npos)
      << r.claim;
  RULE_TRUE("LIM-12", has_code(r, "LIM-12"));
  RULE_TRUE("LIM-11", has_code(lint_with(threads, "shared=16383"), "LIM-11") &&
                          !has_code(lint_with(threads, "shared=16384"), "LIM-11"));
  // Three axes: the product is fine, and z is not; then the other way round.
  const std::string axes =
      "program p { output Y: f32[128, 2, 2] for z in 0..128 @workgroup { for y in 0..2 @workgroup { for x in 0..2 "
      "@workgroup "
      "{ Y[z, y, x] = 1.0 } } } }";
  RULE_TRUE("LIM-12", has_code(lint_with(axes, "cuda"), "LIM-12") &&
                          !has_code(lint_with(axes, "cuda,workgroup.z=128"), "LIM-12"));
  RULE_TRUE("LIM-10", has_code(lint_with(axes, "threads=511"), "LIM-10"));
  const std::string grid =
      "program p { output Y: f32[2, 4, 300, 4] for a in 0..2 @grid { for b in 0..4 @grid { for c in 0..300 @grid { for "
      "d in 0..4 "
      "@grid { Y[a, b, c, d] = 1.0 } } } } }";
  RULE_EQ("LIM-13", Verdict::faulty, lint_with(grid, "grid.y=299").verdict);
  RULE_EQ("LIM-13", Verdict::faulty, lint_with(grid, "grid.z=7").verdict);
  const Report fits = lint_with(grid, "grid.y=300,grid.z=8,grid.x=4");
  RULE_EQ("LIM-15", Verdict::clean, fits.verdict);
  EXPECT_NE(fits.claim.find("every launch keeps within grid.y=300,grid.z=8,grid.x=4"), std::string::npos) << fits.claim;
  // The slots of two nests count together: 32 x 8 beside 256 x 1 is a launch of 256 x 8.
  const std::string nests =
      "program p { output Y: f32[8, 32] output Z: f32[256] for a in 0..8 @workgroup { for b in 0..32 @workgroup { Y[a, "
      "b] = 1.0 } } "
      "for c in 0..256 @workgroup { Z[c] = 1.0 } }";
  RULE_TRUE("LIM-15", has_code(lint_with(nests, "threads=2047"), "LIM-10") &&
                          !has_code(lint_with(nests, "threads=2048"), "LIM-10"));
}

// A tile of sums that more registers would hold than a thread has (LIM-17).
TEST(LintLimits, PrivateCellsTakeRegisters) {
  LintOptions options;
  const auto code = [&](const std::string& text, int registers) {
    options.limits = *parse_limits("registers=" + std::to_string(registers));
    const Report r = lint_text(text, options);
    return r.verdict == Verdict::clean ? std::string() : r.verdict == Verdict::faulty ? "LIM-17" : r.claim;
  };
  const auto exactly = [&](int registers, const std::string& text) {
    RULE_EQ("LIM-17", std::string(), code(text, registers));
    RULE_EQ("LIM-17", std::string("LIM-17"), code(text, registers - 1));
  };
  exactly(3 * 5 + 2,
          "program p { output Y: f32[4] local T: f32[3, 5] for i in 0..4 { var s: f64 = 1.0 T[0, 1] = 2.0 "
          "Y[i] = T[0, 1] + f32(s) } }");
  // Of a narrow type each cell takes a register, of blocks of 128 bits four; buffers that a launch does not use none.
  exactly(6 + 4,
          "program p { output Y: f32[4] output Z: f32[1] local T: f16[6] local U: f32[8] for i in 0..4 { var b: "
          "u32x4 = u32x4(1, 2, 3, 4) T[0] = 1.0 Y[i] = f32(T[0]) + f32(word(b, 0)) } launch U[0] = 1.0 Z[0] = "
          "U[0] }");
  // Blocks side by side share, blocks inside one another add up, and a scope's variable is there while it is evaluated.
  exactly(3,
          "program p { output Y: f32[4] for i in 0..4 { var a: f32 = 1.0 for k in 0..2 { var b: f32 = a Y[i] = b } for "
          "k in 0..2 { var c: f32 = a Y[i] = c + scope s: f32 { s = c } } } }");
  // For all parameter values.
  exactly(18,
          "program p { param n in 1..10 output Y: f32[4] local T: f64[n] for i in 0..4 @grid { T[0] = 1.0 Y[i] = "
          "f32(T[0]) } }");
  RULE_TRUE("LIM-14", !parse_limits("cuda")->of(Resource::registers));
}

TEST(Menu, KeepsWithinTheLimitsThatAreGiven) {
  const auto m = material(
      "program p { input A: f32[8, 4] input B: f32[4, 8] inout C: f32[8, 8] for i in 0..8 { for k in 0..4 { for j in "
      "0..8 { C[i, j] += A[i, k] * B[k, j] } } } }");
  MenuOptions options;
  options.most = 10000;
  const auto offered = [&](const char* limits) {
    options.limits = limits ? std::optional(*parse_limits(limits)) : std::nullopt;
    std::set<std::string> lines;
    for (const MenuStep& s : menu(m.program(), options).steps) lines.insert(s.line);
    return lines;
  };
  const std::set<std::string> all = offered(nullptr), seven = offered("registers=7"), eight = offered("registers=8");
  RULE_TRUE("MENU-8", all.count("privatize C over=k") == 1 && eight.count("privatize C over=k") == 1);
  RULE_TRUE("MENU-8", seven.count("privatize C over=k") == 0 && seven.count("split i factor=2") == 1);
  const Menu few = menu(m.program(), options);
  RULE_TRUE("MENU-8", few.over == 0 || menu_claim(few, false).find("beyond the limits") != std::string::npos);
  const std::set<std::string> threads = offered("registers=100,threads=4");
  RULE_TRUE("MENU-8", threads.count("retype j axis=workgroup") == 0);
  for (const std::string& line : eight) RULE_TRUE("MENU-8", all.count(line) == 1) << line;
}

}  // namespace
}  // namespace assay::oracle
