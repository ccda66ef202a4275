// Indices that pass through storage: what it can hold, and which conditions on it still hold.
#include <gtest/gtest.h>

#include "proofs/isl/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Status = Obligation::Status;

// The codes of the obligations that are not proved.
std::string open_codes(const std::string& body) {
  const auto query = make_isl_query();
  std::string out;
  const std::string text =
      "program p { param n in 1..33 param m in 1..9 input ids: i32[64] in 0..16 input any: i32[64] input w: i32[64] in "
      "-16..16 input A: f32[16] input N: f32[n] inout io: i32[64] output O: f32[64] " +
      body + " }";
  for (const Obligation& o : lint_obligations(test::program(text), *query)) {
    if (o.status != Status::proved) out += (out.empty() ? "" : " ") + o.code;
  }
  return out;
}

const char* const use = " for k in 0..64 { O[k] = A[t[k]] }";

TEST(StoredRanges, WhatAllStoresStore) {
  for (const std::string kind : {"temp", "local", "shared"}) {
    const std::string t = kind + " t: i32[64] ";
    RULE_EQ("PRF-120", std::string(), open_codes(t + "for i in 0..64 { t[i] = ids[i] }" + use));
    RULE_EQ("PRF-120", std::string(), open_codes(t + "zero t for i in 0..9 { t[i] = 15 - i32(i) }" + use));
    // One store outside, wherever it stands: before, behind (in a loop around both), in an arm that may run.
    RULE_EQ("PRF-120", std::string("BND-2"), open_codes(t + "for i in 0..64 { t[i] = ids[i] } t[7] = 16" + use));
    RULE_EQ("PRF-120", std::string("BND-2"),
            open_codes(t + "for i in 0..64 { t[i] = ids[i] } for r in 0..2 {" + use + " t[7] = 16 }"));
    RULE_EQ("PRF-120", std::string("BND-2"),
            open_codes(t + "for i in 0..64 { t[i] = ids[i] if any[i] > 0 { t[i] = t[i] + 1 } }" + use));
    // What is stored nowhere says nothing, and what some cells hold nothing about the others.
    RULE_EQ("PRF-120", std::string("BND-2 DEF-1"), open_codes(t + use));
    RULE_EQ("PRF-120", std::string("DEF-1"), open_codes(t + "for i in 0..63 { t[i] = ids[i] }" + use));
  }
  RULE_EQ("PRF-120", std::string("BND-2"),
          open_codes("for i in 0..64 { io[i] = ids[i] } for k in 0..64 { O[k] = A[io[k]] }"));
}

TEST(StoredRanges, UnderLoopsAndConditions) {
  const std::string t = "temp t: i32[64] ";
  RULE_EQ("PRF-120", std::string(), open_codes(t + "zero t for i in 0..64 { if i < 16 { t[i] = i32(i) } }" + use));
  RULE_EQ("PRF-120", std::string("BND-2"),
          open_codes(t + "zero t for i in 0..64 { if i < 17 { t[i] = i32(i) } }" + use));
  RULE_EQ("PRF-120", std::string(),
          open_codes(t + "zero t for i in 0..64 { if any[i] >= 0 && 16 > any[i] { t[i] = any[i] } }" + use));
  RULE_EQ("PRF-120", std::string(),
          open_codes(t + "zero t for i in 0..64 { if any[i] < 0 || any[i] > 15 { } else { t[i] = any[i] } }" + use));
  RULE_EQ("PRF-120", std::string("BND-2"),
          open_codes(t + "zero t for i in 0..64 { if any[i] >= 0 || 16 > any[i] { t[i] = any[i] } }" + use));
  RULE_EQ(
      "PRF-120", std::string("BND-2"),
      open_codes(t + "zero t for i in 0..64 { if io[i] >= 0 && 16 > io[i] { io[i] = io[i] + 1 t[i] = io[i] } }" + use));
  // An arm that never runs stores nothing.
  RULE_EQ("PRF-120", std::string(),
          open_codes(t + "for i in 0..64 { t[i] = ids[i] if ids[i] > 15 { t[i] = 99 } }" + use));
}

TEST(StoredRanges, ChainsAndCycles) {
  const std::string t = "local t: i32[64] local u: i32[64] temp v: i64[64] ";
  RULE_EQ("PRF-120", std::string(),
          open_codes(t + "for i in 0..64 { u[i] = ids[i] } for i in 0..64 { t[i] = u[63 - i] }" + use));
  RULE_EQ("PRF-120", std::string(),
          open_codes(t + "for i in 0..64 { v[i] = i64(ids[i]) } for i in 0..64 { t[i] = i32(v[i]) }" + use));
  RULE_EQ("PRF-120", std::string(), open_codes(t + "t[0] = 3 for i in 1..64 { t[i] = min(t[i - 1] + 1, 15) }" + use));
  RULE_EQ("PRF-120", std::string(),
          open_codes(t + "t[0] = 3 for i in 1..64 { t[i] = floormod(t[i - 1] * 5, 16) }" + use));
  RULE_EQ("PRF-120", std::string("BND-2"),
          open_codes(t + "t[0] = 3 for i in 1..64 { t[i] = min(t[i - 1] - 1, 15) }" + use));
  RULE_EQ("PRF-120", std::string("BND-2"), open_codes(t + "t[0] = 3 for i in 1..64 { t[i] = t[i - 1] + 1 }" + use));
  RULE_EQ("PRF-120", std::string(), open_codes("var j: i32 = 0 for i in 0..64 { O[i] = A[j] j = ids[i] }"));
  RULE_EQ("PRF-120", std::string("BND-2"), open_codes("var j: i32 = 0 for i in 0..64 { O[i] = A[j] j = j + 1 }"));
  RULE_EQ("PRF-120", std::string(), open_codes("for i in 0..64 { O[i] = A[scope s: i32 { s = ids[i] }] }"));
}

TEST(StoredRanges, ConversionsAndOtherLaunches) {
  // 8 bits hold 0..16, not 240..256.
  RULE_EQ("PRF-120", std::string(),
          open_codes("temp t: i8[64] for i in 0..64 { t[i] = i8(ids[i]) }" + std::string(use)));
  RULE_EQ(
      "PRF-120", std::string("BND-2"),
      open_codes(
          "temp t: i8[64] for i in 0..64 { t[i] = i8(ids[i] + 120) } for k in 0..64 { O[k] = A[i32(t[k]) - 120] }"));
  RULE_EQ(
      "PRF-120", std::string(),
      open_codes(
          "temp t: u8[64] for i in 0..64 { t[i] = u8(ids[i] + 240) } for k in 0..64 { O[k] = A[i32(t[k]) - 240] }"));
  RULE_EQ("PRF-120", std::string(),
          open_codes("temp t: i32[64] for i in 0..64 { t[i] = ids[i] } launch" + std::string(use)));
  RULE_EQ("PRF-120", std::string(),
          open_codes("temp t: i32[64] for i in 0..64 { t[i] = ids[i] } launch" + std::string(use) +
                     " launch zero t t[3] = -1"));
  RULE_EQ("PRF-121", std::string("BND-2"),
          open_codes("temp t: i32[64] for i in 0..64 { t[i] = ids[i] } launch t[3] = -1 launch" + std::string(use)));
}

TEST(StoredRanges, WhatWasStoredIntoTheCell) {
  const std::string t = "local t: i32[64] local u: i32[64] ";
  // Symbolic bounds, which no range tells.
  const std::string clamped = "for i in 0..64 { t[i] = max(0, min(any[i], i32(n) - 1)) } ";
  RULE_EQ("PRF-121", std::string(), open_codes(t + clamped + "for k in 0..64 { O[k] = N[t[k]] }"));
  RULE_EQ("PRF-121", std::string(),
          open_codes(t + clamped + "for k in 0..64 { u[k] = t[63 - k] } for k in 0..64 { O[k] = N[u[k]] }"));
  RULE_EQ("PRF-121", std::string("BND-2"), open_codes(t + clamped + "for k in 0..64 { O[k] = N[t[k] + 1] }"));
  RULE_EQ("PRF-121", std::string("BND-2"),
          open_codes(t + "for i in 0..64 { t[i] = max(0, min(any[i], i32(n))) } for k in 0..64 { O[k] = N[t[k]] }"));
  // Cells tell which store it was.
  RULE_EQ("PRF-121", std::string(),
          open_codes(t + "for i in 0..64 { t[i] = i32(i) } for k in 0..16 { O[k] = A[t[k]] } for k in 16..64 { O[k] = "
                         "A[t[k] - 16 * floordiv(t[k], 16)] }"));
  RULE_EQ(
      "PRF-121", std::string("BND-2"),
      open_codes(t + "for i in 0..64 { t[i] = i32(i) } for k in 0..64 { O[k] = 0.0 if k < 17 { O[k] = A[t[k]] } }"));
  RULE_EQ("PRF-121", std::string("BND-2"),
          open_codes(
              t + "for i in 0..64 { t[63 - i] = i32(i) } for k in 0..64 { O[k] = 0.0 if k < 16 { O[k] = A[t[k]] } }"));
  // Storage that is used again holds what was stored last.
  const std::string again = t + "for i in 0..64 { t[i] = ids[i] }" + use + " for i in 0..64 { t[i] = any[i] } ";
  RULE_EQ("PRF-121", std::string(), open_codes(again));
  RULE_EQ("PRF-121", std::string(), open_codes(t + "for r in 0..2 { " + again.substr(t.size()) + "}"));
  RULE_EQ("PRF-121", std::string("BND-2"), open_codes(again + use));
  RULE_EQ("PRF-121", std::string(), open_codes(again + "for i in 0..64 { t[63 - i] = ids[i] }" + use));
  RULE_EQ("PRF-121", std::string("BND-2"), open_codes(again + "for i in 0..63 { t[63 - i] = ids[i] }" + use));
  RULE_EQ("PRF-121", std::string("BND-2"),
          open_codes(again + "for i in 0..64 { if any[i] > 0 { t[i] = ids[i] } }" + use));
  RULE_EQ(
      "PRF-121", std::string("BND-2"),
      open_codes(t + "for r in 0..2 { for k in 0..64 { if r == 0 { t[k] = ids[k] } O[k] = A[t[k]] t[k] = any[k] } }"));
  // A divisor.
  RULE_EQ(
      "PRF-121", std::string(),
      open_codes(t + "for i in 0..64 { t[i] = i32(i) } for k in 1..65 { O[k - 1] = f32(floordiv(7, t[k - 1] + 1)) }"));
  RULE_EQ("PRF-121", std::string("DIV-2"),
          open_codes(t + "for i in 0..64 { t[i] = i32(i) } for k in 1..65 { O[k - 1] = f32(floordiv(7, t[k - 1])) }"));
}

TEST(StoredRanges, ConditionsOnStorage) {
  const std::string t = "temp t: i32[64] for i in 0..64 { t[i] = any[i] O[i] = 0.0 } ";
  const auto under = [&](const std::string& condition, const std::string& body) {
    return open_codes(t + "for k in 0..64 { if " + condition + " { " + body + " } }");
  };
  RULE_EQ("PRF-122", std::string(), under("t[k] >= 0 && t[k] < i32(n)", "O[k] = N[t[k]]"));
  RULE_EQ("PRF-122", std::string("BND-2"), under("t[k] >= 0 && t[k] <= i32(n)", "O[k] = N[t[k]]"));
  RULE_EQ("PRF-122", std::string("BND-2"), under("t[k] >= 0 && t[k] < i32(n)", "O[k] = N[t[63 - k]]"));
  RULE_EQ("PRF-122", std::string("BND-2"), under("t[k] >= 0 && t[k] < i32(n)", "t[k] = any[k] O[k] = N[t[k]]"));
  RULE_EQ("PRF-122", std::string("BND-2"),
          under("t[k] >= 0 && t[k] < i32(n)", "for r in 0..2 { O[k] = N[t[k]] t[k] = any[k] }"));
  RULE_EQ("PRF-122", std::string(), under("!(t[k] >= 0 && t[k] < i32(n))", "t[k] = 1 } else { O[k] = N[t[k]]"));
  RULE_EQ("PRF-122", std::string(), under("true", "O[k] = t[k] >= 0 && t[k] < i32(n) ? N[t[k]] : 0.0"));
  RULE_EQ("PRF-122", std::string("BND-2"), under("true", "O[k] = t[k] >= 0 || t[k] < i32(n) ? N[t[k]] : 0.0"));
  RULE_EQ("PRF-122", std::string("BND-2"),
          open_codes(
              "shared s: i32[64] for k in 0..64 @workgroup { s[k] = any[k] barrier if s[k] >= 0 && s[k] < 16 { barrier "
              "O[k] = A[s[k]] } else { O[k] = 0.0 } }")
              .substr(0, 5));
}

TEST(StoredRanges, WrappedIndices) {
  const std::string o = "for i in 0..64 { O[i] = ";
  RULE_EQ("PRF-123", std::string(), open_codes(o + "A[w[i] < 0 ? w[i] + 16 : w[i]] }"));
  RULE_EQ("PRF-123", std::string(), open_codes(o + "A[select(w[i] >= 0, w[i], 16 + w[i])] }"));
  RULE_EQ("PRF-123", std::string("BND-1"), open_codes(o + "A[w[i] < 1 ? w[i] + 16 : w[i]] }"));
  RULE_EQ("PRF-123", std::string("BND-1"), open_codes(o + "A[w[i] < 0 ? w[i] + 17 : w[i]] }"));
  RULE_EQ("PRF-123", std::string("BND-1"), open_codes(o + "A[w[i] < 0 ? w[63 - i] + 16 : w[i]] }"));
  const auto guarded = [&](const std::string& j) {
    return open_codes("for i in 0..64 { O[i] = 0.0 if any[i] >= -i32(n) && any[i] < i32(n) { O[i] = N[" + j + "] } }");
  };
  RULE_EQ("PRF-123", std::string(), guarded("any[i] < 0 ? any[i] + i32(n) : any[i]"));
  RULE_EQ("PRF-123", std::string("BND-2"), guarded("any[i] <= 0 ? any[i] + i32(n) : any[i]").substr(0, 5));
  RULE_EQ("PRF-123", std::string("BND-2"), guarded("any[i] < 0 ? any[i] + i32(n) + 1 : any[i]").substr(0, 5));
  // Stored, and used elsewhere: by its range.
  RULE_EQ("PRF-123", std::string(),
          open_codes("temp t: i32[64] for i in 0..64 { t[i] = w[i] < 0 ? w[i] + 16 : w[i] }" + std::string(use)));
  RULE_EQ(
      "PRF-123", std::string(),
      open_codes(
          "temp t: i32[64] for i in 0..64 { t[i] = w[i] } for k in 0..64 { O[k] = A[t[k] < 0 ? t[k] + 16 : t[k]] }"));
  // The arm that is not taken says nothing, not even about cells that nobody stored.
  RULE_EQ("PRF-123", std::string("BND-2"),
          open_codes("temp t: i32[64] for i in 0..32 { t[i] = 99 } for k in 0..64 { O[k] = A[k < 64 ? 16 : t[k]] }")
              .substr(0, 5));
}

}  // namespace
}  // namespace assay
