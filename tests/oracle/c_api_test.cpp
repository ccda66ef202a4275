// The C API from C++: answers, errors, and the library's silence in the current folder (LIB-…).
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "oracle/assay.h"
#include "oracle/check.hpp"
#include "oracle/json.hpp"
#include "oracle/keep.hpp"
#include "oracle/lint.hpp"
#include "report_support.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

struct Delete {
  void operator()(assay_error* e) const { assay_error_delete(e); }
  void operator()(assay_options* o) const { assay_options_delete(o); }
  void operator()(assay_answer* a) const { assay_answer_delete(a); }
};
using Error = std::unique_ptr<assay_error, Delete>;
using Options = std::unique_ptr<assay_options, Delete>;
using Answer = std::unique_ptr<assay_answer, Delete>;

Answer check(const std::string& program, const char* schedule, const assay_options* options = nullptr) {
  assay_answer* answer = nullptr;
  const Error error(assay_check(program.c_str(), schedule, options, &answer));
  EXPECT_EQ(error, nullptr) << assay_error_message(error.get());
  return Answer(answer);
}

const char* const scale =
    "program scale {\n  param n in 1..9\n  input A: f32[n]\n  output B: f32[n]\n  for i in 0..n { B[i] = A[i] * 2.0 "
    "}\n}\n";

TEST(CApi, AnswersAsTheCommandDoes) {
  for (const std::string schedule : {"split i factor=4 -> io, ii\n", "retype i axis=grid\n", "swap i j\n", "wrong\n"}) {
    const Answer answer = check(scale, schedule.c_str());
    ASSERT_NE(answer, nullptr);
    const auto program = parse_source(scale, "program");
    const auto parsed = parse_source(schedule, "schedule");
    ASSERT_TRUE(program.has_value());
    oracle::Report report;
    if (parsed) {
      oracle::CheckOptions options;
      options.program_argument = "program";
      options.schedule_argument = "schedule";
      report =
          oracle::check(program->programs[0], {"program", scale}, parsed->schedules[0], {"schedule", schedule}, options)
              .report;
    } else {
      std::vector<Diagnostic> all = parsed.error();
      for (Diagnostic& d : all) d.file = "schedule";
      report = oracle::error_report("check", all);
    }
    report.command = "check";
    RULE_EQ("LIB-1", oracle::to_json(report), std::string(assay_answer_json(answer.get())));
    RULE_EQ("LIB-1", std::string(oracle::word(report.verdict)), std::string(assay_answer_verdict(answer.get())));
    RULE_EQ("LIB-1", oracle::exit_status(report.verdict), assay_answer_status(answer.get()));
  }
}

TEST(CApi, TakesTheScheduleOfTheProgramText) {
  const Answer answer = check(test::skew, nullptr);
  EXPECT_STREQ(assay_answer_verdict(answer.get()), "illegal");
  EXPECT_EQ(assay_answer_status(answer.get()), 1);
  EXPECT_NE(std::string(assay_answer_text(answer.get())).find("illegal"), std::string::npos);
}

TEST(CApi, LintsAsTheCommandDoes) {
  assay_answer* raw = nullptr;
  const Error error(assay_lint(scale, nullptr, &raw));
  const Answer answer(raw);
  ASSERT_EQ(error, nullptr);
  const auto program = parse_source(scale, "program");
  oracle::Report report = oracle::lint(program->programs[0], {"program", scale}, {});
  RULE_EQ("LIB-1", oracle::to_json(report), std::string(assay_answer_json(raw)));
}

TEST(CApi, OptionsChangeTheAnswer) {
  const Options options(assay_options_new());
  EXPECT_EQ(assay_options_set(options.get(), "param", "n=3"), nullptr);
  EXPECT_EQ(assay_options_set(options.get(), "licence", "exact"), nullptr);
  EXPECT_EQ(assay_options_set(options.get(), "budget", "2"), nullptr);
  EXPECT_EQ(assay_options_set(options.get(), "backends", "interp"), nullptr);
  const Answer answer = check(scale, "split i factor=4 -> io, ii\n", options.get());
  const std::string text = assay_answer_text(answer.get());
  EXPECT_STREQ(assay_answer_verdict(answer.get()), "legal") << text;
  EXPECT_NE(text.find("n = 3"), std::string::npos) << text;
  EXPECT_EQ(text.find("gcc"), std::string::npos) << text;
}

TEST(CApi, WrongTextsAreAnswersAndWrongCallsAreErrors) {
  const Answer wrong_text = check("program {", nullptr);
  ASSERT_NE(wrong_text, nullptr);
  RULE_EQ("LIB-2", 2, assay_answer_status(wrong_text.get()));
  RULE_EQ("LIB-2", std::string("error"), std::string(assay_answer_verdict(wrong_text.get())));

  const Options options(assay_options_new());
  const std::pair<const char*, const char*> bad[] = {{"licence", "all"},   {"budget", "0"},      {"budget", "2x"},
                                                     {"budget", "-1"},     {"backends", "none"}, {"require", "none"},
                                                     {"Licence", "exact"}, {nullptr, "exact"},   {"licence", nullptr}};
  for (const auto& [name, value] : bad) {
    const Error error(assay_options_set(options.get(), name, value));
    RULE_TRUE("LIB-2", error != nullptr && *assay_error_message(error.get()) != '\0');
  }
  // No option changed: the answer is that of the defaults.
  const Answer with = check(scale, "swap i j\n", options.get()), without = check(scale, "swap i j\n");
  RULE_EQ("LIB-2", std::string(assay_answer_json(without.get())), std::string(assay_answer_json(with.get())));

  assay_answer* answer = wrong_text.get();  // any value: the call sets it
  const Error null_program(assay_check(nullptr, nullptr, nullptr, &answer));
  RULE_TRUE("LIB-2", null_program != nullptr && answer == nullptr);
  const Error null_answer(assay_check(scale, nullptr, nullptr, nullptr));
  RULE_TRUE("LIB-2", null_answer != nullptr);
  assay_answer_delete(nullptr);
  assay_error_delete(nullptr);
  assay_options_delete(nullptr);
  EXPECT_EQ(assay_answer_status(nullptr), 2);
  EXPECT_EQ(assay_abi_version(), ASSAY_ABI_VERSION);
  EXPECT_EQ(std::string(assay_version()), oracle::version());
}

TEST(CApi, KeepsNoCaseWithoutAFolder) {
  const auto file = parse_source(scale, "program");
  const std::optional<oracle::Observation> nothing;
  RULE_EQ("LIB-3", std::string(),
          oracle::keep_case({file->programs[0], file->programs[0], Schedule{}, nothing, "a test"}, ""));
}

}  // namespace
}  // namespace assay
