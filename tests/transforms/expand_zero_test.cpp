// expand_zero: the nest, types, symbolic dimensions, several zeros, refusals (spec/expand_zero.md).
#include <fmt/format.h>

#include "steps.hpp"

namespace assay::test {
namespace {

// T50
TEST(ExpandZero, OneLoopPerDimension) {
  const Program p = nest("zero C A[0] = C[1, 1]", "inout C: f32[3, 5]");
  const Step s = step(p, "expand_zero C -> z0, z1");
  ASSERT_TRUE(s.after);
  RULE_EQ("EXZ-1",
          printed("for z0 in 0..3 { for z1 in 0..5 { C[z0, z1] = 0.0 } } A[0] = C[1, 1]", "inout C: f32[3, 5]"),
          body(*s.after));
  RULE_EQ("EXZ-3", 1U, find_loops(*step(p, "expand_zero C").after, "C_z1").size());
}

TEST(ExpandZero, EveryTypeAndRank) {
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e4m3fn", "i8", "u64", "bool"}) {
    const Step s = step(nest("zero C", fmt::format("inout C: {}[2]", type)), "expand_zero C");
    ASSERT_TRUE(s.after) << type << " " << s.code;
    const char* zero = std::string(type) == "bool" ? "false" : (type[0] == 'f' || type[0] == 'b') ? "0.0" : "0";
    RULE_EQ("EXZ-1",
            printed(fmt::format("for C_z0 in 0..2 {{ C[C_z0] = {} }}", zero), fmt::format("inout C: {}[2]", type)),
            body(*s.after));
  }
  const Step scalar = step(nest("zero C", "inout C: f32[]"), "expand_zero C");
  ASSERT_TRUE(scalar.after);
  RULE_EQ("EXZ-1", printed("C[] = 0.0", "inout C: f32[]"), body(*scalar.after));
  const Step empty = step(nest("zero C", "inout C: f32[4, 0]"), "expand_zero C");
  ASSERT_TRUE(empty.after);
  EXPECT_EQ(2, count(*empty.after, StmtKind::loop));
  const Step symbolic = step(nest("zero C", "param n in 0..5 inout C: f32[n, 2*n]"), "expand_zero C -> a, b");
  ASSERT_TRUE(symbolic.after);
  RULE_EQ("EXZ-1",
          printed("for a in 0..n { for b in 0..2*n { C[a, b] = 0.0 } }", "param n in 0..5 inout C: f32[n, 2*n]"),
          body(*symbolic.after));
}

TEST(ExpandZero, AllOfSeveral) {
  const Step s =
      step(nest("zero C for i in 0..2 { if i == 1 { zero C } C[i] = 1.0 }", "inout C: f32[2]"), "expand_zero C -> z");
  ASSERT_TRUE(s.after);
  RULE_EQ(
      "EXZ-2",
      printed(
          "for z in 0..2 { C[z] = 0.0 } for i in 0..2 { if i == 1 { for z.1 in 0..2 { C[z.1] = 0.0 } } C[i] = 1.0 }",
          "inout C: f32[2]"),
      body(*s.after));
}

TEST(ExpandZero, Refusals) {
  RULE_EQ("EXZ-2", "EXZ-2", step(nest("A[0] = 1.0"), "expand_zero A").code);
  RULE_EQ("EXZ-2", "EXZ-2", step(nest("zero A"), "expand_zero B").code);
  for (const char* names : {"z0", "z0, z1, z2"})
    RULE_EQ("SCH-12", "SCH-12", step(nest("zero B"), std::string("expand_zero B -> ") + names).code);
  RULE_EQ("SCH-8", "SCH-8", step(nest("zero B"), "expand_zero C").code);
}

}  // namespace
}  // namespace assay::test
