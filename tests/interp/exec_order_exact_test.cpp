// Order-exact cells: what a reordered accumulation marks, and that unmarked cells do not depend on the order.
#include <fmt/format.h>

#include "exec_support.hpp"
#include "interp/random.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;
using Marks = std::vector<bool>;

interp::Outcome run_reordered(const std::string& text, const TensorMap& inputs, std::set<int> reordered) {
  interp::Options options;
  options.reordered = std::move(reordered);
  return run_text(text, inputs, options);
}

const char* const row_sums = R"(program p { input A: f32[3, 3]  output C: f32[3]  output D: f32[3]
  for i in 0..3 {
    C[i] = 0.0
    for k in 0..3 { C[i] += A[i, k] }
    D[i] = C[i] * 2.0
  } })";
const Values row_data{1, 2, 3, 16777216, 1, 1, 0.5, 0.25, 4};  // the second row's sum is inexact
constexpr int accumulation = 3;

TEST(ExecOrderExact, InexactAccumulationsMarkTheirCells) {
  const TensorMap a{{"A", tensor(Type::f32, {3, 3}, row_data)}};
  const auto o = run_reordered(row_sums, a, {accumulation});
  const auto other = run_reordered(row_sums, a, {1});
  const auto none = run_reordered(row_sums, a, {});
  RULE_EQ("EXEC-30", (Marks{false, true, false}), o.tainted.at("C"));
  RULE_EQ("EXEC-31", (Marks{false, true, false}), o.tainted.at("D"));
  // Another statement's inexactness is not its concern, and without any there are no marks.
  RULE_EQ("EXEC-30", (Marks{false, false, false}), other.tainted.at("C"));
  RULE_TRUE("EXEC-30", none.tainted.empty());
  // Overflow counts, infinities that were there before do not.
  const auto sum = [](Values terms) {
    return run_reordered("program p { input A: f32[3]  output C: f32[1]  C[0] = 0.0  for k in 0..3 { C[0] += A[k] } }",
                         {{"A", row(Type::f32, terms)}}, {2})
        .tainted.at("C");
  };
  RULE_EQ("EXEC-30", Marks{true}, sum({3e38, 3e38, 0}));
  RULE_EQ("EXEC-30", Marks{false}, sum({1.0 / 0.0, 1, 2}));
  RULE_EQ("EXEC-30", Marks{false}, sum({1e30, -1e30, 0}));
}

// A combination of partial results: the tree of the same operator counts, products of its leaves do not.
TEST(ExecOrderExact, TheTreeOfACombinationCounts) {
  const auto marks = [](const std::string& update, Values p) {
    return run_reordered("program p { input P: f32[4]  output C: f32[1]  C[0] = 0.0  " + update + " }",
                         {{"P", row(Type::f32, std::move(p))}}, {1})
        .tainted.at("C");
  };
  // 2^24 + 1 rounds, and the two halves cancel again.
  const Values cancelling{16777216, 1, -16777216, 0};
  RULE_EQ("EXEC-30", Marks{true}, marks("C[0] += (P[0] + P[1]) + (P[2] + P[3])", cancelling));
  RULE_EQ("EXEC-30", Marks{true}, marks("C[0] += P[3] + (P[0] + P[1])", cancelling));
  RULE_EQ("EXEC-30", Marks{false}, marks("C[0] += (P[1] + P[1]) + (P[3] + P[3])", cancelling));
  RULE_EQ("EXEC-30", Marks{false}, marks("C[0] += (P[0] + P[1]) * P[3]", cancelling));
}

// Of 16 bits the products that are added count: a wider sum may take them unrounded. Here they round, and the sum does not.
TEST(ExecOrderExact, NarrowProductsAmongTheTermsCount) {
  const Values thirds{1.0 / 3, 0, 0, 0};
  const auto third = [&](const std::string& type, const std::string& update) {
    return run_reordered(
               "program p { input P: " + type + "[4]  output C: " + type + "[1]  C[0] = 0.0  " + update + " }",
               {{"P", row(*parse_type(type), thirds)}}, {1})
        .tainted.at("C");
  };
  for (const char* type : {"f16", "bf16"}) {
    RULE_EQ("EXEC-30", Marks{true}, third(type, "C[0] += P[0] * P[0]"));
    RULE_EQ("EXEC-30", Marks{true}, third(type, "C[0] = max(C[0], P[3] * (P[0] * P[0]))"));
    RULE_EQ("EXEC-30", Marks{false}, third(type, "C[0] += P[0] * P[1]"));
  }
  RULE_EQ("EXEC-30", Marks{false}, third("f32", "C[0] += P[0] * P[0]"));
}

TEST(ExecOrderExact, OnlyOperationsOnTheAccumulatedValueCount) {
  // The product is rounded, each sum is exact: the terms are the same in any order.
  const TensorMap a{{"A", row(Type::f32, {3, 0, 0})}, {"B", row(Type::f32, {0.1, 0, 0})}};
  const auto marks = [&](const std::string& update) {
    return run_reordered(
               "program p { input A: f32[3]  input B: f32[3]  output C: f32[1]  C[0] = 0.0  for k in 0..3 { " + update +
                   " } }",
               a, {2})
        .tainted.at("C");
  };
  RULE_EQ("EXEC-30", Marks{false}, marks("C[0] += A[k] * B[k]"));
  RULE_EQ("EXEC-30", Marks{true}, marks("C[0] = fma(A[k], B[k], C[0])"));
  RULE_EQ("EXEC-30", Marks{false}, marks("C[0] = f32(f16(C[0]) + f16(A[k] * B[k]))"));
  // Rounding between the old value and the new one counts, wherever the sum stands.
  const auto rounded = [&](const std::string& update) {
    return run_reordered(
               "program p { input A: f32[2]  output C: f16[1]  C[0] = 0.0  for k in 0..2 { " + update + " } }",
               {{"A", row(Type::f32, {1, 1.0 / 4096})}}, {2})
        .tainted.at("C");
  };
  RULE_EQ("EXEC-30", Marks{true}, rounded("C[0] = f16(f32(C[0]) + A[k])"));
  RULE_EQ("EXEC-30", Marks{true}, rounded("C[0] = f16(A[k] + scope s: f32 { s = f32(C[0]) })"));
}

TEST(ExecOrderExact, MarksSpreadThroughEveryUse) {
  // s is inexact; t is an exact sum beside it.
  const auto marks = [](const std::string& use) {
    const auto o = run_reordered(R"(program p { input A: f32[3]  input B: f32[3]  output C: f32[4]
      var s: f32 = 0.0  var t: f32 = 0.0
      for k in 0..3 { s = s + A[k]  t = t + B[k] }
      for i in 0..4 { C[i] = f32(i) }
      )" + use + "}",
                                 {{"A", row(Type::f32, {16777216, 1, 1})}, {"B", row(Type::f32, {1, 2, 0})}}, {3, 4});
    if (o.status != interp::Status::ok) ADD_FAILURE() << use << describe(o);
    return o.status == interp::Status::ok ? o.tainted.at("C") : Marks{};
  };
  const Marks none{false, false, false, false};
  const Marks second{false, true, false, false};
  const Marks all{true, true, true, true};
  RULE_EQ("EXEC-31", none, marks("C[1] = t * 3.0"));
  RULE_EQ("EXEC-31", second, marks("C[1] = t + max(s, 0.0)"));
  RULE_EQ("EXEC-31", second, marks("var u: f32 = s  var w: f32 = u  C[1] = w"));
  RULE_EQ("EXEC-31", second, marks("C[1] = s > 0.0 ? 1.0 : 2.0"));
  RULE_EQ("EXEC-31", second, marks("C[1] = s > 0.0 && t > 9.0 ? 1.0 : 2.0"));
  RULE_EQ("EXEC-31", second, marks("C[1] = scope x: f32 { x = t  if s > 0.0 { x = 3.0 } }"));
  RULE_EQ("EXEC-31", second, marks("C[1] = scope x: f32 { x = t  if s < 0.0 { x = 3.0 } }"));
  RULE_EQ("EXEC-31", second, marks("C[1] = C[i32(min(s, 2.0))]"));
  RULE_EQ("EXEC-31", none, marks("C[1] = s  C[1] = t"));      // overwritten
  RULE_EQ("EXEC-31", none, marks("C[1] = t > 0.0 ? t : s"));  // never read
  RULE_EQ("EXEC-32", second, marks("if s > 0.0 { C[1] = 1.0 }"));
  RULE_EQ("EXEC-32", second, marks("if s < 0.0 { C[1] = 1.0 }"));  // not stored, but it might have been
  RULE_EQ("EXEC-32", second, marks("if s < 0.0 { C[2] = 5.0  C[1] = 1.0 } else { C[1] = 2.0 }  C[2] = 0.0"));
  RULE_EQ("EXEC-32", all, marks("if s < 0.0 { for q in 0..2 { C[q] = 1.0 } }"));
  RULE_EQ("EXEC-32", all, marks("if s < 0.0 { zero C }"));
  RULE_EQ("EXEC-32", all, marks("if s < 0.0 { if t > 0.0 { C[i32(t)] = 1.0 } }"));
  RULE_EQ("EXEC-32", second, marks("var u: f32 = 0.0  if s < 0.0 { u = 1.0 }  C[1] = u"));
  RULE_EQ("EXEC-32", second, marks("if s > 0.0 { if t > 0.0 { C[1] = 1.0 } }"));
  RULE_EQ("EXEC-32", all, marks("C[i32(min(s, 2.0))] = 1.0"));
  RULE_EQ("EXEC-32", none, marks("if t > 0.0 { C[1] = 1.0 }"));
  RULE_EQ("EXEC-32", (Marks{true, true, false, false}),
          marks("for v in 0..2 @vectorized { if s > f32(v) { C[v] = 1.0 } }"));
  RULE_EQ("EXEC-32", second,
          marks("if s < 0.0 { for v in 0..2 @vectorized { var u: f32 = 1.0  if t > 0.0 { u = t } }  C[1] = 2.0 }"));
}

// Two orders of one sum, and random uses of it: a cell unmarked in both runs has the same bits in both.
TEST(ExecOrderExact, UnmarkedCellsDoNotDependOnTheOrder) {
  interp::Random random(20);
  const auto pick = [&](std::initializer_list<const char*> choices) {
    return std::string(choices.begin()[random.below(choices.size())]);
  };
  std::uint64_t unmarked = 0, marked = 0, different = 0;
  for (int round = 0; round < 300; ++round) {
    std::string uses;
    for (std::uint64_t n = 1 + random.below(5); n > 0; --n) {
      const std::string i = std::to_string(random.below(6)), j = std::to_string(random.below(6));
      const std::string source = pick({"C[0]", "C[1]", "C[2]", "C[3]", "C[4]", "C[5]"});
      const std::string condition = source + pick({" > 1.0", " < 0.5", " == 2.0", " != C[0]"});
      uses += pick({"",
                    "if "
                    "COND { C[I] = SRC } else { C[J] = 1.0 }",
                    "if COND { C[I] = 3.0 }", "C[I] = COND ? SRC : 0.25", "C[I] = SRC * 0.5 + C[J]",
                    "C[i32(min(max(SRC, 0.0), 5.0))] = C[J]", "C[I] = C[i32(min(max(SRC, 0.0), 5.0))]",
                    "if COND { for q in 0..3 { C[2*q] = SRC } }",
                    "C[I] = scope x: f32 { x = SRC  if COND { x = x + 1.0 } }",
                    "for v in 0..3 @vectorized { if C[v] > 1.0 { C[v + 3] = SRC } }",
                    "for v in 0..3 @vectorized { C[v] = COND ? C[5 - v] : SRC }"}) +
              "\n";
      for (const auto& [what, with] :
           {std::pair<std::string, std::string>{"COND", condition}, {"SRC", source}, {"I", i}, {"J", j}}) {
        for (std::size_t at = uses.find(what); at != std::string::npos; at = uses.find(what))
          uses.replace(at, what.size(), with);
      }
    }
    const auto text = [&](const char* subscript) {
      return fmt::format(R"(program p {{ input A: f32[6, 4]  output C: f32[6]
        for i in 0..6 {{ C[i] = 0.0  for k in 0..4 {{ C[i] {} A[i, {}] }} }}
        {} }})",
                         round % 5 == 0 ? "*=" : "+=", subscript, uses);
    };
    Values a(24);
    for (double& v : a)
      v = static_cast<double>(random.below(4)) * (random.below(9) == 0 ? 33554432.0 : 1.0) * (random.coin() ? 1 : -1) +
          1;
    const TensorMap inputs{{"A", tensor(Type::f32, {6, 4}, [&] {
                              for (double& v : a) v = static_cast<double>(static_cast<float>(v));
                              return a;
                            }())}};
    const auto up = run_reordered(text("k"), inputs, {3});
    const auto down = run_reordered(text("3 - k"), inputs, {3});
    ASSERT_EQ("ok", describe(up)) << text("k");
    ASSERT_EQ("ok", describe(down)) << text("k");
    for (std::int64_t c = 0; c < 6; ++c) {
      const bool equal = same_value(up.outputs.at("C").get(c), down.outputs.at("C").get(c));
      const bool exact =
          !up.tainted.at("C")[static_cast<std::size_t>(c)] && !down.tainted.at("C")[static_cast<std::size_t>(c)];
      RULE_TRUE("EXEC-32", equal || !exact) << "cell " << c << " of\n" << text("k");
      (exact ? unmarked : marked) += 1;
      different += !equal;
    }
  }
  // The property is about something: many cells of each sort, and many that do differ.
  EXPECT_GT(unmarked, 300U);
  EXPECT_GT(marked, 300U);
  EXPECT_GT(different, 100U);
}

}  // namespace
}  // namespace assay::test
