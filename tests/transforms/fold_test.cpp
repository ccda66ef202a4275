// Guard folding: what is known, what is decided by it, and what stays (spec/fold.md).
#include "steps.hpp"

namespace assay::test {
namespace {

std::string folded(const std::string& statements, const std::string& declarations = {}) {
  return body(fold(nest(statements, declarations)));
}

TEST(Fold, DecidedBranches) {
  RULE_EQ("FOLD-1", printed("for i in 0..4 { A[i] = X[i] }"),
          folded("for i in 0..4 { if i < 4 { A[i] = X[i] } else { A[i] = 0.0 } }"));
  RULE_EQ("FOLD-1", printed("for i in 0..4 { A[i] = 0.0 }"),
          folded("for i in 0..4 { if i > 3 { A[i] = X[i] } else { A[i] = 0.0 } }"));
  RULE_EQ("FOLD-1", printed("for i in 0..4 { }"), folded("for i in 0..4 { if i + 1 == 9 { A[i] = X[i] } }"));
  RULE_EQ("FOLD-1", printed("for i in 1..8 step 3 { A[i] = X[i] }"),
          folded("for i in 1..8 step 3 { if floormod(i, 3) == 1 { A[i] = X[i] } }"));
  RULE_EQ("FOLD-1", printed("for i in 0..n { A[i] = X[i] }", "param n in 1..9"),
          folded("for i in 0..n { if i < 8 && n > 0 { A[i] = X[i] } }", "param n in 1..9"));
  RULE_EQ("FOLD-1", printed("for i in 0..n { A[2*i] = X[i] }", "param n in 1..9  require floormod(n, 2) == 0"),
          folded("for i in 0..n { if n != 3 { A[2*i] = X[i] } }", "param n in 1..9  require floormod(n, 2) == 0"));
  RULE_EQ("FOLD-1", printed("A[0] = X[0]"), folded("if true { A[0] = X[0] } else { A[0] = 1.0 }"));
}

TEST(Fold, OuterGuardsDecideInnerOnes) {
  RULE_EQ("FOLD-1", printed("for i in 0..9 { if i < 4 { A[i] = X[i] } else { A[i] = 2.0 } }"),
          folded("for i in 0..9 { if i < 4 { if i < 6 { A[i] = X[i] } } else { if i < 4 { A[i] = 1.0 } else { A[i] = "
                 "2.0 } } }"));
  RULE_EQ("FOLD-1", printed("for i in 0..9 { if i < 4 && flag[i] == 1 { A[i] = X[i] } }"),
          folded("for i in 0..9 { if i < 4 && flag[i] == 1 { if i < 4 { A[i] = X[i] } } }"));
  RULE_EQ("FOLD-1", printed("for i in 0..9 { if i > 4 || flag[i] == 1 { A[i] = 0.0 } else { A[i] = X[i] } }"),
          folded("for i in 0..9 { if i > 4 || flag[i] == 1 { A[i] = 0.0 } else { if i < 5 { A[i] = X[i] } } }"));
}

// A guard bounds the symbol also where it has a coefficient, and a negative one.
TEST(Fold, GuardsWithStrides) {
  RULE_EQ("FOLD-1", printed("for i in 0..9 { if 7 - 2 * i <= 1 { A[i] = X[i] } }"),
          folded("for i in 0..9 { if 7 - 2 * i <= 1 { if i < 3 { A[i] = 1.0 } else { A[i] = X[i] } } }"));
  RULE_EQ("FOLD-1", printed("for i in 0..9 { if 10 - 3 * i < 0 { A[i] = X[i] } }"),
          folded("for i in 0..9 { if 10 - 3 * i < 0 { if 4 <= i { A[i] = X[i] } } }"));
  for (const char* kept : {"for i in 0..9 { if 7 - 2 * i <= 1 { if i < 4 { A[i] = X[i] } } }",
                           "for i in 0..9 { if 10 - 3 * i < 0 { if 5 <= i { A[i] = X[i] } } }"})
    RULE_EQ("FOLD-1", printed(kept), folded(kept));
}

TEST(Fold, SiblingsKnowNothingOfEachOther) {
  const char* kept = "for i in 0..9 { if i < 4 { A[i] = X[i] } if i < 6 { B[0, i] = 1.0 } }";
  RULE_EQ("FOLD-4", printed(kept), folded(kept));
  const char* arms =
      "for i in 0..9 { if i < 4 { A[i] = 1.0 } else { if i < 6 { A[i] = 2.0 } } if i < 4 { B[0, i] = 1.0 } }";
  RULE_EQ("FOLD-4", printed(arms), folded(arms));
  const char* loops = "for i in 0..4 { A[i] = 1.0 } for j in 0..9 { if j < 4 { A[j] = 2.0 } }";
  RULE_EQ("FOLD-4", printed(loops), folded(loops));
  // Two loops with equal symbols in the text.
  const char* same = "for i in 0..4 { A[i] = 1.0 } for i in 0..9 { if i < 4 { A[i] = 2.0 } }";
  RULE_EQ("FOLD-4", printed(same), folded(same));
}

TEST(Fold, DataDecidesNothing) {
  for (const char* kept :
       {"var v: i32 = 1 if v == 1 { if v == 1 { A[0] = 1.0 } }", "if flag[0] == 1 { if flag[0] == 1 { A[0] = 1.0 } }",
        "for i in 0..9 { if i < 4 || flag[i] == 1 { if i < 4 { A[i] = X[i] } } }",
        "if X[0] > 1.0 || n < 3 { if n < 3 { A[0] = 1.0 } }",
        "for i in 0..9 { if !(i < 4 && flag[i] == 1) { if i >= 4 { A[i] = X[i] } } }"}) {
    RULE_EQ("FOLD-4", printed(kept, "param n in 1..9"), folded(kept, "param n in 1..9"));
  }
}

TEST(Fold, ChoicesAndLogic) {
  const auto value = [](const std::string& e) { return "for i in 0..4 { A[i] = " + e + " }"; };
  RULE_EQ("FOLD-2", printed(value("X[i]")), folded(value("i < 4 ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("0.0")), folded(value("i < 0 ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("i < 2 ? X[i] : 1.0")),
          folded(value("i < 2 ? (i < 3 ? X[i] : 2.0) : (i < 2 ? 3.0 : 1.0)")));
  RULE_EQ("FOLD-2", printed(value("flag[i] == 1 ? X[i] : 0.0")), folded(value("i < 4 && flag[i] == 1 ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("flag[i] == 1 ? X[i] : 0.0")), folded(value("flag[i] == 1 && i < 4 ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("X[i]")), folded(value("i < 4 || flag[i] == 1 ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("flag[i] == 1 ? X[i] : 0.0")), folded(value("i > 4 || flag[i] == 1 ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("!(flag[i] == 1) ? X[i] : 0.0")),
          folded(value("!(i < 9 && flag[i] == 1) ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("i < 2 && flag[i] == 1 ? X[i] : 0.0")),
          folded(value("i < 2 && (i < 3 && flag[i] == 1) ? X[i] : 0.0")));
  RULE_EQ("FOLD-2", printed(value("i < 2 || flag[i] == 1 ? X[i] : 0.0")),
          folded(value("i < 2 || (i > 1 && flag[i] == 1) ? X[i] : 0.0")));
  // Inside indices, scopes and nested data.
  RULE_EQ("FOLD-2", printed("for i in 0..4 { A[flag[i]] = X[flag[i]] }"),
          folded("for i in 0..4 { A[i < 4 ? flag[i] : 0] = X[i < 0 ? 0 : flag[i]] }"));
  RULE_EQ("FOLD-1", printed("for i in 0..4 { A[i] = scope s: f32 { s = 0.0 for k in 0..3 { s = s + X[k] } } }"),
          folded("for i in 0..4 { A[i] = scope s: f32 { s = 0.0 for k in 0..3 { if k + i < 6 { s = s + X[k] } } } }"));
}

TEST(Fold, WhatMayFaultIsStillEvaluated) {
  const std::string kept = "for i in 0..4 { A[i] = flag[99 + i] == 1 && i > 3 ? X[i] : 0.0 }";
  RULE_EQ("FOLD-2", printed("for i in 0..4 { A[i] = flag[99 + i] == 1 && false ? X[i] : 0.0 }"), folded(kept));
  RULE_EQ("FOLD-2", printed("for i in 0..4 { A[i] = flag[99 + i] == 1 || true ? X[i] : 0.0 }"),
          folded("for i in 0..4 { A[i] = flag[99 + i] == 1 || i < 4 ? X[i] : 0.0 }"));
  const std::string select = "for i in 0..4 { A[i] = select(i < 4, X[i], X[i + 99]) }";
  RULE_TRUE("FOLD-3", folded(select).find("X[i + 99]") != std::string::npos);
}

TEST(Fold, EmptyThings) {
  RULE_EQ("FOLD-5", printed("for i in 0..4 { }"), folded("for i in 0..4 { if i < 2 { } }"));
  RULE_EQ("FOLD-5", printed("for i in 0..4 { if flag[i] == 1 { } }"), folded("for i in 0..4 { if flag[i] == 1 { } }"));
  RULE_EQ("FOLD-5", printed("for i in 0..4 { }"), folded("for i in 0..4 { if i < 2 { if i > 5 { A[i] = X[i] } } }"));
  for (const char* kept :
       {"for i in 0..0 { A[i] = X[i] }", "for i in 0..1 { A[i] = X[i] }", "for i in 4..2 { for j in 0..3 { } }"})
    RULE_EQ("FOLD-5", printed(kept), folded(kept));
}

TEST(Fold, ReductionsKeepTheirAccumulation) {
  const char* never = "for k in 0..4 @reduce { if k > 5 { A[0] += X[k] } }";
  RULE_EQ("FOLD-5", printed(never), folded(never));
  RULE_EQ("FOLD-5", printed("for k in 0..4 @reduce { A[0] += X[k] }"),
          folded("for k in 0..4 @reduce { if k < 5 { A[0] += X[k] } }"));
}

TEST(Fold, BoundsWithSuperfluousTerms) {
  RULE_EQ("FOLD-6", printed("for j in 0..7 { for i in j..7 { B[i, j] = 1.0 } }"),
          folded("for j in 0..7 { for i in max(0, j)..min(j + 9, 7) { B[i, j] = 1.0 } }"));
  RULE_EQ("FOLD-6", printed("for i in 0..n { A[i] = X[i] }", "param n in 0..9"),
          folded("for i in 0..min(n, min(9, n + 2)) { A[i] = X[i] }", "param n in 0..9"));
  RULE_EQ("FOLD-6", printed("for i in 0..4 { for j in floordiv(i, 2)..9 { B[i, j] = 1.0 } }"),
          folded("for i in 0..4 { for j in max(i - 7, min(floordiv(max(i, -2), 2), i + 3))..9 { B[i, j] = 1.0 } }"));
  const char* kept = "for i in max(0, n - 4)..min(n, 6) { A[i] = X[i] }";
  RULE_EQ("FOLD-6", printed(kept, "param n in 0..9"), folded(kept, "param n in 0..9"));
  RULE_EQ("FOLD-6", printed("for j in 0..7 { if j < 3 { for i in 0..j { B[i, j] = 1.0 } } }"),
          folded("for j in 0..7 { if j < 3 { for i in 0..min(j, 3) { B[i, j] = 1.0 } } }"));
}

TEST(Fold, SymbolsOfLoopsThatRunOnce) {
  RULE_EQ("FOLD-7", printed("for o in 0..1 { for p in 0..9 { if p < 4 { A[9*o + p] = X[p] } } }"),
          folded("for o in 0..1 { for p in 0..9 { if 9*o + p < 4 { A[9*o + p] = X[p] } } }"));
  RULE_EQ("FOLD-7",
          printed("for i in 0..5 { for o in i..i + 2 step 2 { for p in 0..9 { if i + p < 4 { A[p] = X[p] } } } }"),
          folded("for i in 0..5 { for o in i..i + 2 step 2 { for p in 0..9 { if o + p < 4 { A[p] = X[p] } } } }"));
}

class IgnorantQuery final : public Query {
 public:
  Answer solve(const Formula&, const std::vector<Symbol>&) override { return {}; }
};

TEST(Fold, IgnoranceKeepsEverything) {
  const Program p =
      nest("for i in 0..4 { if i < 4 { A[i] = i < 9 ? X[i] : 0.0 } } for j in 0..min(3, n) { if true { A[j] = 1.0 } }",
           "param n in 5..9");
  IgnorantQuery query;
  RULE_EQ("FOLD-9",
          printed("for i in 0..4 { if i < 4 { A[i] = i < 9 ? X[i] : 0.0 } } for j in 0..min(3, n) { A[j] = 1.0 }",
                  "param n in 5..9"),
          body(fold_guards(p, query).program));
}

TEST(Fold, BranchesWithDeclarationsAndBarriers) {
  const Program p =
      fold(nest("for w in 0..4 @workgroup { if w < 9 { var v: f32 = X[w] A[w] = v barrier } B[0, w] = A[w] }"));
  RULE_EQ(
      "FOLD-10", std::string(),
      difference(nest("for w in 0..4 @workgroup { if w < 9 { var v: f32 = X[w] A[w] = v barrier } B[0, w] = A[w] }"), p,
                 true));
  EXPECT_EQ(0, count(p, StmtKind::branch));
}

}  // namespace
}  // namespace assay::test
