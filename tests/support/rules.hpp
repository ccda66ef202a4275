// Rule-citing assertions: each names the numbered rule of spec/ that it checks, and logs whether it held.
//
// `scripts/check-rules.py` reads the logs of a whole test run and fails when a rule of spec/ has no assertion that ran
// and passed. The log is the file named by ASSAY_RULES_LOG (one line per rule and outcome: `SPLIT-3 pass`).
#pragma once

#include <gtest/gtest.h>

#include <string_view>

namespace assay::test {

/// Records that an assertion for `rule` ran. Returns `held`, so that it can stand inside an EXPECT.
bool record_rule(std::string_view rule, bool held);

}  // namespace assay::test

/// EXPECT_TRUE(condition), recorded for rule `id`; further message text can be streamed into it.
#define RULE_TRUE(id, condition)                                            \
  EXPECT_TRUE(::assay::test::record_rule(id, static_cast<bool>(condition))) \
      << "rule " << (id) << ": " << #condition << " "
/// EXPECT_EQ(expected, actual), recorded for rule `id`. Both are copied: they may be parts of temporaries.
#define RULE_EQ(id, expected, actual)                                 \
  do {                                                                \
    const auto assay_expected_ = (expected);                          \
    const auto assay_actual_ = (actual);                              \
    ::assay::test::record_rule(id, assay_expected_ == assay_actual_); \
    EXPECT_EQ(assay_expected_, assay_actual_) << "rule " << (id);     \
  } while (false)
