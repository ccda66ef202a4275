// stage with `shared`: layouts of the tile and lanes that fill it; `hoisted`: the packed copy (STG-50 …).
#include <fmt/format.h>

#include <map>

#include "moves.hpp"

namespace assay::test {
namespace {

// A tile of `count` columns that moves with o, read by `threads` threads.
Program columns(int count, int threads, const std::string& place = "") {
  return program(fmt::format(
      "program p {{ input A: f32[4, {0}] inout Y: f32[{1}] {2} for o in 0..4 {{ for t in 0..{1} @workgroup {{ for k in "
      "0..{0} {{ Y[t] += A[o, k] }} }} }} }}",
      count, threads, place));
}
// What stands before the first barrier in the loop over o, on one line.
std::string filling(const Moved& m) {
  const std::string head = "for o in 0..4 {";
  const auto from = m.text.find(head), to = m.text.find("barrier", from);
  if (from == std::string::npos || to == std::string::npos) return m.text;
  std::string out;
  for (const char c : m.text.substr(from + head.size(), to - from - head.size())) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
  }
  return out;
}

TEST(StageLanes, LanesTakeTheIterationsOfTheInnermostLoop) {
  const auto lanes = [](int count) {
    const Moved m = moved(columns(count, 32), "stage A over=k shared cooperative=32 -> As");
    EXPECT_EQ("", m.code) << count;
    return filling(m);
  };
  const std::string head = "for lane in 0..32 @workgroup { ";
  RULE_EQ("STG-51", head + "As[lane] = A[o, lane] } ", lanes(32));
  RULE_EQ("STG-51", head + "if lane < 8 { As[lane] = A[o, lane] } } ", lanes(8));
  RULE_EQ("STG-51", head + "for k.1 in 0..3 { As[32*k.1 + lane] = A[o, 32*k.1 + lane] } } ", lanes(96));
  RULE_EQ("STG-51", head + "for k.1 in 0..2 { if 32*k.1 + lane < 40 { As[32*k.1 + lane] = A[o, 32*k.1 + lane] } } } ",
          lanes(40));
}

TEST(StageLanes, LanesAreThreadsOfTheInnermostSlot) {
  // The outer threads become slot 1: what stands under no other loop is left to the first lane.
  const std::string around = "for r in 0..4 @workgroup { for o in 0..2 { ";
  const std::string head = "program p { input X: f32[16] inout Y: f32[4, 8] ";
  const std::string sum = "for k in 0..8 { Y[r, t] += X[8*o + k] } } } } }";
  RULE_EQ(
      "STG-54", std::string(),
      moved(program(head + around + "for t in 0..8 @workgroup { " + sum), "stage X over=k shared cooperative=8").code);
  const Moved led = moved(program(head + around + "for t in 0..8 { " + sum), "stage X over=k shared cooperative=8");
  RULE_EQ("STG-54", std::string(), led.code);
  RULE_TRUE("STG-54", led.text.find("for lane.1 in 0..8 @workgroup {\n      if lane.1 == 0 {\n        for t in "
                                    "0..8 {") != std::string::npos)
      << led.text;
  // A sum that every lane keeps for itself, and one store of it; a nest before the tile; another launch.
  const Moved kept =
      moved(program(head + "for q in 0..4 { Y[q, 0] = 0.0 } for o in 0..2 { var s: f32 = 0.0 for k in 0..8 { s = "
                           "s + X[8*o + k] } Y[0, o] = s } launch Y[1, 1] = 2.0 }"),
            "stage X over=k shared cooperative=8");
  RULE_EQ("STG-54", std::string(), kept.code);
  for (const char* part : {"if lane.1 == 0 {\n    for q in 0..4 {", "if lane.2 == 0 {\n      Y[0, o] = s",
                           "var s: f32 = 0.0\n  for k in 0..8 {\n    s = s + X_t[k]", "launch\nY[1, 1] = 2.0"})
    RULE_TRUE("STG-54", kept.text.find(part) != std::string::npos) << part << "\n" << kept.text;
  const Moved m = moved(columns(8, 8), "stage A over=k shared cooperative=0");
  RULE_TRUE("STG-52", m.code == "STG-52" && m.error);
  RULE_EQ(
      "STG-53", std::string("STG-53"),
      moved(
          program("program p { input X: f32[9, 8] inout Y: f32[8] for o in 0..3 { for t in 0..8 @workgroup { for k in "
                  "0..3 { Y[t] += X[3*o + k, t] } } } }"),
          "stage X over=k,t shared cooperative=8")
          .code);
}

TEST(StageLanes, RowsThatASwizzleFits) {
  // Whether rows of so many cells of a type take a swizzle (T69); the tile has 4 rows.
  const auto code = [](const char* type, int cells, const std::string& keys) {
    const Program p =
        program(fmt::format("program p {{ input A: {0}[4, {1}] inout Y: {0}[4, 4] for r in 0..4 @workgroup {{ for t in "
                            "0..4 @workgroup {{ for o in "
                            "0..2 {{ for k in 0..{2} {{ Y[r, t] += A[r, {2}*o + k] }} }} }} }} }}",
                            type, 2 * cells, cells));
    const Moved m = moved(p, "stage A over=r,k shared " + keys);
    if (m.after) {
      const Buffer* tile = m.after->find_buffer("A_t");
      EXPECT_TRUE(tile && tile->swizzle != Swizzle::none);
    }
    return m.code;
  };
  const std::string bad = "STG-50";
  const std::map<int, std::string> elements{{1, bad}, {3, bad}, {8, ""}, {12, bad}, {16, ""}};
  for (const auto& [cells, expected] : elements) {
    RULE_EQ("STG-50", expected, code("f32", cells, "swizzle=elem"));
  }
  const std::map<int, std::string> units{{3, bad}, {4, bad}, {8, ""}, {12, bad}};
  for (const auto& [cells, expected] : units) {
    RULE_EQ("STG-50", expected, code("f32", cells, "swizzle=b128"));
  }
  RULE_EQ("STG-50", bad, code("f16", 24, "swizzle=b128"));
  RULE_EQ("STG-50", std::string(), code("f16", 16, "swizzle=b128"));
  RULE_EQ("STG-50", std::string(), code("f16", 24, "swizzle=b128 pad_stride=32"));
  RULE_EQ("STG-50", std::string(), code("f32", 12, "swizzle=b128 pad_stride=16 pipeline=2"));
}

TEST(StageHoisted, PacksTilesOneBehindTheOther) {
  const Moved m =
      moved(program("program p { input A: f32[20, 28] output Y: f32[20] for io in 0..3 { for ii in 0..8 { if 8*io + ii "
                    "< 20 { Y[8*io + ii] = 0.0 for ko in 0..4 { for kp in 0..8 { if 8*ko + kp < 28 { Y[8*io + ii] += "
                    "A[8*io + ii, 8*ko + kp] } } } } } } }"),
            "stage A over=ii,kp hoisted -> Q");
  EXPECT_EQ("", m.code);
  ASSERT_TRUE(m.after);
  const Buffer& q = *m.after->find_buffer("Q");
  RULE_TRUE("STG-55", q.kind == BufferKind::temp && q.dims == (std::vector<Index>{3, 4, 8, 8})) << print(*m.after);
  RULE_TRUE("STG-55",
            m.text.find("Q[io, ko, ii, kp]") != std::string::npos &&
                m.text.find("{\n          Q[io.1, ko.1, ii.1, kp.1] = A[ii.1 + 8*io.1, 8*ko.1 + kp.1]\n        } "
                            "else {\n          Q[io.1, ko.1, ii.1, kp.1] = 0.0\n") != std::string::npos)
      << m.text;
}

TEST(StageHoisted, HasALaunchOfItsOwnBesideThreadsAndGroups) {
  const auto made = [](const std::string& axis, const std::string& over) {
    return moved(program("program p { input A: f32[8, 8] output Y: f32[8] for t in 0..8 " + axis +
                         " { Y[t] = 0.0 for o in 0..2 { for k in 0..4 { Y[t] += A[4*o + k, t] } } } }"),
                 "stage A over=" + over + " hoisted -> Q");
  };
  for (const char* axis : {"@grid", "@workgroup", "@vectorized"}) {
    for (const char* over : {"k", "t,k"}) {
      const Moved m = made(axis, over);
      RULE_EQ("STG-58", std::string(), m.code);
      const bool launch = m.text.find("launch") != std::string::npos;
      RULE_TRUE("STG-55", launch == (std::string(axis) != "@vectorized")) << m.text;
    }
  }
}

TEST(StageHoisted, RefusesWhatDoesNotFallIntoTiles) {
  const auto code = [](const std::string& declarations, const std::string& index) {
    return moved(program("program p { " + declarations +
                         " output Y: f32[2] for o in 0..2 { Y[o] = 0.0 for k in 0..4 { Y[o] += A[" + index + "] } } }"),
                 "stage A over=k hoisted")
        .code;
  };
  EXPECT_EQ("", code("input A: f32[12]", "4*o + k + 4"));
  RULE_EQ("STG-56", std::string("STG-56"), code("inout A: f32[12]", "4*o + k"));
  for (const char* index : {"4*o + k + 1", "6*o + k", "2*k + o", "3 - k", "8 - 4*o + k - 8"})
    RULE_EQ("STG-57", std::string("STG-57"), code("input A: f32[20]", index));
}

}  // namespace
}  // namespace assay::test
