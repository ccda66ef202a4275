// stage with `shared`: who fills the tile, where its barriers stand, and what it refuses (STG-20 to STG-25).
#include "moves.hpp"

namespace assay::test {
namespace {

// Statements under two thread loops of eight, i and j.
Program threads(const std::string& statements, const std::string& declarations = {}) {
  return nest("for i in 0..8 @workgroup { for j in 0..8 @workgroup { " + statements + " } }", declarations);
}

TEST(SharedStage, ThreadsOfTheTileCopySideBySide) {
  const Moved m =
      moved(threads("for o in 0..2 { for k in 0..4 { B[i, j] += Y[i, 4 * o + k] } }"), "stage Y over=i,k shared -> Ys");
  EXPECT_EQ("", m.code);
  RULE_EQ("STG-20",
          body(threads("for o in 0..2 { if j == 0 { for k.1 in 0..4 { Ys[i, k.1] = Y[i, 4 * o + k.1] } } barrier "
                       "for k in 0..4 { B[i, j] += Ys[i, k] } barrier }",
                       "shared Ys: f32[8, 4]")),
          m.text);
  RULE_TRUE("STG-20", m.after->find_buffer("Ys")->kind == BufferKind::shared);
  RULE_TRUE("STG-21", m.text.find("if j == 0") != std::string::npos) << m.text;
  // Both loops fill: nobody is left out.
  const Moved both = moved(threads("for o in 0..2 { B[i, j] += Y[i + o, j + o] }"), "stage Y over=i,j shared -> Ys");
  EXPECT_EQ("", both.code);
  RULE_TRUE("STG-21", both.text.find("if ") == std::string::npos) << both.text;
}

TEST(SharedStage, BarriersStandAroundTheReads) {
  const Moved once = moved(threads("for k in 0..4 { B[i, j] += X[k] }"), "stage X over=k shared -> Xs");
  EXPECT_EQ("", once.code);
  RULE_EQ("STG-24",
          body(threads("if i == 0 && j == 0 { for k.1 in 0..4 { Xs[k.1] = X[k.1] } } barrier "
                       "for k in 0..4 { B[i, j] += Xs[k] } barrier",
                       "shared Xs: f32[4]")),
          once.text);
  RULE_EQ("STG-22", 2, count(*once.after, StmtKind::barrier));
}

TEST(SharedStage, FillingsShareABarrier) {
  const Program product = threads("for o in 0..2 { for k in 0..4 { B[i, j] += Y[i, 4 * o + k] * Y2[4 * o + k, j] } }",
                                  "input Y2: f32[64, 64]");
  const Program first = *moved(product, "stage Y over=i,k shared -> Ys").after;
  const Moved m = moved(number_statements(first), "stage Y2 over=k,j shared -> Zs");
  EXPECT_EQ("", m.code);
  RULE_EQ("STG-25", 2, count(*m.after, StmtKind::barrier));
  // A tile that is filled from another tile needs that one first.
  const Program chain =
      *moved(threads("for o in 0..2 { for k in 0..4 { B[i, j] += X[k + o] } }"), "stage X over=k shared -> Xs").after;
  const Moved tile_of_tile = moved(number_statements(chain), "stage Xs over=k shared -> Xt");
  RULE_EQ("STG-25", 4, count(*tile_of_tile.after, StmtKind::barrier));
  EXPECT_EQ("", tile_of_tile.code);
}

TEST(SharedStage, APipelineFillsOneIterationAhead) {
  const Program rows = threads("for o in 0..5 { for k in 0..4 { B[i, j] += Y[i, 4 * o + k] } }");
  const Moved m = moved(rows, "stage Y over=i,k shared pipeline=2 -> Ys");
  EXPECT_EQ("", m.code) << m.text;
  RULE_EQ("STG-27",
          body(threads("if j == 0 { for k.2 in 0..4 { Ys[0, i, k.2] = Y[i, k.2] } } for o in 0..5 { barrier if o + 1 < "
                       "5 { if j == 0 "
                       "{ for k.1 in 0..4 { Ys[floormod(o + 1, 2), i, k.1] = Y[i, 4 * o + 4 + k.1] } } } "
                       "for k in 0..4 { B[i, j] += Ys[floormod(o, 2), i, k] } } barrier",
                       "shared Ys: f32[2, 8, 4]")),
          m.text);
  // Any lower bound, and a loop that may be dead.
  EXPECT_EQ("", moved(threads("for o in 1..n { for k in 0..4 { B[i, j] += Y[i, 4 * o + k] } }", "param n in 0..9"),
                      "stage Y over=i,k shared pipeline=2")
                    .code);
  // Two tiles, one barrier in each iteration.
  const Program product = threads("for o in 0..5 { for k in 0..4 { B[i, j] += Y[i, 4 * o + k] * Y2[4 * o + k, j] } }",
                                  "input Y2: f32[64, 64]");
  const Moved first = moved(product, "stage Y over=i,k shared pipeline=2 -> Ys");
  const Moved both = moved(number_statements(*first.after), "stage Y2 over=k,j shared pipeline=2 -> Zs");
  EXPECT_EQ("", both.code) << both.text;
  RULE_EQ("STG-27", 3, count(*both.after, StmtKind::barrier));
  RULE_EQ("STG-28", "STG-28",
          moved(threads("for k in 0..4 { B[i, j] += X[k] }"), "stage X over=k shared pipeline=2").code);
  RULE_EQ("STG-28", "STG-28", moved(threads("B[i, j] += Y[i, j]"), "stage Y over=i,j shared pipeline=2").code);
}

TEST(SharedStage, PaddedRows) {
  const Moved m = moved(threads("for o in 0..2 { for k in 0..9 { B[i, j] += Y[i, 4 * o + k] } }"),
                        "stage Y over=i,k shared pad_stride=4 -> Ys");
  EXPECT_EQ("", m.code);
  RULE_TRUE("STG-26", m.after->find_buffer("Ys")->dims == (std::vector<Index>{Index(8), Index(12)})) << m.text;
}

TEST(SharedStage, Refusals) {
  RULE_EQ("STG-23", "STG-23", moved(threads("for k in 0..4 { B[i, j] += Y[i, k] }"), "stage Y over=k shared").code);
  RULE_EQ("STG-24", "STG-24",
          moved(nest("for i in 0..8 { for k in 0..4 { A[i] += X[k] } }"), "stage X over=k shared").code);
  RULE_EQ(
      "STG-6", "STG-6",
      moved(nest("for g in 0..8 @grid { for t in 0..8 @workgroup { B[g, t] = Y[g, t] } }"), "stage Y over=g,t shared")
          .code);
  RULE_EQ("STG-6", "STG-6", moved(threads("B[i, j] = Y[i, j]"), "stage Y over=i,j").code);
  // Two threads would copy one cell at one time.
  EXPECT_EQ("RACE-2", moved(nest("for o in 0..5 @workgroup { for w in 0..3 { A[o] += X[2 * o + w] } }"),
                            "stage X over=o,w shared")
                          .code);
}

}  // namespace
}  // namespace assay::test
