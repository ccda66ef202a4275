// elide_barriers: which barriers go and which stay (ELI-…), and that the rest is proved.
#include "moves.hpp"

namespace assay::test {
namespace {

Moved made(const std::string& statements) {
  return moved(nest(statements, "shared S: f32[64] param n in 0..9"), "elide_barriers");
}
std::string expected(const std::string& statements) { return printed(statements, "shared S: f32[64] param n in 0..9"); }
const char* const copy = "for w in 0..8 @workgroup { S[w] = A[w] } ";
const char* const use = "for v in 0..8 @workgroup { A[v] = S[7 - v] } ";
const char* const product =
    "for l in 0..32 @tile { for i in 0..4 { for j in 0..6 { for k in 0..5 { B[i, j] += Y[i, k] * Y[k, j] } } } } ";

TEST(ElideBarriers, OfTwoInARowOneGoes) {
  const Moved m = made(std::string(copy) + "barrier barrier barrier " + use);
  RULE_EQ("ELI-2", expected(std::string(copy) + "barrier " + use), m.text);
  EXPECT_EQ("", m.code);
  RULE_EQ("ELI-1", "ELI-1", made(std::string(copy) + "barrier " + use).code);
}

TEST(ElideBarriers, ATileProductEndsInOne) {
  const Moved behind = made(std::string(copy) + product + "barrier " + use);
  RULE_EQ("ELI-2", expected(std::string(copy) + product + use), behind.text);
  EXPECT_EQ("", behind.code);
  // Nothing goes in front of one, however close.
  RULE_EQ("ELI-4", "ELI-1", made(std::string(copy) + "barrier " + product + use).code);
  // Alone in its launch its lanes are no threads, and it ends in nothing.
  RULE_EQ("ELI-2", "ELI-1", made(std::string(copy) + "barrier " + use + " launch " + product).code);
}

TEST(ElideBarriers, ALoopThatRunsEndsAsItsBodyDoes) {
  const auto around = [&](const char* times, const char* after) {
    return std::string(copy) + "barrier for o in " + times + " { A[o + 9] = A[o + 8] " + product + " } " + after + use;
  };
  const Moved m = made(around("0..3", "barrier "));
  RULE_EQ("ELI-2", expected(around("0..3", "")), m.text);
  RULE_EQ("ELI-2", "ELI-1", made(around("0..n", "barrier ")).code);  // n may be 0
}

TEST(ElideBarriers, ABarrierAtTheStartOfALoopMovesInFront) {
  const auto rotation = [&](const char* before, const char* inside, const char* after) {
    return std::string(copy) + before + "for o in 0..3 { " + inside +
           " for q in 0..8 @workgroup { S[q + 8*o + 8] = " + "X[q] } " + product + " } " + after + use;
  };
  const Moved m = made(rotation("", "barrier", "barrier "));
  RULE_EQ("ELI-3", expected(rotation("barrier ", "", "")), m.text);
  EXPECT_EQ("", m.code);
  const Moved both = made(rotation("barrier ", "barrier", ""));
  RULE_EQ("ELI-3", expected(rotation("barrier ", "", "")), both.text);
  // The rest does not end in one: the iterations need it.
  RULE_EQ(
      "ELI-3", "ELI-1",
      made(std::string(copy) + "for o in 0..3 { barrier for q in 0..8 @workgroup { A[q + o] = X[q] } } " + use).code);
}

}  // namespace
}  // namespace assay::test
