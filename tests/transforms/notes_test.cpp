// The place in the program that a refusal shows is the one that its reason is about.
#include "steps.hpp"

namespace assay {
namespace {

/// The text that the refusal of `line` shows, behind its code.
std::string shown(const std::string& text, const std::string& line) {
  const test::Step s = test::step(test::program(text), line);
  const Location& at = s.refusal.program_note;
  if (!at.known()) return s.code;
  std::size_t start = 0;
  for (int k = 1; k < at.line; ++k) start = text.find('\n', start) + 1;
  return s.code + " " +
         text.substr(start + static_cast<std::size_t>(at.column) - 1, static_cast<std::size_t>(at.length));
}

TEST(Notes, OfReads) {
  const std::string head = "program p { input A: f32[9] input d: i32[9] in 0..9 output Y: f32[9]\n";
  RULE_EQ("DIAG-1", std::string("STG-4 A[8 - k]"),
          shown(head + "for k in 0..9 { Y[k] = A[k] + A[8 - k] } }", "stage A over=k"));
  RULE_EQ("DIAG-1", std::string("STG-4 A[d[k]]"), shown(head + "for k in 0..9 { Y[k] = A[d[k]] } }", "stage A over=k"));
  RULE_EQ("DIAG-1", std::string("SRD-3 Y[0]"),
          shown(head + "zero Y for k in 0..9 { Y[0] += A[k]\n Y[0] *= 2.0 } }", "split_reduce k blocks=3 target=Y"));
}

TEST(Notes, OfBuffers) {
  const std::string text =
      "program p { input X: f32[6] input d: i32[6] in 0..6 output Y: f32[6]\ntemp S: f32[6] temp T: f32[6] temp U: "
      "f16[6]\nfor i in 0..6 { S[i] = X[i] } for i in 0..6 { Y[i] = S[i] } for i in 0..6 { T[i] = X[i] }\n"
      "for i in 0..6 { Y[i] = T[d[i]] } }";
  RULE_EQ("DIAG-1", std::string("ALIAS-1 output Y: f32[6]"), shown(text, "alias S Y"));
  RULE_EQ("DIAG-1", std::string("ALIAS-1 temp U: f16[6]"), shown(text, "alias S U").substr(0, 22));
  RULE_EQ("DIAG-1", std::string("ALIAS-4 T[d[i]]"), shown(text, "alias T S"));
  RULE_EQ("DIAG-1", std::string("INL-2 temp U: f16[6]").substr(0, 12), shown(text, "inline U").substr(0, 12));
  RULE_EQ("DIAG-1", std::string("FUS-1 temp U").substr(0, 12), shown(text, "fuse_epilogue U").substr(0, 12));
}

TEST(Notes, OfLoopsAndVariables) {
  const std::string head = "program p { input A: f32[8, 8] input B: f32[8, 8] inout C: f32[8, 8]\n";
  RULE_EQ("DIAG-1", std::string("TEN-2 for t in 0..8"),
          shown(head + "for i in 0..8 { for j in 0..8 { for k in 0..8 { C[i, j] += A[i, k] * B[k, j] } } }\n"
                       "for s in 0..8 { for t in 0..8 { C[s, t] += A[s, t] } } }",
                "tensorize i j t"));
  const std::string text = head +
                           "for i in 0..8 { for j in 0..8 { var v: f32 = A[i, j] C[i, j] = v + scope v.1: f32 { v.1 = "
                           "B[j, i] } } } for q in 0..8 { C[q, 0] = 0.0 } }";
  RULE_EQ("DIAG-1", std::string("MAT-2 var v: f32"), shown(text, "materialize v*").substr(0, 16));
  RULE_TRUE("DIAG-1", shown(text, "materialize v.1 over=q").rfind("MAT-5 scope v.1", 0) == 0)
      << shown(text, "materialize v.1 over=q");
}

}  // namespace
}  // namespace assay
