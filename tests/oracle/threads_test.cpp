// Calls on different handles in different threads (LIB-4). With -DASSAY_SANITIZE=thread this is what ThreadSanitizer watches.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "oracle/assay.h"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

struct Case {
  std::string program{}, schedule{};
};

/// Programs that reach every part: bounds by parameters, functions (MPFR), reductions, threads, faults, wrong texts.
std::vector<Case> cases() {
  const std::string scale =
      "program scale { param n in 1..20  input A: f32[n]  output B: f32[n]\n  for i in 0..n { B[i] = A[i] * 2.0 } }\n";
  const std::string total =
      "program total { input A: f16[6, 5]  output S: f32[1]\n  zero S\n"
      "  for p in 0..6 { for q in 0..5 { S[0] += f32(A[p, q]) } } }\n";
  const std::string wave = "program wave { input A: f32[9]  output B: f32[9]  for i in 0..9 { B[i] = exp(A[i]) } }\n";
  const std::string skew =
      "program skew { inout a: f32[8, 8]\n  for i in 1..8 { for j in 0..7 { a[i, j] = a[i - 1, j + 1] + 1.0 } } }\n";
  const std::string outside = "program outside { output a: i32[4]\n  for i in 0..5 { a[i] = 1 } }\n";
  return {{scale, "split i factor=4 -> io, ii\n"},
          {scale, "retype i axis=grid\n"},
          {total, "swap p q\n"},
          {wave, "unroll i\n"},
          {skew, "swap i j\n"},
          {outside, "unroll i\n"},
          {scale, "no such step\n"},
          {"program {", ""}};
}

std::string answer_of(const Case& c) {
  assay_answer* answer = nullptr;
  assay_error* const error = assay_check(c.program.c_str(), c.schedule.c_str(), nullptr, &answer);
  const std::string text = error != nullptr ? assay_error_message(error) : assay_answer_json(answer);
  assay_error_delete(error);
  assay_answer_delete(answer);
  return text;
}

TEST(Threads, GiveTheAnswersOfOneThread) {
  const std::vector<Case> all = cases();
  std::vector<std::string> alone;
  for (const Case& c : all) alone.push_back(answer_of(c));
  constexpr std::size_t threads = 4;
  std::vector<std::vector<std::string>> together(threads, std::vector<std::string>(all.size()));
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      // Each begins elsewhere, so that different cases meet.
      for (std::size_t k = 0; k < all.size(); ++k) {
        const std::size_t at = (k + 2 * t) % all.size();
        together[t][at] = answer_of(all[at]);
      }
    });
  }
  for (std::thread& t : running) t.join();
  for (std::size_t t = 0; t < threads; ++t) {
    for (std::size_t k = 0; k < all.size(); ++k) RULE_EQ("LIB-4", alone[k], together[t][k]);
  }
}

}  // namespace
}  // namespace assay
