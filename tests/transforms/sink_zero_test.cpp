// sink_zero: what it makes and what it refuses (SINK-…).
#include "moves.hpp"

namespace assay::test {
namespace {

TEST(SinkZero, GoesToJustBeforeTheFirstUse) {
  const Moved m =
      moved(nest("zero A zero B for i in 0..8 { B[i, 0] += X[i] } for k in 0..8 { A[k] += X[k] }"), "sink_zero A");
  EXPECT_EQ("", m.code);
  RULE_EQ("SINK-2", printed("zero B for i in 0..8 { B[i, 0] += X[i] } zero A for k in 0..8 { A[k] += X[k] }"), m.text);
  // Two of one buffer, each to its own use; a read is a use.
  const Moved two =
      moved(nest("zero A for i in 0..8 { B[i, 0] = X[i] } for k in 0..8 { B[k, 1] = A[k] } zero A for o in 0..8 "
                 "{ B[o, 2] = X[o] } for q in 0..8 { A[q] = X[q] }"),
            "sink_zero A");
  EXPECT_EQ("", two.code);
  RULE_EQ(
      "SINK-3",
      printed(
          "for i in 0..8 { B[i, 0] = X[i] } zero A for k in 0..8 { B[k, 1] = A[k] } for o in 0..8 { B[o, 2] = X[o] } "
          "zero A for q in 0..8 { A[q] = X[q] }"),
      two.text);
  // Not beyond its launch.
  const Moved launches =
      moved(nest("zero A for i in 0..8 { B[i, 0] = X[i] } launch for k in 0..8 { A[k] += X[k] }"), "sink_zero A");
  RULE_EQ("SINK-2", std::string("SINK-2"), launches.code);
}

TEST(SinkZero, RefusesWhatHasNothingToMove) {
  const auto code = [](const std::string& statements) { return moved(nest(statements), "sink_zero A").code; };
  RULE_EQ("SINK-1", std::string("SINK-1"), code("zero B for i in 0..8 { A[i] += X[i] }"));
  RULE_EQ("SINK-1", std::string("SINK-1"), code("for i in 0..8 { zero A A[i] += X[i] }"));
  RULE_EQ("SINK-2", std::string("SINK-2"), code("zero A for i in 0..8 { A[i] += X[i] }"));
  RULE_EQ("SINK-2", std::string("SINK-2"), code("zero A for i in 0..8 { B[i, i] = X[i] }"));
}

}  // namespace
}  // namespace assay::test
