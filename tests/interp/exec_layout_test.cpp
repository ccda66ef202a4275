// Layouts do not matter to values; one that is no permutation of its row is a fault. Barriers beside the threads' loops.
#include <gtest/gtest.h>

#include "exec_support.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

std::string transposed(const std::string& columns, const std::string& swizzle) {
  return "program p { output Y: i32[6, " + columns + "] local T: i32[6, " + columns + "] " + swizzle +
         " for i in 0..6 { for j in 0.." + columns + " { T[i, j] = i32(i + 6*j) } }\nfor i in 0..6 { for j in 0.." +
         columns + " { Y[i, j] = T[5 - i, j] } } }";
}

TEST(ExecLayout, ValuesAreThoseWithout) {
  for (const char* swizzle : {"swizzle elem", "swizzle b128"})
    RULE_EQ("EXEC-70", output(run_text(transposed("8", "")), "Y"), output(run_text(transposed("8", swizzle)), "Y"));
}

TEST(ExecLayout, ElementsWithoutACellAreAFault) {
  // Twelve units, the low two bits of their numbers change: row 4 takes unit 8 to number 12.
  RULE_EQ("EXEC-70", std::string("RUN-9 statement -1 line 1 T[4, 8]"),
          describe(run_text(transposed("12", "swizzle elem"))));
  RULE_EQ("EXEC-70", std::string("RUN-9 statement -1 line 1 T[1, 8]"),
          describe(run_text(transposed("12", "swizzle b128"))));
  RULE_EQ("EXEC-70", std::string("ok"), describe(run_text(transposed("24", "swizzle elem"))));
  RULE_EQ("EXEC-70", std::string("ok"),
          describe(run_text("program p { output Y: i32[1] temp T: i32[0, 12] swizzle elem Y[0] = 1 }")));
}

// All threads of the group reach a barrier outside of their loops, those without an iteration too.
TEST(ExecLayout, BarriersBesideTheThreads) {
  const std::string text =
      "program p { output Y: i32[2, 6] shared S: i32[6] for g in 0..2 @grid { for k in 0..3 { for t in 0..4 @workgroup "
      "{ "
      "S[t] = i32(t + 10*k) } for u in 4..6 @workgroup { S[u] = i32(u + 20*k) } barrier for v in 0..6 @workgroup { "
      "Y[g, v] = "
      "S[5 - v] } barrier } } }";
  RULE_EQ("WF-8", (std::vector<double>{45, 44, 23, 22, 21, 20, 45, 44, 23, 22, 21, 20}), output(run_text(text), "Y"));
  interp::Options watch;
  watch.detect_races = true;
  RULE_EQ("WF-8", std::string("none"), describe_race(run_text(text, {}, watch)));
  std::string missing = text;
  missing.erase(missing.rfind("barrier"), 7);
  RULE_TRUE("WF-8", describe_race(run_text(missing, {}, watch)) != "none");
}

}  // namespace
}  // namespace assay::test
