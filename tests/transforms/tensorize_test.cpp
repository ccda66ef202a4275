// tensorize: what it makes, what it refuses (TEN-…), and which later steps a tile product stands in the way of.
#include "moves.hpp"

namespace assay::test {
namespace {

const char* const product = "for i in 0..8 { for j in 0..8 { for k in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } }";
const char* const more = "input Z: f32[64, 64] input H: f16[64, 64]";

Moved made(const std::string& statements, const std::string& schedule_line = "tensorize i j k simd=32 -> lane") {
  return moved(nest(statements, more), schedule_line);
}

TEST(Tensorize, PutsLanesAroundTheNest) {
  const Moved m = made(product);
  RULE_EQ("TEN-5", printed("for lane in 0..32 @tile { " + std::string(product) + " }", more), m.text);
  RULE_EQ("TEN-5", std::string(), m.code);
  const Moved plain = made(product, "tensorize i j k");
  RULE_EQ("TEN-4", printed("for lane in 0..1 @tile { " + std::string(product) + " }", more), plain.text);
  RULE_TRUE("TEN-6", plain.text.find("for lane in") != std::string::npos);
  const Moved again = moved(*m.after, "tensorize i j k");
  RULE_EQ("TEN-6", std::string("SCH-15"), again.code);
}

// T82: of the six ways to name the loops one fits, whatever the order of the nest.
TEST(Tensorize, AsksForTheRoles) {
  int fitting = 0;
  for (const char* order : {"i j k", "i k j", "j i k", "j k i", "k i j", "k j i"}) {
    const Moved m = made(product, std::string("tensorize ") + order);
    fitting += m.code.empty() ? 1 : 0;
    RULE_EQ("TEN-3", std::string(order == std::string("i j k") ? "" : "TEN-3"), m.code);
  }
  RULE_EQ("TEN-3", 1, fitting);
  RULE_EQ("TEN-2", std::string(),
          made("for k in 0..8 { for i in 0..8 { for j in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } }").code);
  const Step wrong = step(nest(product, more), "tensorize j i k");
  RULE_EQ("TEN-3", std::string("write `tensorize i j k`"), wrong.refusal.diagnostic.help);
}

// T91: a block takes its sums, the factors of a column and the vectors of a row.
TEST(Tensorize, KeepsToABudgetOfRegisters) {
  const auto code = [](int rows, int columns, const std::string& keys) {
    const std::string text = "for i in 0.." + std::to_string(rows) + " { for j in 0.." + std::to_string(columns) +
                             " { for k in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } }";
    return made(text, "tensorize i j k " + keys).code;
  };
  // By enumeration: one register for each thing that is there at once.
  for (int m = 1; m <= 6; ++m) {
    for (int v = 1; v <= 5; ++v) {
      int taken = 0;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < v; ++j) ++taken;
      }
      for (int i = 0; i < m; ++i) ++taken;
      for (int j = 0; j < v; ++j) ++taken;
      const std::string tile = "tile=" + std::to_string(m) + "," + std::to_string(4 * v) + ",8 vector=4 registers=";
      RULE_EQ("TEN-23", std::string(), code(6, 20, tile + std::to_string(taken)));
      RULE_EQ("TEN-23", std::string("TEN-23"), code(6, 20, tile + std::to_string(taken - 1)));
    }
  }
  RULE_EQ("TEN-23", std::string(), code(6, 4, "tile=2,4,8 registers=14"));
  RULE_EQ("TEN-23", std::string("TEN-23"), code(6, 4, "tile=2,4,8 registers=13"));
  const Step over = step(nest(product, more), "tensorize i j k tile=2,4,8 registers=13");
  RULE_TRUE("TEN-23",
            over.refusal.diagnostic.message.find("takes 14 registers, and there are 13") != std::string::npos);
  const Step greatest = step(nest("for i in 0..n { for j in 0..n { for k in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } }",
                                  std::string(more) + " param n in 1..60"),
                             "tensorize i j k tile=2147483648,2147483648,1 registers=9");
  RULE_EQ("TEN-23", std::string("TEN-23"), greatest.refusal.diagnostic.code);
  RULE_EQ("TEN-24", std::string("TEN-24"), code(6, 20, "tile=7,4,8 registers=99"));
  RULE_EQ("TEN-24", std::string("TEN-24"), code(6, 20, "tile=4,24,8 registers=19 vector=8"));
  RULE_EQ("TEN-24", std::string("TEN-24"), code(6, 20, "tile=4,10,8 registers=99 vector=4"));
  for (const char* keys : {"registers=9", "tile=2,2,2 vector=2", "tile=2,2,2 registers=0", "vector=2",
                           "tile=2,2,2 registers=9 vector=0", "simd=32 tile=2,2,2 registers=9"})
    RULE_EQ("TEN-25", std::string("TEN-25"), code(6, 20, keys));
}

// T83: transposed operands, commuted factors, fma, widened elements, any lower bound and symbolic extents.
TEST(Tensorize, TakesEveryFormOfTheProduct) {
  for (const char* update :
       {"B[i, j] += Y[k, i] * Z[k, j]", "B[i, j] += Y[i, k] * Z[j, k]", "B[i, j] += Z[k, j] * Y[i, k]",
        "B[i, j] = Y[i, k] * Z[k, j] + B[i, j]", "B[i, j] = fma(Y[i, k], Z[k, j], B[i, j])",
        "B[i, j] += f32(H[i, k]) * f32(H[k, j])", "B[2 + i, j + 1] += Y[i + 1, k] * Y[k, j + 3]"}) {
    const Moved m = made(std::string("for i in 0..8 { for j in 0..8 { for k in 0..8 { ") + update + " } } }");
    RULE_EQ("TEN-2", std::string(), m.code);
  }
  const Moved bounds = moved(nest("for i in 3..n { for j in n..9 { for k in 1..m { B[i, j] += Y[i, k] * Y[k, j] } } }",
                                  "param n in 1..20 param m in 1..9"),
                             "tensorize i j k simd=4");
  RULE_EQ("TEN-2", std::string(), bounds.code);
}

// What lanes that fill a tile left to the first of them is what all of them do together.
TEST(Tensorize, TakesOverFromTheFirstLane) {
  const std::string head = "for o in 0..2 { for l in 0..32 @workgroup { if l == 0 { ";
  const auto among = [&](const std::string& nest_text, const std::string& l) {
    return made(head + nest_text + " } } for w in 0..32 @workgroup { B[o + 8, w] = 0.0 } }", l);
  };
  const Moved m = among(product, "tensorize i j k simd=32");
  RULE_TRUE("TEN-22", m.text.find("for o in 0..2 {\n  for lane in 0..32 @tile {\n    for i in") != std::string::npos)
      << m.text;
  RULE_EQ("TEN-22", "", m.code);
  const Moved under = among("for q in 0..2 { if q < 1 { " + std::string(product) + " } }", "tensorize i j k simd=32");
  RULE_TRUE("TEN-22",
            under.text.find("for q in 0..2 {\n    if q < 1 {\n      for lane in 0..32 @tile") != std::string::npos)
      << under.text;
  RULE_EQ("TEN-22", "", under.code);
  // Another number of lanes, or company: no team has so few threads, and the barrier that it ends in is not reached.
  RULE_EQ("TEN-22", "BAR-1", among(product, "tensorize i j k simd=16").code);
  RULE_EQ("TEN-22", "BAR-1", among(product + std::string(" A[o] = 1.0"), "tensorize i j k simd=32").code);
}

// Pad masks and the guards of splits stay inside (T84): nothing has to be known about the padding.
TEST(Tensorize, KeepsMasks) {
  const Moved m = made(
      "for i in 0..8 { for j in 0..8 { for k in 0..8 { if i < 5 { if k < 7 { B[i, j] += Y[i, k] * Z[k, j] } } } } }");
  RULE_TRUE("TEN-5", m.text.find("if i < 5") != std::string::npos && m.text.find("if k < 7") != std::string::npos)
      << m.text;
  RULE_EQ("TEN-5", std::string(), m.code);
}

// `tile`: blocks, in the order of the nest; a size that does not divide leaves a condition.
TEST(Tensorize, CutsBlocks) {
  const Moved m = made(product, "tensorize i j k simd=4 tile=4,8,3 -> l");
  RULE_EQ("TEN-20", std::string(), m.code);
  RULE_EQ(
      "TEN-20",
      printed(
          "for i_o in 0..2 { for j_o in 0..1 { for k_o in 0..3 { for l in 0..4 @tile { for i_i in 0..4 { for j_i in "
          "0..8 { for k_i in 0..3 { if k_i + 3*k_o < 8 { B[i_i + 4*i_o, j_i + 8*j_o] += Y[i_i + 4*i_o, k_i + "
          "3*k_o] * Z[k_i + 3*k_o, j_i + 8*j_o] } } } } } } } }",
          more),
      m.text);
  const Moved names =
      moved(nest("for i_o in 0..1 { B[i_o, 0] = 0.0 } " + std::string(product), more), "tensorize i j k tile=8,8,8");
  RULE_TRUE("TEN-21", names.text.find("for i_o.1 in 0..1") != std::string::npos) << names.text;
  // Any bounds, any order, and conditions of every depth.
  for (const char* any :
       {"for k in 1..m { for i in 3..n { if i < 7 { for j in 2..9 { if j + k < 12 { B[i, j] += Y[i, k] * Y[k, j] } } } "
        "} }",
        "for i in 0..n { for k in n..0 { for j in 0..m { B[i, j] = fma(Y[k, i], Y[j, k], B[i, j]) } } }"}) {
    for (const char* tile : {"1,1,1", "2,3,4", "64,64,64"}) {
      const Moved made_any =
          moved(nest(any, "param n in 1..20 param m in 1..9"), std::string("tensorize i j k tile=") + tile);
      RULE_EQ("TEN-21", std::string(), made_any.code);
    }
  }
  for (const char* bad : {"tile=8,8", "tile=8,8,8,8", "tile=0,8,8", "tile=8,-1,8", "tile=8,8,4294967296"}) {
    const Step refused = step(nest(product, more), std::string("tensorize i j k ") + bad);
    RULE_TRUE("TEN-20", refused.code == "TEN-20" && refused.error) << bad << refused.code;
  }
}

TEST(Tensorize, RefusesWhatIsNoProductOfTiles) {
  const auto code = [](const std::string& update, const std::string& l = "tensorize i j k") {
    return made("for i in 0..8 { for j in 0..8 { for k in 0..8 { " + update + " } } }", l).code;
  };
  RULE_EQ("TEN-2", std::string("TEN-2"), code("B[i, j] += Y[i, k] * 2.0"));
  RULE_EQ("TEN-2", std::string("TEN-2"), code("B[i, j] += Y[i, k]"));
  RULE_EQ("TEN-2", std::string("TEN-2"), code("B[i, j] += Y[i, k] * Z[k, j] A[i] = 0.0"));
  RULE_EQ("TEN-2", std::string("TEN-2"), code("B[i, j] += Y[i, k] * B[k, j]"));
  RULE_EQ("TEN-2", std::string("TEN-2"), code("if X[i] < 0.0 { B[i, j] += Y[i, k] * Z[k, j] }"));
  RULE_EQ("TEN-2", std::string("TEN-2"), code("B[i, j] += Y[i, k] * Z[k, j]", "tensorize i j i"));
  RULE_EQ("TEN-2", std::string("TEN-2"),
          made("for i in 0..8 { A[i] = 0.0 for j in 0..8 { for k in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } }").code);
  RULE_EQ("TEN-2", std::string("TEN-2"),
          made("for i in 0..8 { for j in 0..8 @unrolled { for k in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } }").code);
  RULE_EQ("TEN-2", std::string("TEN-2"),
          made("for i in 0..8 { for j in 0..8 { for k in 0..i { B[i, j] += Y[i, k] * Z[k, j] } } }").code);
  RULE_EQ("TEN-2", std::string("TEN-2"),
          made("for o in 0..2 { for i in 0..8 { for j in 0..8 { for k in 0..8 { B[i, j] += Y[i, k] * Z[k, j] } } } }",
               "tensorize o j k")
              .code);
  RULE_EQ("TEN-3", std::string("TEN-3"), code("B[i, j] += Y[i, 2*k] * Z[k, j]"));
  RULE_EQ("TEN-3", std::string("TEN-3"), code("B[i + j, j] += Y[i, k] * Z[k, j]"));
  RULE_EQ("TEN-3", std::string("TEN-3"), code("B[i, 0] += Y[i, k] * Z[k, j]"));
  RULE_EQ("TEN-3", std::string("TEN-3"), code("B[i, j] += Y[i, 0] * Z[k, j]"));
  RULE_EQ("TEN-4", std::string("TEN-4"), code("B[i, j] += Y[i, k] * Z[k, j]", "tensorize i j k simd=0"));
  const Program twice = nest(std::string(product) + product, more);
  RULE_EQ("TEN-1", std::string("TEN-1"), moved(twice, "tensorize i* j k").code);
  RULE_EQ("TEN-1", std::string(), moved(twice, "tensorize i.1 j.1 k.1").code);
}

// What stands in a tile product is no longer scheduled, and neither are its lanes.
TEST(Tensorize, LeavesANestThatStays) {
  const Moved tile = made(
      "for o in 0..2 { for i in 0..8 { for j in 0..8 { for k in 0..8 { B[i, j] += Y[i, 8*o + k] * Z[8*o + k, j] } } } "
      "}");
  ASSERT_TRUE(tile.after.has_value());
  for (const char* later :
       {"split i factor=4", "unroll k", "unroll k materialize=true", "retype j axis=vectorized", "partition j at=4"})
    EXPECT_EQ("SCH-15", moved(*tile.after, later).code) << later;
  // A loop around it may be one of threads, if these have blocks of their own (here they have not).
  RULE_EQ("TILE-20", "RACE-2", moved(*tile.after, "retype o axis=workgroup").code);
  for (const char* later :
       {"split o factor=2", "swap i j", "unroll o", "unroll o materialize=true", "partition o at=1"})
    EXPECT_EQ("", moved(*tile.after, later).code) << later;
  for (const char* lanes : {"retype lane axis=serial", "unroll lane", "swap o lane", "privatize B over=lane"})
    RULE_EQ("TILE-1", std::string("TILE-1"), moved(*tile.after, lanes).code);
  // T87: several tile products of one accumulator.
  const Moved once = moved(*tile.after, "privatize B over=o -> acc");
  EXPECT_EQ("", once.code) << once.text;
  EXPECT_NE(std::string::npos, once.text.find("acc[i, j] += Y[i, k + 8*o] * Z[k + 8*o, j]")) << once.text;
}

}  // namespace
}  // namespace assay::test
