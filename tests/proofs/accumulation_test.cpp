// Schema A: accumulation through partial results. What makes it right, and that each of these is needed.
#include <gtest/gtest.h>

#include "claimed_pairs.hpp"
#include "proofs/obligation/operators.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Status = Obligation::Status;

// for i in 0..3 { for k in 0..10 { y[i] ⊕ A[i, k] } }, in two blocks of five. Statements: 0 i, 1 k, 2 the accumulation.
struct Text {
  std::string type = "f32", before = "y[i] = y[i] + A[i, k]", start = "P[b, i] = -0.0",
              part = "P[b, i] = P[b, i] + A[i, 5 * b + q]", sum = "P[0, c] + P[1, c]", last = "y[c] = y[c] + s",
              between = "", behind = "";
  std::string head() const { return "input A: " + type + "[3, 10] inout y: " + type + "[3] inout z: " + type + "[3] "; }
  Judged judged() const {
    const std::string old = head() + "for i in 0..3 { for k in 0..10 { " + before + " } } " + between;
    const std::string now = head() + "temp P: " + type + "[2, 3] for i in 0..3 { for b in 0..2 { " + start +
                            " for q in 0..5 { " + part + " } } } " + between + " for c in 0..3 { var s: " + type +
                            " = " + sum + " " + last + " } " + behind;
    std::vector<int> sources{0, -1};
    if (!start.empty()) sources.push_back(-1);
    sources.insert(sources.end(), {1, 2});
    if (!between.empty()) sources.insert(sources.end(), {3, 4});
    sources.insert(sources.end(), {-1, -1, -1});
    return judge(old, now, sources, {{"k", Index::symbol("b") * 5 + Index::symbol("q")}});
  }
};

TEST(Accumulation, blocks_receive_the_same_contributions) {
  const Judged sum = Text{}.judged();
  RULE_TRUE("PRF-50", sum.codes().empty()) << sum.codes();
  RULE_TRUE("PRF-54", sum.validation.licence == Licence::reassociates && !sum.validation.reordered_before.empty() &&
                          sum.validation.reordered_after == std::set<int>({4, 6, 7}));
  // Maxima and integers do not mind the order.
  const Judged greatest = Text{.before = "y[i] = max(y[i], A[i, k])",
                               .start = "P[b, i] = -inf",
                               .part = "P[b, i] = max(P[b, i], A[i, 5 * b + q])",
                               .sum = "max(P[0, c], P[1, c])",
                               .last = "y[c] = max(y[c], s)"}
                              .judged();
  RULE_TRUE("PRF-54", greatest.codes().empty() && greatest.validation.licence == Licence::exact) << greatest.codes();
  const Judged integers = Text{.type = "i32", .start = "P[b, i] = 0"}.judged();
  RULE_TRUE("PRF-54", integers.codes().empty() && integers.validation.licence == Licence::exact) << integers.codes();
  // Fused products and differences are sums.
  EXPECT_EQ("", (Text{.before = "y[i] = fma(A[i, k], A[i, k], y[i])",
                      .part = "P[b, i] = fma(A[i, 5 * b + q], A[i, 5 * b + q], P[b, i])"}
                     .judged()
                     .codes()));
  EXPECT_EQ("",
            (Text{.before = "y[i] = y[i] - A[i, k]", .part = "P[b, i] = P[b, i] - A[i, 5 * b + q]"}.judged().codes()));
}

TEST(Accumulation, partial_results_start_at_the_identity_once) {
  RULE_EQ("ACC-1", std::string("ACC-1"), (Text{.start = "P[b, i] = 0.0"}.judged().codes()));
  RULE_EQ("PRF-51", std::string("ACC-1"), (Text{.start = "P[b, i] = 1.0"}.judged().codes()));
  const Judged missing = Text{.start = ""}.judged();
  RULE_TRUE("PRF-51", missing.codes().find("ACC-1") != std::string::npos) << missing.codes();
  const Judged other = Text{.start = "P[b, 0] = -0.0"}.judged();
  RULE_TRUE("PRF-51", other.codes().find("ACC-1") != std::string::npos) << other.codes();
  RULE_TRUE("ACC-1", (Text{.type = "i32",
                           .before = "y[i] = max(y[i], A[i, k])",
                           .start = "P[b, i] = 0",
                           .part = "P[b, i] = max(P[b, i], A[i, 5 * b + q])",
                           .sum = "max(P[0, c], P[1, c])",
                           .last = "y[c] = max(y[c], s)"}
                          .judged()
                          .codes() == "ACC-1"));
}

TEST(Accumulation, every_contribution_is_combined_once_into_its_cell) {
  for (const char* sum : {"P[0, c] + P[0, c]", "P[0, c]", "P[1, c] + (P[0, c] + P[1, c])", "P[0, c] + P[1, 2 - c]"}) {
    const std::string codes = Text{.sum = sum}.judged().codes();
    RULE_TRUE("ACC-2", codes == "ACC-2") << sum << ": " << codes;
  }
  RULE_EQ("PRF-52", std::string("ACC-2"), (Text{.last = "y[2 - c] = y[2 - c] + s"}.judged().codes()));
  // Another operator, or another operation among the partial results.
  RULE_EQ("PRF-50", std::string("CLAIM-1"), (Text{.last = "y[c] = y[c] * s"}.judged().codes()));
  RULE_EQ("PRF-50", std::string("CLAIM-1"), (Text{.sum = "P[0, c] + max(P[1, c], P[1, c])"}.judged().codes()));
  RULE_EQ("PRF-50", std::string("CLAIM-1"), (Text{.sum = "P[0, c] + (P[1, c] + y[c])"}.judged().codes()));
  RULE_EQ("PRF-50", std::string("CLAIM-1"), (Text{.part = "P[b, i] = A[i, 5 * b + q]"}.judged().codes()));
}

TEST(Accumulation, nobody_looks_in_between) {
  const Judged read = Text{.between = "for j in 0..3 { z[j] = y[j] }"}.judged();
  RULE_TRUE("ACC-3", read.codes() == "ACC-3") << read.codes();
  RULE_TRUE("PRF-53", read.find("same-contributions", Status::violated) != nullptr);
  const Judged written = Text{.between = "for j in 0..3 { y[j] = 1.0 }"}.judged();
  RULE_TRUE("PRF-53", written.codes() == "ACC-3") << written.codes();
  const Judged elsewhere = Text{.between = "for j in 0..3 { z[j] = A[j, 0] }"}.judged();
  RULE_EQ("PRF-53", std::string(), elsewhere.codes());
  // A contribution that is lost, or one that is there twice.
  RULE_EQ("DOM-1", std::string("DOM-1"),
          judge("inout y: f32[1] input A: f32[8] for k in 0..8 { y[0] = y[0] + A[k] }",
                "inout y: f32[1] input A: f32[8] temp P: f32[2] for b in 0..2 { P[b] = -0.0 for q in 0..3 { P[b] = "
                "P[b] + A[4 * b + q] } } "
                "y[0] = y[0] + (P[0] + P[1])",
                {-1, -1, 0, 1, -1}, {{"k", Index::symbol("b") * 4 + Index::symbol("q")}})
              .codes());
}

TEST(Accumulation, what_depends_on_data_is_left_open) {
  // A cell of the target at a dynamic index may be the one.
  const std::string head = "input A: f32[8] input ids: i32[4] in 0..4 inout y: f32[4] ";
  const std::string blocks =
      "temp P: f32[2] for b in 0..2 { P[b] = -0.0 for q in 0..4 { P[b] = P[b] + A[4 * b + q] } } ";
  const Judged j = judge(head + "for k in 0..8 { y[0] = y[0] + A[k] } y[ids[0]] = 1.0",
                         head + blocks + "y[ids[0]] = 1.0 y[0] = y[0] + (P[0] + P[1])", {-1, -1, 0, 1, 2, -1},
                         {{"k", Index::symbol("b") * 4 + Index::symbol("q")}});
  RULE_EQ("ACC-4", std::string("ACC-4"), j.codes());
}

// for i { for k { y[i] += A[i, k] } } with two partial results that every i uses again.
TEST(Accumulation, partial_results_are_used_again) {
  const std::string head = "input A: f32[3, 8] inout y: f32[3] ";
  const std::string start = "for s in 0..2 { P[s] = -0.0 } ";
  const std::string blocks = "for b in 0..2 { for q in 0..4 { P[b] = P[b] + A[i, 4 * b + q] } } ";
  const std::string sum = "y[i] = y[i] + (P[0] + P[1]) ";
  const auto judged = [&](const std::string& kind, const std::string& axis, const std::string& outside,
                          const std::string& inside, std::vector<int> sources) {
    return judge(head + "for i in 0..3 " + axis + " { for k in 0..8 { y[i] = y[i] + A[i, k] } }",
                 head + kind + " P: f32[2] " + outside + "for i in 0..3 " + axis + " { " + inside + " }", sources,
                 {{"k", Index::symbol("b") * 4 + Index::symbol("q")}});
  };
  const std::vector<int> within{0, -1, -1, -1, 1, 2, -1};
  RULE_EQ("PRF-55", std::string(), judged("local", "", "", start + blocks + sum, within).codes());
  RULE_EQ("PRF-55", std::string(), judged("temp", "", "", start + blocks + sum, within).codes());
  // A copy in each group; without one, groups would share the cells.
  RULE_EQ("PRF-55", std::string(), judged("local", "@grid", "", start + blocks + sum, within).codes());
  const std::string shared = judged("temp", "@grid", "", start + blocks + sum, within).codes();
  RULE_TRUE("PRF-55", shared.find("RACE-1") != std::string::npos) << shared;
  // A copy in each thread; a copy of the group is shared by all of them.
  RULE_EQ("PRF-55", std::string(), judged("local", "@workgroup", "", start + blocks + sum, within).codes());
  const std::string together = judged("shared", "@workgroup", "", start + blocks + sum, within).codes();
  RULE_TRUE("PRF-55", together.find("RACE-2") != std::string::npos) << together;
  RULE_TRUE("PRF-55", together.find("ACC-2") != std::string::npos) << together;
  // Started once, they still hold what the last i left there.
  const std::string stale = judged("local", "", start, blocks + sum, {-1, -1, 0, -1, 1, 2, -1}).codes();
  RULE_TRUE("PRF-55", stale.find("ACC-2") != std::string::npos) << stale;
  RULE_EQ("PRF-55", std::string("CLAIM-1"),
          judged("local", "@grid", start, blocks + sum, {-1, -1, 0, -1, 1, 2, -1}).codes());
  RULE_EQ("PRF-55", std::string("CLAIM-1"),
          judged("local", "@workgroup", start, blocks + sum, {-1, -1, 0, -1, 1, 2, -1}).codes());
  // Combined before it is complete, or started again in between.
  RULE_EQ("PRF-52", std::string("ACC-2"),
          judged("local", "", "", start + sum + blocks, {0, -1, -1, -1, -1, 1, 2}).codes());
  RULE_EQ("PRF-51", std::string("ACC-1"),
          judged("local", "", "", start + blocks + start + sum, {0, -1, -1, -1, 1, 2, -1, -1, -1}).codes());
}

TEST(Accumulation, a_scatter_goes_to_one_unknown_cell) {
  const std::string head = "input ids: i32[8] in 0..4 input A: f32[8] inout y: f32[4] ";
  const auto judged = [&](const std::string& cells, const std::string& part) {
    return judge(head + "for k in 0..8 { y[ids[k]] = y[ids[k]] + A[k] }",
                 head + "temp P: f32[2, 4] for s in 0..2 { for z in 0.." + cells +
                     " { P[s, z] = -0.0 } } for b in 0..2 { for q in 0..4 { " + part + " = " + part +
                     " + A[4 * b + q] } } for c in 0..4 { y[c] = y[c] + (P[0, c] + P[1, c]) }",
                 {-1, -1, -1, -1, 0, 1, -1, -1}, {{"k", Index::symbol("b") * 4 + Index::symbol("q")}});
  };
  RULE_EQ("PRF-56", std::string(), judged("4", "P[b, ids[4 * b + q]]").codes());
  const std::string few = judged("3", "P[b, ids[4 * b + q]]").codes();
  RULE_TRUE("PRF-56", few.find("ACC-1") != std::string::npos) << few;
  const std::string other = judged("4", "P[b, ids[4 * b]]").codes();
  RULE_TRUE("PRF-56", other.find("ACC-2") != std::string::npos || other.find("ACC-4") != std::string::npos) << other;
}

TEST(Accumulation, lanes_have_partial_results_of_their_own) {
  const std::string head = "input A: f32[8] inout y: f32[1] inout z: f32[8] ";
  const auto judged = [&](const std::string& part) {
    return judge(head + "for k in 0..8 { y[0] = y[0] + A[k] z[k] = A[k] }",
                 head + "local L: f32[4] for s in 0..4 { L[s] = -0.0 } for b in 0..2 { for l in 0..4 @vectorized { " +
                     part + " = " + part +
                     " + A[4 * b + l] z[4 * b + l] = A[4 * b + l] } } y[0] = y[0] + (L[0] + L[1] + (L[2] + L[3]))",
                 {-1, -1, -1, 0, 1, 2, -1}, {{"k", Index::symbol("b") * 4 + Index::symbol("l")}});
  };
  RULE_EQ("PRF-57", std::string(), judged("L[l]").codes());
  const std::string one = judged("L[0]").codes();
  RULE_TRUE("PRF-57", one.find("IND-2") != std::string::npos) << one;
}

TEST(Accumulation, many_partial_results_are_one_question) {
  // Sixteen parts, one of them left out.
  std::string all = "P[0]", missing = "P[0]";
  for (int b = 1; b < 16; ++b) {
    all += " + P[" + std::to_string(b) + "]";
    if (b != 9) missing += " + P[" + std::to_string(b) + "]";
  }
  const auto judged = [](const std::string& sum) {
    return judge(
        "inout y: f32[1] input A: f32[32] for k in 0..32 { y[0] = y[0] + A[k] }",
        "inout y: f32[1] input A: f32[32] temp P: f32[16] for b in 0..16 { P[b] = -0.0 for q in 0..2 { P[b] = P[b] + "
        "A[2 * b + q] } } y[0] = y[0] + (" +
            sum + ")",
        {-1, -1, 0, 1, -1}, {{"k", Index::symbol("b") * 2 + Index::symbol("q")}});
  };
  RULE_EQ("PRF-52", std::string(), judged(all).codes());
  RULE_EQ("PRF-52", std::string("ACC-2"), judged(missing).codes());
  RULE_EQ("PRF-52", std::string("ACC-2"), judged(all + " + P[9]").codes());
}

TEST(Accumulation, the_table_of_identities) {
  EXPECT_EQ((Scalar{Type::f32, 0x80000000U}), *identity_of(Op::add, Type::f32));
  EXPECT_EQ((Scalar{Type::f16, 0xfc00U}), *identity_of(Op::max, Type::f16));
  EXPECT_EQ((Scalar{Type::bf16, 0x7f80U}), *identity_of(Op::min, Type::bf16));
  EXPECT_EQ((Scalar{Type::i8, 0x80U}), *identity_of(Op::max, Type::i8));
  EXPECT_EQ((Scalar{Type::u16, 0}), *identity_of(Op::max, Type::u16));
  EXPECT_EQ((Scalar{Type::i32, 1}), *identity_of(Op::mul, Type::i32));
  EXPECT_EQ((Scalar{Type::f8e4m3fn, 0xfeU}), *identity_of(Op::max, Type::f8e4m3fn));  // −448: no infinity
  EXPECT_EQ((Scalar{Type::f8e4m3fn, 0x7eU}), *identity_of(Op::min, Type::f8e4m3fn));
  EXPECT_EQ((Scalar{Type::f32, 0x7fc00000U}), *identity_of(Op::maxnum, Type::f32));
  EXPECT_FALSE(identity_of(Op::minnum, Type::i32));
  EXPECT_FALSE(identity_of(Op::div, Type::f32));
  EXPECT_FALSE(identity_of(Op::add, Type::boolean));
}

}  // namespace
}  // namespace assay
