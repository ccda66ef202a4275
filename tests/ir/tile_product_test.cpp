// The form of `@tile` loops (WF-25 … WF-28), and what the recogniser says about a nest.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/tile_product.hpp"
#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

std::string with(const std::string& statements) {
  return "program p { param n in 1..9 input B: f32[8, 8] input H: f16[8, 8] inout C: f32[8] inout D: f32[8, 8, 8] "
         "inout E: "
         "f32[8, 8]\n" +
         statements + " }";
}
bool accepted(const std::string& statements) {
  const bool good = errors(with(statements)).empty();
  if (!good) ADD_FAILURE() << shown(with(statements));
  return good;
}
bool refused(const char* code, const std::string& statements) { return has_error(with(statements), code); }

TEST(TileProduct, IsOneNest) {
  const auto tile = [](const std::string& nest) { return "for t in 0..32 @tile { " + nest + " }"; };
  const auto product = [&](const std::string& update, const std::string& k = "0..4") {
    return tile("for i in 0..4 { for j in 0..4 { for k in " + k + " { " + update + " } } }");
  };
  for (const char* good : {"E[i, j] += B[i, k] * B[k, j]", "E[i, j] = B[i, k] * B[k, j] + E[i, j]",
                           "E[i, j] = fma(B[i, k], B[k, j], E[i, j])", "E[i + 1, 2 + j] += B[k, i] * B[j, k]",
                           "E[j, i] += B[j, k] * B[k, i]", "E[i, k] += B[i, j] * B[k, j]",
                           "E[i, j] += f32(H[i, k]) * f32(H[k, j])", "if i < n { E[i, j] += B[i, k] * B[k, j] }"}) {
    RULE_TRUE("WF-26", accepted(product(good))) << good;
    RULE_TRUE("WF-27", accepted(product(good))) << good;
  }
  RULE_TRUE("WF-25",
            accepted("for t in 0..1 @tile { for i in 0..n { if i < 3 { for j in 0..4 { for k in 1..4 { E[i, j] += "
                     "B[i, k] * B[k, j] } } } } }"));
  const std::string nest = "for i in 0..4 { for j in 0..4 { for k in 0..4 { E[i, j] += B[i, k] * B[k, j] } } }";
  RULE_TRUE("WF-25", refused("WF-25", "~for t in 1..32 @tile~ { " + nest + " }"));
  RULE_TRUE("WF-25", refused("WF-25", "~for t in 0..n @tile~ { " + nest + " }"));
  RULE_TRUE("WF-25", refused("WF-25", "~for t in 0..0 @tile~ { " + nest + " }"));
  RULE_TRUE("WF-25", refused("WF-25", "~for t in 0..4 step 2 @tile~ { " + nest + " }"));
  RULE_TRUE("WF-25", refused("WF-25", "for v in 0..4 @vectorized { ~for t in 0..4 @tile~ { " + nest + " } }"));
  RULE_TRUE("WF-25", refused("WF-25",
                             "~for t in 0..4 @tile~ { for i in 0..4 { for j in 0..4 { for k in 0..4 { E[i, j] += "
                             "B[i + t, k] * B[k, j] } } } }"));
  RULE_TRUE("WF-26", refused("WF-26", "~for t in 0..4 @tile~ { }"));
  RULE_TRUE("WF-26", refused("WF-26", "~for t in 0..4 @tile~ { " + nest + " C[0] = 1 }"));
  RULE_TRUE("WF-26", refused("WF-26", tile("for i in 0..4 { for j in 0..4 { ~E[i, j]~ += B[i, j] * B[i, j] } }")));
  RULE_TRUE("WF-26",
            refused("WF-26", tile("for i in 0..4 { for j in 0..4 { for k in 0..4 { ~for l in 0..4~ { E[i, j] += B[i, "
                                  "k] * B[k, j] } } } }")));
  RULE_TRUE("WF-26",
            refused("WF-26", tile("for i in 0..4 { for j in 0..4 { ~for k in 0..4 @unrolled~ { E[i, j] += B[i, k] * "
                                  "B[k, j] } } }")));
  RULE_TRUE("WF-26",
            refused("WF-26", tile("for i in 0..4 { ~for j in 0..4 step 2~ { for k in 0..4 { E[i, j] += B[i, k] * B[k, "
                                  "j] } } }")));
  RULE_TRUE("WF-26",
            refused("WF-26", tile("for i in 0..4 { for j in 0..4 { ~for k in i..4~ { E[i, j] += B[i, k] * B[k, j] } } "
                                  "}")));
  RULE_TRUE("WF-26", refused("WF-26", product("~if B[i, k] < 1~ { E[i, j] += B[i, k] * B[k, j] }")));
  RULE_TRUE("WF-26", refused("WF-26", product("~if i < 1~ { E[i, j] += B[i, k] * B[k, j] } else { C[0] = 1 }")));
  for (const char* bad : {"~E[i, j]~ = B[i, k] * B[k, j]", "~E[i, j]~ += B[i, k]", "~E[i, j]~ += B[i, k] * 2",
                          "~E[i, j]~ max= B[i, k] * B[k, j]", "~E[i, j]~ = E[i, j] - B[i, k] * B[k, j]",
                          "~E[i, j]~ += E[i, k] * B[k, j]", "~E[i, j]~ = E[j, i] + B[i, k] * B[k, j]",
                          "~E[i, j]~ += B[i, k] * (B[k, j] + 1)", "~E[i, i64(j)]~ += B[i, k] * B[k, j]"})
    RULE_TRUE("WF-26", refused("WF-26", product(bad))) << bad;
  for (const char* bad :
       {"~E[i, j]~ += B[i, 2*k] * B[k, j]", "~E[i, j]~ += B[i, k + i] * B[k, j]", "~E[i, k]~ += B[i, k] * B[k, j]",
        "~E[i, 0]~ += B[i, k] * B[k, j]", "~E[i, j]~ += B[i, k] * B[i, j]", "~E[i, j]~ += B[0, k] * B[k, j]",
        "~E[i, j]~ += D[i, k, 0] * B[k, j]", "~E[i, floordiv(j, 2)]~ += B[i, k] * B[k, j]",
        "~D[i, j, 0]~ += B[i, k] * B[k, j]", "~E[i, j + k]~ += B[i, k] * B[k, j]"})
    RULE_TRUE("WF-27", refused("WF-27", product(bad))) << bad;
  RULE_TRUE("WF-28", accepted(tile(nest) + " launch for t in 0..4 @workgroup { C[t] = 1 }"));
  RULE_TRUE("WF-28", accepted(tile(nest) + " for t in 0..4 @workgroup { C[t] = 1 }"));
  RULE_TRUE("WF-28", accepted(tile(nest) + " launch for t in 0..4 @reduce { C[0] += B[t, 0] }"));
  RULE_TRUE("WF-28", refused("WF-28", tile(nest) + " ~for t in 0..4 @reduce~ { C[0] += B[t, 0] }"));
  RULE_TRUE("WF-28",
            refused("WF-28", "for t in 0..4 @reduce { C[0] += B[t, 0] } ~for u in 0..4 @tile~ { " + nest + " }"));
  // A slot is taken among threads only.
  const std::string deep = "for a in 0..2 @workgroup { for b in 0..2 @workgroup { ";
  const std::string deeper = "for c in 0..2 @workgroup { ";
  RULE_TRUE("WF-13", accepted(deep + "for u in 0..4 @tile { " + nest + " } } }"));
  RULE_TRUE("WF-13", refused("WF-13", deep + deeper + "~for u in 0..4 @tile~ { " + nest + " } } } }"));
  // A copy of a buffer for each lane is nothing that the lanes have together.
  const auto with_local = [](const std::string& statements) {
    return "program p { input B: f32[8, 8] local L: f32[4, 4] shared S: f32[4, 4] output C: f32[8]\n" + statements +
           " }";
  };
  const auto local = [&](const std::string& lanes, const std::string& update) {
    return with_local("for w in 0..2 @workgroup { C[w] = 1 ~for t in 0.." + lanes +
                      " @tile~ { for i in 0..4 { for j in 0..4 { for k in 0..4 { " + update + " } } } } }");
  };
  RULE_TRUE("WF-45", has_error(local("2", "L[i, j] += B[i, k] * B[k, j]"), "WF-45"));
  RULE_TRUE("WF-45", has_error(local("2", "S[i, j] += B[i, k] * L[k, j]"), "WF-45"));
  const auto plain = [](std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '~'), text.end());
    return errors(text).empty();
  };
  RULE_TRUE("WF-45", plain(local("2", "S[i, j] += B[i, k] * B[k, j]")));
  RULE_TRUE("WF-45", plain(local("1", "L[i, j] += B[i, k] * B[k, j]")));
  RULE_TRUE("WF-45",
            plain(with_local("for t in 0..2 @tile { for i in 0..4 { for j in 0..4 { for k in 0..4 { L[i, j] += "
                             "B[i, k] * B[k, j] } } } }")));
}

TEST(TileProduct, TellsTheRoles) {
  const Program p = program_of(with(
      "for c in 0..4 { if c < 3 { for s in 0..5 { for r in 0..n { D[r + 1, 0, c] += f32(H[c, s]) * B[r, s] } } } }"));
  const auto product = tile_product(p.body, {});
  ASSERT_TRUE(product.has_value()) << product.error().message;
  RULE_EQ("WF-27", Symbol("r"), product->row->name);
  RULE_EQ("WF-27", Symbol("c"), product->column->name);
  RULE_EQ("WF-27", Symbol("s"), product->sum->name);
  RULE_EQ("WF-27", Symbol("B"), product->left->name);
  RULE_EQ("WF-27", Symbol("H"), product->right->name);
  RULE_TRUE("WF-27", !product->left_transposed && product->right_transposed);
  RULE_EQ("WF-26", std::size_t{1}, product->guards.size());
  RULE_EQ("WF-26", Symbol("c"), product->nest[0]->name);
}

}  // namespace
}  // namespace assay::test
