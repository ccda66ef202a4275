// zero_margins: the strips, names, refusals, and what is left to proof (spec/zero_margins.md).
#include <fmt/format.h>

#include "moves.hpp"

namespace assay::test {
namespace {

const char* const more = "output C: f32[6, 8] param n in 1..7 output V: f32[n + 2] output W: f32[]";

Moved made(const std::string& statements, const std::string& schedule_line = "zero_margins C -> z0, z1") {
  return moved(nest("zero V zero W " + statements, more), schedule_line);
}
std::string expected(const std::string& statements) { return printed("zero V zero W " + statements, more); }

TEST(ZeroMargins, TheCellsAroundTheBox) {
  const std::string box = "for i in 0..4 { for j in 2..7 { C[i + 1, j] = Y[i, j] } } ";
  const Moved m = made("zero C " + box);
  RULE_EQ(
      "MRG-4",
      expected("for z0 in 0..1 { for z1 in 0..8 { C[z0, z1] = 0.0 } } for z0.1 in 5..6 { for z1.1 in 0..8 { C[z0.1, "
               "z1.1] = 0.0 } } for z0.2 in 1..5 { for z1.2 in 0..2 { C[z0.2, z1.2] = 0.0 } } for z0.3 in 1..5 { "
               "for z1.3 in 7..8 { C[z0.3, z1.3] = 0.0 } } " +
               box),
      m.text);
  RULE_EQ("PRF-106", "", m.code);
  // One side only, and other statements in between.
  const std::string rows = "A[0] = 1.0 for i in 0..5 { for j in 0..8 { C[i, j] = Y[i, j] } }";
  const Moved last = made("zero C " + rows, "zero_margins C");
  RULE_EQ("MRG-5", expected("for C_z0 in 5..6 { for C_z1 in 0..8 { C[C_z0, C_z1] = 0.0 } } " + rows), last.text);
  RULE_EQ("MRG-4", "", last.code);
  // Cells that a parameter tells.
  const Moved symbolic =
      moved(nest("zero C zero W zero V for i in 0..n { V[i + 1] = X[i] }", more), "zero_margins V -> z");
  RULE_TRUE("MRG-3",
            symbolic.text.find("for z in 0..1 {\n  V[z] = 0.0\n}\nfor z.1 in n + 1..n + 2 {") != std::string::npos)
      << symbolic.text;
  RULE_EQ("MRG-3", "", symbolic.code);
}

TEST(ZeroMargins, StoresTheZeroOfEachType) {
  for (const char* type : {"u32x4", "bool", "f8e4m3fn", "i16"}) {
    const std::string declared = fmt::format("output U: {0}[6] input V: {0}[4]", type);
    const Moved m = moved(nest("zero U for i in 0..4 { U[i + 1] = V[i] }", declared), "zero_margins U");
    RULE_TRUE("MRG-4", m.code == "") << type << m.text;
  }
}

TEST(ZeroMargins, Refuses) {
  RULE_EQ("MRG-1", "MRG-1", made("for i in 0..6 { for j in 0..8 { C[i, j] = Y[i, j] } }").code);
  RULE_EQ("MRG-2", "MRG-2", made("zero C A[0] = 1.0").code);
  RULE_EQ("MRG-2", "MRG-2", made("zero C C[2, 2] = 1.0").code);
  RULE_EQ("MRG-2", "MRG-2", made("zero C for i in 0..6 { C[flag[0], i] = 1.0 }").code);
  RULE_EQ("MRG-2", "MRG-2", made("zero C for i in 0..6 { for j in 0..8 { C[i, j] = Y[i, j] } }").code);
  RULE_EQ("SCH-12", "SCH-12", made("zero C", "zero_margins C -> z").code);
}

// The box is what the indices say; whether all of it is stored, in time, is proved.
TEST(ZeroMargins, LeavesTheRestToProof) {
  const auto code = [](const std::string& statements) { return made("zero C " + statements).code; };
  RULE_EQ("PRF-106", "FLOW-3", code("for i in 0..4 { for j in 2..7 step 2 { C[i, j] = Y[i, j] } }"));
  RULE_EQ("PRF-106", "FLOW-3", code("for i in 0..4 { for j in 0..i + 1 { C[i, j] = Y[i, j] } }"));
  RULE_EQ("PRF-106", "FLOW-3", code("for i in 0..4 { for j in 2..7 { if j != 3 { C[i, j] = Y[i, j] } } }"));
  RULE_EQ("PRF-106", "FLOW-1", code("for i in 0..4 { for j in 2..7 { C[i, j] += Y[i, j] } }"));
  EXPECT_NE("", code("A[0] = C[1, 3] for i in 0..4 { for j in 2..7 { C[i, j] = Y[i, j] } }"));
  // Stored later by another nest all the same.
  EXPECT_EQ("",
            code("for i in 0..4 { for j in 2..7 step 2 { C[i, j] = Y[i, j] } } for i in 0..4 { for j in 1..3 { C[i, 2 "
                 "* j + 1] = 1.0 } }"));
}

}  // namespace
}  // namespace assay::test
