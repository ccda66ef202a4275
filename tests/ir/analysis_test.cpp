// Launch shapes, spans, limits, the canonical form and the C-like form on programs made for them.
#include <gtest/gtest.h>

#include <set>

#include "ir/analysis/canonical.hpp"
#include "ir/analysis/limits.hpp"
#include "ir/analysis/spans.hpp"
#include "ir/text/c_like.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Extents = std::vector<std::int64_t>;

std::string canonical_text(const std::string& text) { return print(canonical(program(text))); }

const char* const matmul =
    "program matmul { param n in 1..65 input A: f32[n, 32] input B: f32[32, 48] output C: f32[n, 48] temp unused: "
    "i8[2]\n"
    "  zero C for i in 0..n { for j in 0..48 { var s: f32 = 0.0 for k in 0..32 { s = s + A[i, k] * B[k, j] } C[i, j] = "
    "s } } }";

TEST(Canonical, NamesDoNotCount) {
  const std::string one = canonical_text(matmul);
  RULE_EQ(
      "ANA-1", one,
      canonical_text("program other { param m in 1..65 output R: f32[m, 48] temp T: i8[2] input w.3: f32[32, 48] "
                     "input x: f32[m, 32]\n"
                     "  zero R for a in 0..m { for b in 0..48 { var v: f32 = 0.0 for c in 0..32 { v = v + x[a, c] * "
                     "w.3[c, b] } R[a, b] = v } } }"));
  RULE_TRUE("ANA-2", check_well_formed(canonical(program(matmul))).empty());
  RULE_EQ("ANA-2", one, canonical_text(one));
  RULE_TRUE("ANA-2", one.find("param p0 in 1..65\n  output b0: f32[p0, 48]") != std::string::npos) << one;
}

TEST(Canonical, RequirementsAreASet) {
  const auto with = [](const std::string& require) {
    return canonical_text("program p { param n in 1..9 param m in 1..9 " + require +
                          " output Y: f32[n] for i in 0..n { Y[i] = 1.0 } }");
  };
  RULE_EQ("ANA-1", with("require n < m require floormod(n, 2) == 0"),
          with("require floormod(n, 2) == 0 require n < m require n < m"));
  EXPECT_NE(with("require n < m"), with("require m < n"));
}

TEST(Canonical, EverythingElseCounts) {
  const std::string base =
      "program p { param n in 1..9 param m in 1..9 input A: f32[n] input K: i32[4] in 0..8 const c: f32[2] = {1.0, "
      "2.0} "
      "inout Y: f32[9] temp T: f32[9] for i in 0..n { T[i] = A[i] * c[0] } for i in 0..n step 2 @unrolled { if K[0] < "
      "3 { "
      "Y[i] += T[i] } } }";
  const std::vector<std::pair<std::string, std::string>> changes{
      {"param n in 1..9", "param n in 1..8"},
      {"input A: f32[n]", "inout A: f32[n]"},
      {"in 0..8", "in 0..9"},
      {"{1.0, 2.0}", "{1.0, 2.5}"},
      {"Y: f32[9]", "Y: f32[10]"},
      {"temp T", "local T"},
      {"c[0]", "c[1]"},
      {"A[i] * c[0]", "c[0] * A[i]"},
      {"step 2", "step 1"},
      {"@unrolled", "@vectorized"},
      {"K[0] < 3", "K[0] <= 3"},
      {"Y[i] += T[i]", "Y[i] = T[i]"},
      {"for i in 0..n { T", "for i in 0..m { T"},
      {"T[i] = A[i]", "T[i] = A[n - 1 - i]"},
      {"f32[n] input", "f32[m] input"},
  };
  const std::string form = canonical_text(base);
  for (const auto& [from, to] : changes) {
    std::string changed = base;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), from.size(), to);
    RULE_TRUE("ANA-1", canonical_text(changed) != form) << from << " -> " << to;
  }
}

TEST(Launch, SlotsCountFromTheInnermostAndFoldOntoZ) {
  const Program p = program(
      "program p { output Y: f32[5, 4, 3, 2] for a in 0..5 @grid { for b in 0..4 @grid { for c in 0..3 @grid { for d "
      "in "
      "0..2 @grid { Y[a, b, c, d] = 1.0 } } } } }");
  const auto shapes = launch_shapes(p, {}, 1000);
  ASSERT_TRUE(shapes);
  RULE_EQ("ANA-5", (Extents{2, 3, 4, 5}), shapes->at(0).grid);
  const auto xyz = in_three_dimensions(shapes->at(0).grid);
  RULE_TRUE("ANA-5", xyz && (*xyz == std::array<std::int64_t, 3>{2, 3, 20}));
  EXPECT_TRUE(shapes->at(0).workgroup.empty() && shapes->at(0).guarded.empty());
}

TEST(Launch, UnfoldingIsOneToOne) {
  for (const Extents& slots : {Extents{7, 9, 3, 5}, Extents{1, 1, 4}, Extents{2, 2, 4, 1, 3, 2}, Extents{2, 2}}) {
    const auto xyz = in_three_dimensions(slots);
    ASSERT_TRUE(xyz);
    std::set<Extents> seen;
    for (std::int64_t z = 0; z < (*xyz)[2]; ++z) {
      Extents at;
      const auto coordinates = unfold(Index::symbol("z"), slots);
      for (std::size_t q = 2; q < slots.size(); ++q) {
        const auto v = coordinates.at(q - 2).evaluate([&](const Symbol&) { return std::optional(z); });
        ASSERT_TRUE(v && *v >= 0 && *v < slots[q]);
        at.push_back(*v);
      }
      seen.insert(at);
    }
    RULE_EQ("ANA-5", static_cast<std::size_t>((*xyz)[2]), seen.size());
  }
  const auto two = unfold(Index::symbol("z"), {1, 1, 3, 5});
  RULE_EQ("ANA-5", std::string("floormod(z, 3)"), two.at(0).text());
  RULE_EQ("ANA-5", std::string("floordiv(z, 3)"), two.at(1).text());
}

TEST(Launch, ExtentsAreMaximaAndShorterLoopsAreGuarded) {
  const Program p = program(
      "program p { param n in 1..9 output Y: f32[8, 9] output Z: f32[5] shared S: f16[16, n] "
      "for i in 0..8 @grid { for t in 0..i + 1 @workgroup { S[t, 0] = 0.5 Y[i, t] = 1.0 } } "
      "for j in 0..5 @grid { for u in 0..2 @workgroup { if u < 1 { Z[j] = 1.0 } } } launch for k in 0..n { Y[k, 8] = "
      "1.0 } }");
  const auto shapes = launch_shapes(p, {{"n", 3}}, 1000);
  ASSERT_TRUE(shapes && shapes->size() == 2);
  RULE_EQ("ANA-5", (Extents{8}), shapes->at(0).grid);
  RULE_EQ("ANA-5", (Extents{8}), shapes->at(0).workgroup);
  RULE_EQ("ANA-6", (std::vector<Symbol>{"j", "t", "u"}), shapes->at(0).guarded);
  EXPECT_EQ(shapes->at(0).shared_bytes, 16 * 3 * 2);
  EXPECT_TRUE(shapes->at(1).grid.empty() && shapes->at(1).shared_bytes == 0);
  EXPECT_FALSE(launch_shapes(p, {{"n", 3}}, 3));
  // A loop inside one that never runs counts for nothing; its slot has extent 1.
  const Program idle = program(
      "program p { output Y: f32[8] for s in 0..0 { for i in 0..8 @grid { Y[i] = 1.0 } } for i in 0..8 { Y[i] = 1.0 } "
      "}");
  RULE_EQ("ANA-5", (Extents{1}), launch_shapes(idle, {}, 100)->at(0).grid);
}

TEST(Spans, PositionsFollowWhatIsOrdered) {
  const auto spans = access_spans(
      program("program p { input X: f32[4] output Y: f32[4] temp S: f32[4] temp T: f32[4] temp U: f32[4] zero S "
              "for i in 0..4 { S[i] += X[i] } for i in 0..4 { T[i] = S[i] } for i in 0..0 { U[i] = 0.0 } for i in 0..4 "
              "{ Y[i] = T[i] } }"));
  const auto span = [&](const Symbol& s) { return std::make_pair(spans.at(s).first, spans.at(s).last); };
  RULE_EQ("ANA-7", std::make_pair(0, 2), span("S"));
  RULE_EQ("ANA-7", std::make_pair(2, 4), span("T"));
  RULE_EQ("ANA-7", std::make_pair(3, 3), span("U"));
  RULE_TRUE("ANA-7", spans.at("S").overlaps(spans.at("T")) && !spans.at("S").overlaps(spans.at("U")));
  const auto grids = access_spans(program(
      "program p { output Y: f32[4] temp S: f32[4] temp T: f32[4] for i in 0..4 @grid { S[i] = 1.0 } for i in 0..4 "
      "@grid { T[i] = 1.0 } launch for i in 0..4 @grid { Y[i] = S[i] + T[i] } }"));
  RULE_EQ("ANA-7", 0, grids.at("T").first);
  RULE_EQ("ANA-7", 1, grids.at("Y").first);
}

TEST(Limits, ListsAreRead) {
  const auto cuda = parse_limits("cuda,workgroup.z=128");
  ASSERT_TRUE(cuda);
  RULE_EQ("LIM-14", std::int64_t{1024}, *cuda->of(Resource::threads));
  RULE_EQ("LIM-14", std::int64_t{128}, *cuda->of(Resource::workgroup_z));
  RULE_TRUE("LIM-14", !parse_limits("threads=9")->of(Resource::shared));
  for (const char* wrong :
       {"", "cud", "threads", "threads=", "threads=-1", "cuda=3", "threads=9,", "threads=9223372036854775808"}) {
    const auto r = parse_limits(wrong);
    RULE_TRUE("LIM-14", !r && r.error().at(0).code == "LIM-14") << wrong;
  }
}

TEST(Limits, EachResourceIsAskedFor) {
  const LaunchShape shape{{4, 300, 2, 4}, {2, 2, 128}, 100, {}};
  const auto wanted = [&](Resource r) { return *requested(shape, r); };
  EXPECT_EQ(wanted(Resource::threads), 512);
  EXPECT_EQ(wanted(Resource::shared), 100);
  EXPECT_EQ(wanted(Resource::workgroup_z), 128);
  EXPECT_EQ(wanted(Resource::grid_y), 300);
  EXPECT_EQ(wanted(Resource::grid_z), 8);
  EXPECT_FALSE(requested({{}, {std::int64_t{1} << 40, std::int64_t{1} << 40}, 0, {}}, Resource::threads));
}

TEST(CLike, SpellsAProgram) {
  const std::string text = print_c_like(
      program("program p { param n in 1..9 require floormod(n, 2) == 0 input A: f32[n, 4] input ids: i32[n] in 0..4 "
              "inout double: "
              "f64[n] output Y: f16[n] const K: f32[2] = {0.5, -1.0} temp T: f32[4]\n"
              "zero T for i in 0..n step 2 @grid { var s: f32 = fma(A[i, 0], K[0], exp(K[1])) if s > 0.0 && !(ids[i] < "
              "2) { T[i] = "
              "-(s - (s + 1.0)) * (s / 2.0) } else { T[i] = s > 1.0 ? s : max(s, 0.0) } }\n"
              "launch for i in 0..n { double[i] += f64(T[floordiv(i, 2)]) Y[i] = f16(truncdiv(ids[i], 2)) + 1.5 } }"));
  RULE_EQ("ANA-9",
          std::string("// requires floormod(n, 2) == 0\n"
                      "void p(int64_t n /* 1..9 */, const float A[n][4], const int32_t ids[n] /* 0..4 */, double "
                      "double_[n] /* inout */, half Y[n] /* output */) {\n"
                      "  static const float K[2] = {0.5f, -1.0f};\n"
                      "  float T[4] /* temp */;\n"
                      "  zero(T);\n"
                      "  for (int64_t i = 0; i < n; i += 2) /* grid */ {\n"
                      "    float s = fmaf(A[i][0], K[0], expf(K[1]));\n"
                      "    if (s > 0.0f && !(ids[i] < 2)) {\n"
                      "      T[i] = -(s - (s + 1.0f)) * (s / 2.0f);\n"
                      "    } else {\n"
                      "      T[i] = s > 1.0f ? s : max(s, 0.0f);\n"
                      "    }\n"
                      "  }\n"
                      "  // ---- next launch\n"
                      "  for (int64_t i_1 = 0; i_1 < n; ++i_1) {\n"
                      "    double_[i_1] += (double)T[floordiv(i_1, 2)];\n"
                      "    Y[i_1] = (half)(ids[i_1] / 2) + (half)1.5;\n"
                      "  }\n"
                      "}\n"),
          text);
}

}  // namespace
}  // namespace assay::test
