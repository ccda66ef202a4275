// Sample sizes, costs and inputs of cases.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/compare.hpp"
#include "oracle/sizes.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using test::material;

std::set<std::int64_t> values_of(const std::vector<ParameterMap>& sizes, const Symbol& name) {
  std::set<std::int64_t> out;
  for (const ParameterMap& s : sizes) out.insert(s.at(name));
  return out;
}

TEST(Sizes, EndsNeighboursAndFactors) {
  const auto m = material(test::tiled_copy);
  SizeTargets targets;
  add_size_targets(m.program(), m.schedule().lines[1], targets);
  const auto sizes = sample_sizes(m.program(), targets, std::nullopt);
  const std::set<std::int64_t> n = values_of(sizes, "n");
  for (const std::int64_t v : {1, 2, 3, 4, 5, 7, 8, 9, 38, 39}) RULE_TRUE("CHK-1", n.count(v) == 1) << v;
  RULE_TRUE("CHK-1", std::is_sorted(sizes.begin(), sizes.end(), [&](const auto& a, const auto& b) {
              return estimated_work(m.program(), a) < estimated_work(m.program(), b);
            }));
}

TEST(Sizes, TheLoopsExtentIsWhatCounts) {
  // The extent is n + 3: extents 3, 4, 5 are reached at n = 0, 1, 2; the factor is 4.
  const auto m = material(
      "program p { param n in 0..100 output B: f32[n + 3] for i in 0..n + 3 { B[i] = 1.0 } }\nschedule s { split i "
      "factor=4 }\n");
  SizeTargets targets;
  add_size_targets(m.program(), m.schedule().lines[0], targets);
  const std::set<std::int64_t> n = values_of(sample_sizes(m.program(), targets, std::nullopt), "n");
  for (const std::int64_t v : {0, 1, 2, 4, 5, 6, 99}) RULE_TRUE("CHK-1", n.count(v) == 1) << v;
}

TEST(Sizes, OnlyAdmissibleOnes) {
  const auto m = material(
      "program p { param n in 1..65 param m in 1..9 require floormod(n, 4) == 0 require m <= n output B: f32[n] for i "
      "in 0..n { B[i] = 1.0 } }");
  const auto sizes = sample_sizes(m.program(), {}, std::nullopt);
  RULE_TRUE("CHK-1", !sizes.empty());
  for (const ParameterMap& s : sizes) RULE_TRUE("CHK-1", interp::admissible(m.program(), s)) << text(s);
  const std::set<std::int64_t> n = values_of(sizes, "n");
  RULE_TRUE("CHK-1", n.count(4) == 1 && n.count(64) == 1);
}

TEST(Sizes, FullSizeIsTheLargestThatIsReasonable) {
  const auto m = material(
      "program p { param n in 1..2000 output B: f32[n, n] for i in 0..n { for j in 0..n { B[i, j] = 1.0 } } }");
  EXPECT_EQ(full_size(m.program(), 1e9, 1 << 30)->at("n"), 1999);
  const auto less = full_size(m.program(), 1e9, 1 << 20);
  ASSERT_TRUE(less.has_value());
  EXPECT_LE(*footprint(m.program(), *less), 1 << 20);
  EXPECT_GE(less->at("n"), 250);
  EXPECT_FALSE(full_size(m.program(), 0.5, 1 << 30).has_value());
}

TEST(Costs, EstimateFollowsTheInterpreter) {
  const auto m = material(
      "program p { param n in 1..60 inout B: f32[n, n] for i in 0..n { for j in 0..i + 1 { B[i, j] = B[i, j] * 2.0 } } "
      "}");
  for (const std::int64_t n : {5, 20, 50}) {
    const ParameterMap size{{"n", n}};
    interp::Options options;
    options.parameters = size;
    const auto outcome = interp::run(m.program(), make_inputs(m.program(), size, {}), options);
    ASSERT_EQ(outcome.status, interp::Status::ok);
    const double ratio = estimated_work(m.program(), size) / static_cast<double>(outcome.operations);
    EXPECT_GT(ratio, 0.5) << n;
    EXPECT_LT(ratio, 2.0) << n;
  }
}

TEST(Costs, HugeShapesHaveNoFootprint) {
  const auto m = material("program p { param n in 1..4000000000 input A: f64[n, n, n] output B: f32[1] B[0] = 1.0 }");
  EXPECT_FALSE(footprint(m.program(), {{"n", 3999999999}}).has_value());
  EXPECT_EQ(*footprint(m.program(), {{"n", 2}}), 8 * 8 + 4);
}

TEST(Inputs, ZeroObeysRangesAndEnumerationReachesEveryValue) {
  const auto m = material("program p { input a: i32[3] in 5..9 input b: i8[1] output C: i32[1] C[0] = a[0] }");
  const TensorMap zero = make_inputs(m.program(), {}, {});
  RULE_EQ("PROVE-3", std::int64_t{5}, signed_value(zero.at("a").get(2)));
  const auto n = count_inputs(m.program(), {}, 65536);
  ASSERT_TRUE(n.has_value());
  RULE_EQ("PROVE-3", std::uint64_t{4 * 4 * 4 * 256}, *n);
  std::set<std::vector<unsigned char>> seen;
  for (std::uint64_t i = 0; i < *n; ++i) {
    TensorMap t = make_inputs(m.program(), {}, {InputChoice::Kind::enumerated, i});
    std::vector<unsigned char> key = t.at("a").bytes;
    key.push_back(t.at("b").bytes[0]);
    seen.insert(key);
    const std::int64_t v = signed_value(t.at("a").get(1));
    ASSERT_TRUE(v >= 5 && v < 9);
  }
  RULE_EQ("PROVE-3", static_cast<std::size_t>(*n), seen.size());
  const auto wide = material("program p { input a: f32[1] output C: f32[1] C[0] = a[0] }");
  RULE_TRUE("PROVE-3", !count_inputs(wide.program(), {}, 65536).has_value());
}

TEST(Comparing, NanIsOneValueAndZerosHaveSigns) {
  interp::Outcome a, b;
  Tensor x(Type::f32, {4}), y(Type::f32, {4});
  const std::uint32_t left[] = {0x7fc00000U, 0x80000000U, 0x3f800000U, 0x3f800000U};
  const std::uint32_t right[] = {0xffc00001U, 0x00000000U, 0x3f800000U, 0x3f800001U};
  for (int i = 0; i < 4; ++i) {
    x.set(i, {Type::f32, left[i]});
    y.set(i, {Type::f32, right[i]});
  }
  a.outputs["B"] = x;
  b.outputs["B"] = y;
  CellComparison c = compare_cells(a, b);
  RULE_EQ("CHK-3", std::int64_t{2}, c.differing);
  ASSERT_TRUE(c.first.has_value());
  RULE_EQ("CHK-3", std::vector<std::int64_t>{1}, c.first->cell);
  b.tainted["B"] = {false, true, false, false};
  c = compare_cells(a, b);
  RULE_EQ("CHK-3", std::int64_t{1}, c.differing);
  RULE_EQ("CHK-3", std::int64_t{3}, c.compared);
  RULE_EQ("CHK-3", std::int64_t{1}, c.excluded);
}

}  // namespace
}  // namespace assay::oracle
