// fuse_epilogue: where the tail goes, what is refused (FUS-…), and what only the obligations tell.
#include "moves.hpp"

namespace assay::test {
namespace {

const char* const more = "inout D: f32[4, 6] inout R: f32[4, 6] input c: f32[6] input F: f32[6, 6]";
const char* const sum = "for i in 0..4 { for j in 0..6 { for k in 0..5 { D[i, j] += Y[i, k] * Y[k, j] } } } ";
const char* const tail = "for a in 0..4 { for b in 0..6 { R[a, b] = max(D[a, b] + c[b], 0.0) } }";

Moved made(const std::string& statements, const std::string& schedule_line = "fuse_epilogue D") {
  return moved(nest(statements, more), schedule_line);
}
std::string expected(const std::string& statements) { return printed(statements, more); }

// T92: both orders of the reduction.
TEST(FuseEpilogue, GoesBehindTheSummedLoop) {
  const Moved cell = made(std::string(sum) + tail);
  RULE_EQ(
      "FUS-5",
      expected("for i in 0..4 { for j in 0..6 { for k in 0..5 { D[i, j] += Y[i, k] * Y[k, j] } R[i, j] = max(D[i, j] + "
               "c[j], 0.0) } }"),
      cell.text);
  EXPECT_EQ("", cell.code);
  const Moved row =
      made("for i in 0..4 { for k in 0..5 { for j in 0..6 { D[i, j] += Y[i, k] * Y[k, j] } } } " + std::string(tail));
  RULE_EQ("FUS-6",
          expected(
              "for i in 0..4 { for k in 0..5 { for j in 0..6 { D[i, j] += Y[i, k] * Y[k, j] } } for j.1 in 0..6 { R[i, "
              "j.1] = max(D[i, j.1] + c[j.1], 0.0) } }"),
          row.text);
  EXPECT_EQ("", row.code);
}

// A tile product ends as a whole; so does a blocked one, whose blocks the tail follows.
TEST(FuseEpilogue, GoesBehindATileProduct) {
  const Moved whole = made("for t in 0..4 @tile { " + std::string(sum) + " } " + tail);
  RULE_TRUE("FUS-5", whole.text.find("for i.1 in 0..4") != std::string::npos) << whole.text;
  EXPECT_EQ("", whole.code);
  const Moved blocks = made(
      "for o in 0..2 { for p in 0..3 { for t in 0..4 @tile { for i in 0..2 { for j in 0..2 { for k in 0..5 { "
      "D[2*o + i, 2*p + j] += Y[2*o + i, k] * Y[k, 2*p + j] } } } } } } " +
      std::string(tail));
  RULE_TRUE("FUS-6", blocks.text.find("R[i.1 + 2*o, j.1 + 2*p] = max(D[i.1 + 2*o, j.1 + 2*p] + c[j.1 + 2*p], 0.0)") !=
                         std::string::npos)
      << blocks.text;
  EXPECT_EQ("", blocks.code);
}

// Where the lanes of the product are threads the first one runs the tail; the end of the product orders it.
TEST(FuseEpilogue, FirstLanesRunTheTail) {
  const std::string threads =
      "for w in 0..2 @workgroup { for l in 0..4 @workgroup { R[2*w, l] = 0.0 } for t in 0..4 @tile { for i in 0..2 { "
      "for j "
      "in 0..6 { for k in 0..5 { D[2*w + i, j] += Y[2*w + i, k] * Y[k, j] } } } } } launch ";
  const Moved m = made(threads + tail);
  RULE_EQ("FUS-20", "", m.code);
  for (const char* part :
       {"for t.1 in 0..4 @workgroup {", "if t.1 == 0 {", "R[i.1 + 2*w, j.1] = max(D[i.1 + 2*w, j.1] + c[j.1], 0.0)"})
    RULE_TRUE("FUS-20", m.text.find(part) != std::string::npos) << part << m.text;
  // A single lane is the thread itself; and without threads the lanes are none.
  const auto with_lanes = [&](std::string text, const std::string& lanes) {
    text.replace(text.find("0..4 @tile"), 4, lanes);
    return made(text + tail);
  };
  const std::string alone =
      "for w in 0..2 @workgroup { for t in 0..4 @tile { for i in 0..2 { for j in 0..6 { for k in 0..5 { D[2*w + i, j] "
      "+= Y[2*w + i, k] * Y[k, j] } } } } } launch ";
  const Moved one = with_lanes(alone, "0..1");
  RULE_EQ("FUS-20", std::string::npos, one.text.find("t.1"));
  RULE_EQ("FUS-20", "", one.code);
  RULE_EQ("FUS-20", "", with_lanes(alone, "0..3").code);
  // Another nest of the launch has more threads: those are no lanes.
  RULE_EQ("FUS-20", std::string("BAR-1"), with_lanes(threads, "0..3").code);
}

// T97: a masked store-back, whose mask the tail is under too.
TEST(FuseEpilogue, KeepsTheMaskOfTheStore) {
  const Moved m = moved(
      nest("for o in 0..3 { for i in 0..8 { if 8*o + i < 19 { A[8*o + i] = X[8*o + i] } } } for a in 0..19 { B[a, 0] = "
           "A[a] + 1.0 }"),
      "fuse_epilogue A");
  RULE_EQ(
      "FUS-5",
      printed("for o in 0..3 { for i in 0..8 { if 8*o + i < 19 { A[8*o + i] = X[8*o + i] B[8*o + i, 0] = A[8*o + i] + "
              "1.0 } } }"),
      m.text);
  EXPECT_EQ("", m.code);
}

// A condition that does not hold wherever the tail runs is one to wait for.
TEST(FuseEpilogue, WaitsForConditions) {
  const Moved m = moved(nest("for i in 0..9 { A[i] = X[i] if i < 4 { A[i] *= 2.0 } } for a in 0..9 { B[a, 0] = A[a] }"),
                        "fuse_epilogue A");
  RULE_EQ("FUS-5", printed("for i in 0..9 { A[i] = X[i] if i < 4 { A[i] *= 2.0 } B[i, 0] = A[i] }"), m.text);
  EXPECT_EQ("", m.code);
  const Moved implied =
      moved(nest("for i in 0..9 { A[i] = X[i] if i < 4 { A[i] *= 2.0 } } for a in 0..3 { B[a, 0] = A[a] }"),
            "fuse_epilogue A");
  RULE_EQ("FUS-5", printed("for i in 0..9 { A[i] = X[i] if i < 4 { A[i] *= 2.0 if i < 3 { B[i, 0] = A[i] } } }"),
          implied.text);
  EXPECT_EQ("", implied.code);
}

// Cells that the tail does not have get no execution; the tail may begin elsewhere, be shifted, transposed, of fewer loops.
TEST(FuseEpilogue, SolvesForTheLoopsOfTheTail) {
  const Moved part = made(std::string(sum) + "for a in 1..4 { for b in 0..5 step 2 { R[a, b] = D[a, b] } }");
  RULE_TRUE("FUS-7", part.text.find("if 1 <= i && j < 5 && floormod(j, 2) == 0") != std::string::npos ||
                         part.text.find("floormod(j, 2) == 0") != std::string::npos)
      << part.text;
  EXPECT_EQ("", part.code);
  const Moved shifted = made(std::string(sum) + "for a in 0..3 { for b in 0..6 { R[a, b] = D[a + 1, b] } }");
  RULE_TRUE("FUS-4", shifted.text.find("R[i - 1, j] = D[i, j]") != std::string::npos) << shifted.text;
  EXPECT_EQ("", shifted.code);
  const Moved transposed = made(std::string(sum) + "for b in 0..6 { for a in 0..4 { B[b, a] = D[a, b] } }");
  RULE_TRUE("FUS-4", transposed.text.find("B[j, i] = D[i, j]") != std::string::npos) << transposed.text;
  EXPECT_EQ("", transposed.code);
  // A row at a time: the sum over b needs all of row a.
  const Moved rows = made(std::string(sum) + "for a in 0..4 { A[a] = 0.0 for b in 0..6 { A[a] += D[a, b] } }");
  RULE_TRUE("FUS-5", rows.text.find("A[i] = 0.0\n  for b in 0..6 {\n    A[i] += D[i, b]") != std::string::npos)
      << rows.text;
  EXPECT_EQ("", rows.code);
  // A loop of the tail that the read does not give stays a loop.
  const Moved copies =
      made(std::string(sum) + "for z in 0..3 { for a in 0..4 { for b in 0..6 { B[6*z + b, a] = D[a, b] } } }");
  RULE_TRUE("FUS-7", copies.text.find("for z in 0..3 {\n      B[j + 6*z, i] = D[i, j]") != std::string::npos)
      << copies.text;
  EXPECT_EQ("", copies.code);
}

// What stays behind and what comes in between does not matter, so long as nobody needs it.
TEST(FuseEpilogue, PassesOtherStatements) {
  EXPECT_EQ("", made(std::string(sum) + "A[63] = 1.0 " + tail + " A[62] = D[1, 1]").code);
  EXPECT_EQ("", made("zero D " + std::string(sum) + tail).code);
  EXPECT_EQ("", made("for i in 0..4 { for j in 0..6 { D[i, j] = 0.0 for k in 0..5 { D[i, j] += Y[i, k] } } } " +
                     std::string(tail))
                    .code);
  EXPECT_EQ("", made("for i in 0..4 @grid { for j in 0..6 { for k in 0..5 { D[i, j] += Y[i, k] } } } launch " +
                     std::string(tail))
                    .code);
  // A value in a variable, stored once.
  EXPECT_EQ("",
            made("for i in 0..4 { for j in 0..6 { var s: f32 = 0.0 for k in 0..5 { s = s + Y[i, k] } D[i, j] = s } } " +
                 std::string(tail))
                .code);
  // A condition that reads data is not one for the tail.
  const Moved data =
      made("for i in 0..4 { for j in 0..6 { for k in 0..5 { if X[k] < 1.0 { D[i, j] += Y[i, k] } } } } " +
           std::string(tail));
  EXPECT_EQ("", data.code) << data.text;
  const Moved whole =
      made("for i in 0..4 { for j in 0..6 { if X[i] < 1.0 { D[i, j] = Y[i, j] } } } " + std::string(tail));
  RULE_TRUE("FUS-5", whole.text.find("    R[i, j] = max") != std::string::npos) << whole.text;
  EXPECT_EQ("", whole.code);
}

TEST(FuseEpilogue, Refuses) {
  const auto code = [](const std::string& statements, const std::string& l = "fuse_epilogue D") {
    return made(statements, l).code;
  };
  RULE_EQ("FUS-1", std::string("FUS-1"), code("A[0] = D[0, 0]"));
  RULE_EQ("FUS-1", std::string("FUS-1"), code(std::string(sum) + "zero D " + tail));
  RULE_EQ("FUS-1", std::string("FUS-1"), code("for i in 0..4 { D[flag[i], 0] = 1.0 } " + std::string(tail)));
  RULE_EQ("FUS-2", std::string("FUS-2"), code(sum));
  RULE_EQ("FUS-2", std::string("FUS-2"), code(std::string(tail) + sum));
  RULE_EQ("FUS-2", std::string("FUS-2"), code(std::string(sum) + "A[0] = D[0, 0]"));
  RULE_EQ("FUS-3", std::string("FUS-3"),
          code(std::string(sum) + "for a in 0..4 { if a < 2 { A[a] = D[a, 0] } else { A[a] = 1.0 } }"));
  RULE_EQ("FUS-3", std::string("FUS-3"), code(std::string(sum) + "for a in 0..4 { if D[a, 0] < 1.0 { } }"));
  RULE_EQ("FUS-4", std::string("FUS-4"), code(std::string(sum) + "for a in 0..4 { A[a] = D[0, 0] }"));
  RULE_EQ("FUS-4", std::string("FUS-4"), code(std::string(sum) + "for a in 0..4 { A[a] = D[3 - a, 0] }"));
  RULE_EQ("FUS-4", std::string("FUS-4"), code(std::string(sum) + "for a in 0..4 { A[a] = D[flag[a], flag[a]] }"));
  RULE_EQ("FUS-6", std::string("FUS-6"),
          code("for k in 0..4 { for i in 0..k { D[i, 0] += Y[i, k] } } for a in 0..4 { A[a] = D[a, 0] }"));
  RULE_EQ("FUS-8", std::string("FUS-8"), code(std::string(sum) + tail, "fuse_epilogue D shared"));  // observed
  const Step named = step(nest(std::string(sum) + tail, more), "fuse_epilogue D -> Ds");
  RULE_TRUE("FUS-8", named.error && named.code == "FUS-8");
}

// One thread of a loop stores, as where a tile is written back: the tail goes to that thread.
TEST(FuseEpilogue, GoesToTheThreadThatStores) {
  const std::string back =
      "for l in 0..4 @workgroup { if l == 0 { for i in 0..4 { for j in 0..6 { D[i, j] = Y[i, j] } } } } ";
  const Moved plain = made(back + "launch " + tail);
  RULE_EQ("FUS-21",
          expected("for l in 0..4 @workgroup { if l == 0 { for i in 0..4 { for j in 0..6 { D[i, j] = Y[i, j] R[i, j] = "
                   "max(D[i, j] + c[j], 0.0) } } } } launch"),
          plain.text);
  RULE_EQ("FUS-21", "", plain.code);
  // The tail's own lanes are no longer needed.
  const Moved led = made(back + "barrier for t in 0..4 @workgroup { if t == 3 { " + tail + " } }");
  RULE_EQ("FUS-22",
          expected("for l in 0..4 @workgroup { if l == 0 { for i in 0..4 { for j in 0..6 { D[i, j] = Y[i, j] R[i, j] = "
                   "max(D[i, j] + c[j], 0.0) } } } } barrier"),
          led.text);
  RULE_EQ("FUS-22", "", led.code);
  // Not one thread: all that pass the condition.
  const Moved several = made("for l in 0..4 @workgroup { if l < 2 { for i in 0..4 { D[i, l] = Y[i, l] } } } launch " +
                             std::string("for a in 0..4 { for b in 0..2 { R[a, b] = D[a, b] } }"));
  RULE_EQ("FUS-21", "", several.code);
}

TEST(FuseEpilogue, MovesTheTargetToTheGroup) {
  const auto of = [](const std::string& statements, const std::string& l = "fuse_epilogue T shared -> S") {
    return moved(program("program p { input Y: f32[8, 8] temp T: f32[8, 8] output R: f32[8, 8] inout Q: f32[8] " +
                         statements + " }"),
                 l);
  };
  const std::string rows = "for g in 0..8 @grid { for w in 0..8 @workgroup { T[g, w] = Y[g, w] } } launch ";
  const std::string columns = "for a in 0..8 { for b in 0..8 { R[a, b] = T[a, b] + 1.0 } }";
  const Moved m = of(rows + columns);
  RULE_EQ("FUS-8", "", m.code);
  ASSERT_TRUE(m.after);
  const Buffer* cells = m.after->find_buffer("S");
  RULE_TRUE("FUS-8", cells && cells->kind == BufferKind::shared && cells->dims == (std::vector<Index>{8, 8}));
  RULE_TRUE("FUS-8", !m.after->find_buffer("T") && m.text.find("R[g, w] = S[g, w] + 1.0") != std::string::npos);
  RULE_TRUE("FUS-8", of(rows + columns, "fuse_epilogue T shared").text.find("T_s[g, w]") != std::string::npos);
  RULE_EQ("FUS-9", "FUS-9", of("for g in 0..8 @grid { for w in 0..8 { T[g, w] = Y[g, w] } } launch " + columns).code);
  // Another launch needs the cells, or another group does.
  EXPECT_NE("", of(rows + columns + " launch Q[0] = T[3, 3]").code);
  EXPECT_NE("", of("for i in 0..8 @grid { for w in 0..8 @workgroup { T[i, w] = Y[i, w] } } launch for g in 0..8 @grid "
                   "{ for w in 0..8 @workgroup { T[7 - g, w] = T[7 - g, w] + 1.0 } } launch " +
                   columns)
                    .code);
}

// What the operation does not look at.
TEST(FuseEpilogue, LeavesTheRestToProof) {
  const auto code = [](const std::string& statements) { return made(statements).code; };
  // T95 (G4): only the diagonal is stored last here, and the tail reads every cell.
  EXPECT_EQ("DOM-1", code("for s in 0..4 { D[s, s] += Y[s, s] } " + std::string(tail)));
  // T96 (G5): the tail reads its own output, of a cell that it now stores before.
  EXPECT_EQ("DEP-3", code("for i in 0..2 { for o in 0..2 { for j in 0..6 { D[i + 2*o, j] = Y[i, j] } } } for a in 0..3 "
                          "{ for b in 0..6 { "
                          "R[a, b] = R[a + 1, b] + D[a, b] } }"));
  // B14: cells that are stored several times, each time followed by the tail.
  EXPECT_EQ("DOM-1",
            code("for q in 0..2 { for i in 0..3 { for j in 0..6 { D[i + q, j] += Y[i, j] } } } " + std::string(tail)));
  // An operand of the tail that the producer stores.
  EXPECT_NE("", code("for i in 0..4 { for j in 0..6 { D[i, j] = Y[i, j] A[j] = Y[i, j] } } for a in 0..4 { for b in "
                     "0..6 { R[a, b] = D[a, "
                     "b] + A[b] } }"));
  // Something in between that the tail needs.
  EXPECT_NE("", code(std::string(sum) + "A[0] = 5.0 for a in 0..4 { for b in 0..6 { R[a, b] = D[a, b] + A[0] } }"));
}

}  // namespace
}  // namespace assay::test
