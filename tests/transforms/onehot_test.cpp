// onehot: what it makes and refuses (HOT-…), and what its obligations say.
#include "moves.hpp"

namespace assay::test {
namespace {

const std::string rows = "input T: f32[5, 4] input ids: i32[9] in 0..5 input any: i32[9] input small: u8[9] ";

Moved hot(const std::string& statements, const std::string& more = {}, const std::string& l = "onehot k") {
  return moved(nest(statements, rows + more), l);
}
std::string text(const std::string& statements, const std::string& more = {}) {
  return printed(statements, rows + more);
}

TEST(Onehot, SumsBecomeGathers) {
  const std::string init = "for p in 0..9 { G[p] = 0.0 ";
  const Moved ranged = hot(init + "for k in 0..5 { G[p] += i32(k) == ids[p] ? T[k, 1] : 0.0 } }", "output G: f32[9]");
  EXPECT_EQ("", ranged.code);
  RULE_EQ("HOT-4", text(init + "G[p] = G[p] + T[ids[p], 1] }", "output G: f32[9]"), ranged.text);
  const Moved open = hot(init + "for k in 0..5 { G[p] += any[p] == i32(k) ? T[k, 1] : 0.0 } }", "output G: f32[9]");
  RULE_EQ("HOT-13", std::string(), open.code);
  EXPECT_EQ(text(init + "if 0 <= any[p] && any[p] <= 4 { G[p] = G[p] + T[any[p], 1] } }", "output G: f32[9]"),
            open.text);
  const Moved unsigned_index =
      hot(init + "for k in 0..5 { G[p] += u8(k) == small[p] ? T[k, 1] : 0.0 } }", "output G: f32[9]");
  RULE_EQ("HOT-4", text(init + "if small[p] <= 4 { G[p] = G[p] + T[small[p], 1] } }", "output G: f32[9]"),
          unsigned_index.text);
  EXPECT_EQ("", unsigned_index.code);
  // In a scope, with the loop symbol converted, and selected by an index value.
  const Moved scope = hot(
      "for p in 0..9 { A[p] = scope s: f32 { s = 0.0 for k in 0..5 { s = s + (i32(k) == ids[p] ? f32(k) : 0.0) } } }");
  EXPECT_EQ("", scope.code);
  RULE_TRUE("HOT-1", scope.text.find("s = s + f32(ids[p])") != std::string::npos) << scope.text;
  const Moved affine = hot("for p in 0..9 { for k in 0..70 { if k == 2 * p + 1 { A[p] = X[k - 1] } } }");
  EXPECT_EQ("", affine.code);
  RULE_EQ("HOT-1", text("for p in 0..9 { A[p] = X[2 * p] }"), affine.text);
}

TEST(Onehot, UpdatesBecomeScatters) {
  const Moved m =
      hot("zero G for p in 0..9 { for d in 0..4 { for k in 0..5 { G[k, d] += i32(k) == ids[p] ? B[p, d] : 0.0 } } }",
          "output G: f32[5, 4]");
  EXPECT_EQ("", m.code);
  RULE_EQ(
      "HOT-1",
      text("zero G for p in 0..9 { for d in 0..4 { G[ids[p], d] = G[ids[p], d] + B[p, d] } }", "output G: f32[5, 4]"),
      m.text);
  // At integers a product with the comparison, too.
  const Moved product =
      hot("for p in 0..9 { for k in 0..5 { N[k] += i32(i32(k) == ids[p]) * any[p] } }", "inout N: i32[5]");
  EXPECT_EQ("", product.code);
  RULE_EQ("HOT-3", text("for p in 0..9 { N[ids[p]] = N[ids[p]] + any[p] }", "inout N: i32[5]"), product.text);
}

TEST(Onehot, OnlyWhatIsNeutralIsLeftOut) {
  const auto with = [&](const std::string& op, const std::string& other, const std::string& init = {}) {
    return hot(init + " for p in 0..9 { for k in 0..5 { A[p] " + op + " (i32(k) == ids[p] ? T[k, 1] : " + other +
               ") } }")
        .code;
  };
  // A may hold -0.0, and adding 0.0 shows.
  RULE_EQ("HOT-11", std::string("HOT-3"), with("+=", "0.0"));
  RULE_EQ("HOT-11", std::string(""), with("+=", "-0.0"));
  RULE_EQ("HOT-11", std::string("HOT-3"), with("+=", "1.0"));
  RULE_EQ("HOT-11", std::string(""), with("*=", "1.0"));
  RULE_EQ("HOT-11", std::string(""), with("max=", "-inf"));
  RULE_EQ("HOT-11", std::string("HOT-3"), with("max=", "0.0"));
  RULE_EQ("HOT-11", std::string(""), with("= A[p] -", "0.0"));
  RULE_EQ("HOT-11", std::string("HOT-3"), with("= A[p] -", "-0.0"));
  // A value that is stored there may be -0.0.
  const std::string sum = "for p in 0..9 { for k in 0..5 { G[p] += i32(k) == ids[p] ? T[k, 1] : 0.0 } }";
  RULE_EQ("HOT-11", std::string(""), hot("zero G " + sum, "output G: f32[9]").code);
  RULE_EQ("HOT-11", std::string("HOT-3"), hot("for q in 0..9 { G[q] = X[q] } " + sum, "output G: f32[9]").code);
  RULE_EQ("HOT-11", std::string("HOT-3"), hot("for q in 0..9 { G[q] = -0.0 } " + sum, "output G: f32[9]").code);
}

TEST(Onehot, OtherLoopsStay) {
  const auto code = [&](const std::string& loop) {
    return hot("for p in 0..9 { " + loop + " }", "inout N: i32[9]").code;
  };
  RULE_EQ("HOT-1", std::string("HOT-1"), code("for k in 0..5 { A[p] += -0.0 }"));
  RULE_EQ("HOT-1", std::string("HOT-1"), code("for k in 0..5 step 2 { if i32(k) == ids[p] { A[p] = T[k, 1] } }"));
  RULE_EQ("HOT-1", std::string("HOT-1"), code("for k in 0..4 { if i32(k) == ids[p] { A[p] = T[k + 1, 1] } }"));
  RULE_EQ("HOT-1", std::string("HOT-1"), code("for k in 0..5 { if i32(k) == ids[k] { A[p] = T[k, 1] } }"));
  RULE_EQ("HOT-1", std::string("HOT-1"),
          code("for k in 0..5 { if i32(k) == ids[p] { A[p] = 1.0 } else { A[p] = 2.0 } }"));
  // NaN in a row that is not selected counts.
  RULE_EQ("HOT-3", std::string("HOT-1"), code("for k in 0..5 { A[p] += f32(i32(k) == ids[p]) * T[k, 1] }"));
  // The selector moves with the sum.
  RULE_EQ("HOT-2", std::string("HOT-2"), code("for k in 0..5 { if i32(k) == N[p] { N[p] = any[k] } }"));
  RULE_EQ("HOT-2", std::string("HOT-1"), code("for k in 0..5 { N[p] += i32(k) == N[p] ? any[k] : 0 }"));
  // Lanes that select different iterations store one after the other: lane 2 reads what lane 3 stored.
  RULE_EQ("HOT-17", std::string("HOT-17"),
          code("for l in 0..4 @vectorized { for k in 0..4 { if i32(k) == i32(3 - l) { N[l] = N[l + 1] + 1 } } }"));
  RULE_EQ("HOT-17", std::string(),
          code("for l in 0..4 @vectorized { for k in 0..4 { if i32(k) == i32(3 - l) { N[l] = N[l] + any[k] } } }"));
  RULE_EQ("HOT-18", std::string("IND-2"),
          code("for l in 0..4 @vectorized { for k in 0..4 { if i32(k) == i32(l) { N[0] = any[k] } } }"));
  // A loop without iterations divides by nothing.
  RULE_EQ(
      "HOT-16", std::string("DIV-1"),
      hot("for p in 0..9 { for k in 0..m { A[p] += i32(k) == floordiv(7, any[p]) ? X[k] : -0.0 } }", "param m in 0..5 ")
          .code);
  // An unsigned bound of a loop that may be empty: m - 1 would wrap.
  for (const auto& [from, bound] : {std::pair{"0", "small[p] < u8(m)"}, std::pair{"1", "small[p] <= u8(m - 1)"}}) {
    const Moved m = hot("for p in 0..9 { for k in 0..m { if u8(k) == small[p] { A[p] = X[k] } } }",
                        std::string("param m in ") + from + "..50 ");
    RULE_EQ("HOT-19", std::string(), m.code);
    RULE_TRUE("HOT-19", m.text.find(bound) != std::string::npos) << m.text;
  }
  // 256 is 0 at u8.
  RULE_TRUE("HOT-12", code("for k in 0..300 { if u8(k) == small[p] { A[p] = X[0] } }") == "CLAIM-1");
}

}  // namespace
}  // namespace assay::test
